import {
  cachedBy,
  type IdPart,
  isObject,
  MAX_ID,
  matches,
  percentDecoded,
  type ResourceType,
  type Schema,
  valueAt,
} from "../../contract/index.ts";
import { type Item, identity } from "../item.ts";
import type { Collection } from "../state-value.ts";
import { isScalar, schemaAt, typedText, withPart } from "./parts.ts";

/* The ids of items: the parts of which they consist, and the members that have them. */

/** Returns the parts of the ids of a type. */
export const idParts = cachedBy(({ kind, id }: ResourceType): readonly IdPart[] => {
  if (kind === "singleton") return [];
  return id?.parts ?? [{ form: id?.form, member: id?.member === undefined ? undefined : [id.member] } as IdPart];
});

/** Returns the schema of the member that has a part of the id; undefined if none has it. */
export const partSchema = ({ schema }: ResourceType, { member }: IdPart): Schema | undefined =>
  member && schema && schemaAt(schema, member);

/** Returns the id of these parts. Several parts are percent-encoded. */
export function joinedId(values: readonly string[]): string {
  return values.length === 1 ? String(values[0]) : values.map((each) => encodeURIComponent(each)).join(",");
}

export function splitId(type: ResourceType, id: string): readonly string[] {
  const { length } = idParts(type);
  return length === 0 ? [] : length === 1 ? [id] : id.split(",").map((each) => percentDecoded(each));
}

/** Returns the parts of the id that a value has. 0, an empty text and null are no ids. */
export function partsIn(type: ResourceType, content: unknown): (string | undefined)[] {
  return idParts(type).map(({ member }) => {
    const value = member && valueAt(content, member);
    return isScalar(value) && value ? String(value) : undefined;
  });
}

/** Returns the item with the other values that identify it, except those that another item of the collection has. */
export function withAlternates({ alternates = [] }: ResourceType, item: Item, { alternates: taken }: Collection): Item {
  const named = alternates.flatMap((member) => {
    const value = isObject(item.content) ? item.content[member] : undefined;
    const isValue = isScalar(value) && value !== "" && String(value).length <= MAX_ID;
    const holder = isValue ? taken.get(identity(member, String(value))) : undefined;
    return isValue && (holder ?? item.id) === item.id ? [[member, String(value)]] : [];
  });
  const { alternates: _before, ...others } = item;
  return named.length > 0 ? { ...others, alternates: Object.fromEntries(named) } : others;
}

export function withIdParts(type: ResourceType, content: object, id: string): object {
  const values = splitId(type, id);
  return idParts(type).reduce((result: object, part, index) => {
    const text = values[index];
    if (part.member === undefined || text === undefined) return result;
    const schema = partSchema(type, part);
    const isInteger = part.form === "integer" && /^\d{1,15}$/.test(text);
    const value = isInteger && (!schema || matches(schema, Number(text))) ? Number(text) : typedText(schema, text);
    return valueAt(result, part.member) === value ? result : (withPart(result, part.member, value) as object);
  }, content);
}

/** The forms of versions: a number, a text, an entity tag, or 8 bytes in base64 (the row version of .NET). */
const versionForms: readonly ((version: number) => string | number)[] = [
  (version) => version,
  String,
  (version) => `W/"${version}"`,
  (version) => `"${version}"`,
  (version) => Buffer.from(version.toString(16).padStart(16, "0"), "hex").toString("base64"),
];

/** The form of the versions of a type. A member that cannot have them, such as the version of an API, is data. */
const formIn = cachedBy(({ schema, version, draft }: ResourceType) => {
  const part = version && ((!draft && schema && schemaAt(schema, version)) || {});
  return part && versionForms.find((form) => [1, 2, 12345].every((each) => matches(part, form(each))));
});

/** Returns a version as the items of a type show it; undefined if they show none. */
export function shownVersion(type: ResourceType, version: number): string | number | undefined {
  return formIn(type)?.(version);
}

export function withVersion(type: ResourceType, content: object, version: number): object {
  const [name, ...below] = type.version ?? [];
  const value = shownVersion(type, version);
  if (name === undefined || value === undefined) return content;
  return below.length > 0 ? (withPart(content, [name, ...below], value) as object) : { ...content, [name]: value };
}

/** Returns the version that a value has in its member; undefined for none that the mock has set. */
export function versionIn({ version }: ResourceType, content: unknown): number | undefined {
  const value = version && valueAt(content, version);
  const number = Number(/^(?:W\/)?"?(\d{1,15})"?$/.exec(String(value))?.[1]);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** Returns the content with its members in the order of the schema. */
export function ordered({ schema }: ResourceType, content: unknown): unknown {
  if (!isObject(content)) return content;
  const names = Object.keys(schema?.properties ?? {}).filter((name) => Object.hasOwn(content, name));
  return Object.fromEntries([...new Set([...names, ...Object.keys(content)])].map((name) => [name, content[name]]));
}
