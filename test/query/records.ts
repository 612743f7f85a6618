import type { ResourceType } from "../../src/contract/resource-type.ts";
import type { ArrayTestType } from "../../src/services/generic-resource/schemas.ts";
import { types } from "../../src/services/generic-resource/types.ts";
import type { Item } from "../../src/state/item.ts";
import { itemOf, type RecordDraft, type ResourceRecord } from "../../src/state/resource-record.ts";

export const [resource] = types as [ResourceType];

/** Returns a record with default values for the fields that a test does not need. */
export function record(id: string, fields: Partial<ResourceRecord> = {}, arrays: ArrayTestType = {}): ResourceRecord {
  return {
    id,
    version: 1,
    createdAt: "2024-05-17T09:30:00.000Z",
    lastModifiedAt: "2024-05-17T09:30:00.000Z",
    objectTypeProperty: arrays,
    ...fields,
  };
}

/** Returns the item of a record, which can have values that the contract does not allow. */
export function itemFor(each: ResourceRecord): Item {
  return itemOf(resource, each as RecordDraft, { id: each.id, now: each.createdAt });
}
