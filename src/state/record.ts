import { type FromSchema, object } from "../contract/schema.ts";
import { ArrayTestType, type ObjectTestType } from "../contract/schemas.ts";
import { ServiceError } from "../contract/service-error.ts";

/**
 * A resource as a project keeps it and the control API shows it: what the interface types, what the record knows about
 * itself, and every extra field that a client sent. Immutable: a change makes a new record.
 */
export interface ResourceRecord {
  readonly id: string;
  readonly key?: string;
  /** Starts at 1; each change adds 1. */
  readonly version: number;
  /** RFC 3339, from the project's clock. */
  readonly createdAt: string;
  readonly lastModifiedAt: string;
  /** The client of the token that created it, where known. */
  readonly createdBy?: string;
  readonly objectTypeProperty: ArrayTestType;
  /** Fields that the interface does not name are kept as sent. */
  readonly [extraField: string]: unknown;
}

/** The highest version of a resource. Whatever has it cannot change again, but it can be exported and imported. */
export const MAX_VERSION = 1e15;

/** Ids and keys have at most so many characters. */
export const MAX_NAME = 256;

/**
 * A record as someone writes it, in `seed.json` or through the control API: what is left out is filled in (an id of the
 * project's, version 1, the project's time).
 */
export const RecordDraft = object(["objectTypeProperty"], {
  id: { type: "string", minLength: 1, maxLength: MAX_NAME },
  key: { type: "string", minLength: 1, maxLength: MAX_NAME },
  version: { type: "integer", minimum: 1, maximum: MAX_VERSION },
  createdAt: { type: "string", format: "date-time" },
  lastModifiedAt: { type: "string", format: "date-time" },
  createdBy: { type: "string" },
  objectTypeProperty: ArrayTestType,
});

/** A value that fits `RecordDraft`. */
export type RecordDraft = FromSchema<typeof RecordDraft> & { [extraField: string]: unknown };

/** The record that a draft stands for, with what it leaves out filled in. */
export function recordOf(draft: RecordDraft, missing: { id: string; now: string }): ResourceRecord {
  const createdAt = draft.createdAt ?? missing.now;
  // Known members first, so that every record lists them in one order whoever wrote it.
  return {
    id: draft.id ?? missing.id,
    ...(draft.key !== undefined && { key: draft.key }),
    version: draft.version ?? 1,
    createdAt,
    lastModifiedAt: draft.lastModifiedAt ?? createdAt,
    ...(draft.createdBy !== undefined && { createdBy: draft.createdBy }),
    objectTypeProperty: draft.objectTypeProperty,
    ...extraFields(draft),
  };
}

/** Returns the version after the record's. Throws InvalidInput if there is none. */
export function nextVersion({ version }: ResourceRecord): number {
  if (version < MAX_VERSION) return version + 1;
  throw new ServiceError({
    code: "InvalidInput",
    message: `The resource: expected a version below ${MAX_VERSION}, found ${version}. It cannot change again: delete it, or give it a lower version through the control API.`,
  });
}

/**
 * What a client's draft (ObjectTestTypeDraft) holds beside `objectTypeProperty`. The names that the record itself
 * carries are the service's to set (as `version`, which section 2.4 of the interface takes out of the draft), so a
 * draft's fields of these names are not kept.
 */
export function extraFields(draft: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(draft).filter(([name]) => !recordFields.has(name)));
}

const recordFields = new Set(Object.keys(RecordDraft.properties));

/** The resource as the service's operations return it: ObjectTestType, and the extra fields that were sent. */
export function resourceBody(record: ResourceRecord): ObjectTestType {
  const { id: _id, key: _key, createdAt: _created, lastModifiedAt: _modified, createdBy: _by, ...body } = record;
  return body;
}

const texts = new WeakMap<ResourceRecord, string>();

/** `resourceBody` as JSON. Each record is serialised once: without the cache, GET by id is 8 % slower (decision 0012). */
export function resourceText(record: ResourceRecord): string {
  let text = texts.get(record);
  if (text === undefined) {
    text = JSON.stringify(resourceBody(record));
    texts.set(record, text);
  }
  return text;
}
