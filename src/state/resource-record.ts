import {
  cachedBy,
  count,
  dateTime,
  type FromSchema,
  fromBase64,
  interpreted,
  isObject,
  join,
  type KnownMembers,
  MAX_ADDED,
  MAX_COUNT,
  MAX_ID,
  MAX_ITEM_ID,
  object,
  type ResourceType,
  type Schema,
  string,
  withoutRequired,
} from "../contract/index.ts";
import type { Item } from "./item.ts";
import { idParts, joinedId, ordered, partsIn, versionIn, withIdParts, withVersion } from "./represent/item-id.ts";
import { withTimeOfChange } from "./represent/known-members.ts";
import { formOf } from "./represent/parts.ts";

/** An item in the control API and in functions: its members, those that are hidden, and what the mock knows of it. */
export interface ResourceRecord extends Readonly<KnownMembers> {
  readonly id: string;
  readonly key?: string;
  /** Starts at 1; each change adds 1. */
  readonly version: number;
  /** RFC 3339, from the project's clock. */
  readonly createdAt: string;
  readonly lastModifiedAt: string;
  /** The client id of the token that created the item, if known. */
  readonly createdBy?: string;
  /** In items of a document: what their members do not say. */
  readonly $mock?: Readonly<Partial<KnownMembers>> & { readonly version?: number; readonly hidden?: unknown };
  /** Fields that the contract does not define, as sent. */
  readonly [extraField: string]: unknown;
}

/** What the mock knows of an item, as the control API accepts it. */
export const Bookkeeping = object([], {
  id: { type: "string", minLength: 1, maxLength: MAX_ID, format: "path-segment" },
  version: { type: "integer", minimum: 1, maximum: MAX_COUNT },
  createdAt: dateTime,
  lastModifiedAt: dateTime,
  createdBy: { type: "string" },
});
export type Bookkeeping = FromSchema<typeof Bookkeeping>;

const hidden = {
  type: "object",
  description: "The members that clients have sent and that the service does not return.",
} as const satisfies Schema;

/** The same for types without a draft of their own, under `$mock`. */
const OwnBookkeeping = object([], {
  ...Bookkeeping.properties,
  id: { ...Bookkeeping.properties.id, maxLength: MAX_ITEM_ID },
  hidden,
});

/** What the mock knows of an item, as the control API shows it. */
const Shown = object(["id", "version", "createdAt", "lastModifiedAt"], {
  id: { type: "string", description: "Empty for the only item of a type." },
  version: { type: "integer", description: "Starts at 1; each change adds 1." },
  createdAt: dateTime,
  lastModifiedAt: dateTime,
  createdBy: { type: "string", description: "The client of the token that created the item." },
  hidden,
});

/** An item of a type without a draft of its own: its content, and what the content does not say. */
export const StoredItem = object(["$mock"], {
  bytes: { ...count, description: "The size of a file." },
  $mock: Shown,
});

/**
 * An item in `seed.json` or in a request to the control API. Missing fields get defaults: a new id, version 1, and
 * the time of the project's clock.
 */
export type RecordDraft = Omit<Bookkeeping, "id"> & KnownMembers & Extra;

/** The id of an item can be a number in a document. */
type Extra = { id?: string | number; key?: string; [extraField: string]: unknown };

/**
 * Returns the schema of the drafts of a type. By default, a draft has the members of an item, of which none is required (see
 * `draftedItem`), and under `$mock` what has no member. A file has its bytes in base64.
 */
export const draftOf = cachedBy((type: ResourceType): Schema => {
  const { draft, kind, schema: { required: _required, ...schema } = {} } = type;
  if (draft) return draft;
  const isFile = kind === "files";
  const $mock = kind === "singleton" ? object([], Shown.properties) : OwnBookkeeping;
  const properties = { ...schema.properties, ...(isFile && { bytes: base64 }), $mock };
  const required = isFile ? ["bytes"] : [];
  return withoutRequired(aroundDrafts(type, { ...schema, type: "object", required, properties }));
});

/**
 * Returns `around`, a schema that contains drafts of the type. A type from a document can have a recursive schema, so
 * `matches` validates the drafts.
 */
export function aroundDrafts<S extends Schema>({ draft, schema }: Partial<ResourceType>, around: S): S {
  return draft || !schema ? around : interpreted(around);
}

const base64 = { type: "string", description: "The bytes (RFC 4648, section 4)." } as const satisfies Schema;

/** Returns the schema of a list of drafts of a type. */
export const draftsOf = cachedBy((type: ResourceType) => {
  return aroundDrafts(type, { type: "array", items: draftOf(type), maxItems: MAX_ADDED } as const satisfies Schema);
});

/** Returns the schema of the items of a type in the control API. */
export function shownSchemaOf({ draft, schema = {}, alternates = [] }: ResourceType): Schema {
  if (!draft) {
    const { required = [], properties = {} } = schema;
    return { ...schema, type: "object", required: [...required, "$mock"], properties: { ...properties, $mock: Shown } };
  }
  const { required = [], properties = {} } = draft;
  const others = Object.entries(properties).filter(([name]) => !Object.hasOwn(Bookkeeping.properties, name));
  const shown: Schema["properties"] = {
    id: string,
    ...Object.fromEntries(alternates.map((name) => [name, string])),
    version: { type: "integer", minimum: 1 },
    createdAt: dateTime,
    lastModifiedAt: dateTime,
    createdBy: { type: "string", description: "The client of the token that created the resource." },
    ...Object.fromEntries(others.filter(([name]) => !alternates.includes(name))),
  };
  return { type: "object", required: [...Shown.required, ...required], properties: shown };
}

