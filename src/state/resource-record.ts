import {
  ArrayTestType,
  dateTime,
  type FromSchema,
  isObject,
  MAX_COUNT,
  MAX_ID,
  type ObjectTestType,
  object,
  RESOURCE,
} from "../contract/index.ts";
import type { Item } from "./item.ts";
import { type CollectionName, typeIn } from "./state-value.ts";

/**
 * A resource in the control API and in functions: the fields of the interface, the metadata, and the extra fields that
 * clients have sent.
 */
export interface ResourceRecord {
  readonly id: string;
  readonly key?: string;
  /** Starts at 1; each change adds 1. */
  readonly version: number;
  /** RFC 3339, from the project's clock. */
  readonly createdAt: string;
  readonly lastModifiedAt: string;
  /** The client id of the token that created the resource, if known. */
  readonly createdBy?: string;
  readonly objectTypeProperty: ArrayTestType;
  /** Fields that the interface does not define, as sent. */
  readonly [extraField: string]: unknown;
}

/**
 * A resource in `seed.json` or in a request to the control API. Missing fields get defaults: a new id, version 1, and
 * the time of the project's clock.
 */
export const RecordDraft = object(["objectTypeProperty"], {
  id: { type: "string", minLength: 1, maxLength: MAX_ID, format: "path-segment" },
  key: { type: "string", minLength: 1, maxLength: MAX_ID },
  version: { type: "integer", minimum: 1, maximum: MAX_COUNT },
  createdAt: dateTime,
  lastModifiedAt: dateTime,
  createdBy: { type: "string" },
  objectTypeProperty: ArrayTestType,
});

/** A value that is valid for the schema `RecordDraft`. */
export type RecordDraft = FromSchema<typeof RecordDraft> & { [extraField: string]: unknown };

/** Returns the item for a draft. Missing fields get defaults. */
export function itemOf(draft: RecordDraft, missing: { id: string; now: string }): Item {
  const { id = missing.id, key, version = 1, createdAt = missing.now, lastModifiedAt = createdAt, createdBy } = draft;
  return {
    id,
    version,
    createdAt,
    lastModifiedAt,
    ...(createdBy !== undefined && { createdBy }),
    ...(key !== undefined && { alternates: { key } }),
    content: contentOf(version, draft),
  };
}

/** Returns the content of a resource: ObjectTestType, and the extra fields of the draft. */
export function contentOf(version: number, { objectTypeProperty, ...rest }: Content): ObjectTestType {
  return { version, objectTypeProperty, ...extraFields(rest) };
}

type Content = { readonly objectTypeProperty: ArrayTestType; readonly [extraField: string]: unknown };

/** Returns the item with another version and time, and with these fields of its content. */
export function updatedItem(item: Item, change: Pick<Item, "version" | "lastModifiedAt">, fields: object = {}): Item {
  const content = isObject(item.content) ? item.content : {};
  return { ...item, ...change, content: { ...content, ...fields, version: change.version } };
}

/** Returns the resource of an item, as users see it. */
export function recordOf({ content, alternates, bytes: _none, ...metadata }: Item): ResourceRecord {
  const { id, ...others } = metadata;
  // Known members come first, so that all resources have the same order of members.
  return { id, ...alternates, ...others, ...(content as ObjectTestType) };
}

/**
 * Returns an item as users see it: a resource as it is in the control API; of every other type, the content, and what the
 * content does not say under `$mock`.
 */
export function shownItem(name: CollectionName, item: Item): object {
  if (typeIn(name) === RESOURCE) return recordOf(item);
  const { content, bytes, alternates: _known, ...bookkeeping } = item;
  const members = isObject(content) ? content : { value: content };
  return { ...members, ...(bytes && { bytes: bytes.byteLength }), $mock: bookkeeping };
}

/**
 * Returns the extra fields of a client's draft (ObjectTestTypeDraft). The service itself sets the fields of a record,
 * such as `version` (section 2.4 of the interface), so the result does not have them.
 */
export function extraFields(draft: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(draft).filter(([name]) => !serviceFields.has(name)));
}

const serviceFields = new Set(Object.keys(RecordDraft.properties));
