import type { ArrayTestType } from "../../src/contract/service-schemas.ts";
import type { ResourceRecord } from "../../src/state/resource-record.ts";

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