export type Known = Omit<Item, "content" | "bytes">;

/** Returns what a draft says about an item, beside its content. */
export function knownOf(type: ResourceType, draft: object): Partial<Known> {
  const members = draft as Readonly<Record<string, unknown>>;
  const { id: ownId, version: ownVersion, ...own } = (type.draft ? members : (members.$mock ?? {})) as Bookkeeping;
  const { createdAt, lastModifiedAt, createdBy } = own;
  const { hidden } = (type.draft ? {} : own) as Pick<Item, "hidden">;
  const textOf = (value: unknown) => (value === undefined ? undefined : String(value));
  const id = type.kind === "singleton" ? "" : (idIn(type, members) ?? textOf(ownId));
  const version = versionIn(type, members) ?? ownVersion;
  const named = sent((type.alternates ?? []).map((name) => [name, textOf(members[name])]));
  const alternates = Object.keys(named).length > 0 ? named : undefined;
  const known = { id, version, createdAt, lastModifiedAt, createdBy, alternates, hidden };
  return sent(Object.entries(known));
}

/** Returns the id and the other identities in a draft, by their names. */
export function identitiesOf(type: ResourceType, draft: object): Readonly<Record<string, string>> {
  const { id, alternates } = knownOf(type, draft);
  return { ...(id !== undefined && { id }), ...alternates };
}

/** Returns an object of the members that have a value. */
function sent(members: readonly (readonly [name: string, value: unknown])[]): object {
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

export function withId(type: ResourceType, draft: object, id: string): object {
  if (type.draft) return { ...draft, id };
  const named = withIdParts(type, draft, id);
  if (idParts(type).every(({ member }) => member !== undefined)) return named;
  return { ...named, $mock: { ...("$mock" in draft ? (draft.$mock as object) : {}), id } };
}

/** Returns the JSON pointer of the id or of another identity in the drafts of a type. */
export function placeOf(type: ResourceType, member: string): string {
  if (member !== "id" || type.draft) return join("", member);
  const parts = idParts(type);
  const path = parts.every((part) => part.member !== undefined) ? parts.at(-1)?.member : undefined;
  return path ? path.reduce(join, "") : "/$mock/id";
}

/** Returns the item for a draft. Missing fields get defaults. */
export function itemOf(
  type: ResourceType,
  draft: object,
  { id, now, ...before }: { readonly id: string; readonly now: string } & Partial<Known>,
): Item {
  const given = { ...before, ...knownOf(type, draft) };
  const { createdAt = now, lastModifiedAt = createdAt } = given;
  const known = { id, version: 1, createdAt, lastModifiedAt, ...given };
  if (type.kind !== "files") return { ...known, content: contentOf(type, known, draft) };
  const { bytes, ...facts } = draft as { readonly bytes?: unknown };
  return { ...known, content: contentOf(type, known, facts), bytes: fromBase64(String(bytes)) ?? new Uint8Array(0) };
}

/** Returns what the service returns for an item: the id and the version, if it shows them, and the other members. */
export function contentOf(type: ResourceType, { id, version }: Pick<Item, "id" | "version">, members: object): object {
  return ordered(type, withIdParts(type, withVersion(type, clientMembers(type, members), version), id)) as object;
}

/** Returns the item with another version and time. */
export function updatedItem(type: ResourceType, item: Item, change: Pick<Item, "version" | "lastModifiedAt">): Item {
  const content = isObject(item.content) ? item.content : {};
  const { schema = {}, draft } = type;
  // The service itself sets the times of its drafts.
  const timed = draft
    ? content
    : withTimeOfChange(formOf(schema, content), content, change.lastModifiedAt, item.content);
  return { ...item, ...change, content: withVersion(type, timed, change.version) };
}

/** Returns an item as users see it in the control API, in functions and in exports. */
export function shownItem(type: ResourceType, item: Item): ResourceRecord {
  const { content, bytes, alternates, ...known } = item;
  const members = isObject(content) ? content : { value: content };
  if (type.draft) {
    const { id, ...others } = known;
    return { id, ...alternates, ...others, ...members } as unknown as ResourceRecord;
  }
  const { id, version, ...times } = known;
  const bookkeeping = {
    ...((idParts(type).length > 1 || idIn(type, members) !== id) && { id }),
    ...(versionIn(type, members) !== version && { version }),
    ...times,
  };
  return { ...members, ...(bytes && { bytes: bytes.byteLength }), $mock: bookkeeping } as unknown as ResourceRecord;
}

/** Returns the id in the members; undefined if they do not have all parts of it. */
function idIn(type: ResourceType, members: object): string | undefined {
  const parts = partsIn(type, members).filter((part) => part !== undefined);
  return parts.length > 0 && parts.length === idParts(type).length ? joinedId(parts) : undefined;
}

/** Returns the members of a client's draft, without those that the mock itself sets. */
export function clientMembers(type: ResourceType, members: object): Readonly<Record<string, unknown>> {
  const { draft, alternates = [], id } = type;
  const own = draft ? [...Object.keys(Bookkeeping.properties), ...alternates] : ["$mock", id?.member];
  return Object.fromEntries(Object.entries(members).filter(([name]) => !own.includes(name)));
}
