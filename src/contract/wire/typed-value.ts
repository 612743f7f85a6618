import { cachedBy } from "../cached.ts";
import { matches, partsOf as membersOf, type Problem } from "../explain.ts";
import type { Schema } from "../json-schema.ts";
import { MAX_JSON_MEMBERS } from "../limits.ts";
import type { Serialization } from "../operation-table.ts";
import type { Awaitable } from "../schedule.ts";
import { isLossless, jsonValue } from "../text/json-reader.ts";
import { loadCheck, loadedCheck, type SchemaCheck } from "../validator.ts";
import { kindOf } from "./media-kinds.ts";
import type { Fields, FieldText } from "./sent-fields.ts";

/** A value, and what the schema rejects in it. */
export interface TypedReading {
  readonly value: unknown;
  readonly problems: readonly Problem[];
}

/** Returns a value of texts. Numbers that a 64-bit floating-point value cannot hold are rounded, or have their text. */
export type Read = (numbers: "rounded" | "exact") => unknown;

/** Returns the exact value. Its problems are those of the rounded one. */
export function typedValue(schema: Schema, read: Read): Awaitable<TypedReading> {
  const reading = (check: SchemaCheck) => ({ value: read("exact"), problems: check(read("rounded")) });
  const check = loadedCheck(schema);
  return check ? reading(check) : loadCheck(schema).then(reading);
}

export function readMembers(
  names: Iterable<string>,
  schemas: readonly Schema[],
  fields: Fields,
  serializationOf: (name: string) => Serialization,
): Read {
  const members = [...names].flatMap((name): [string, Read][] => {
    const sent = fields.get(name);
    return sent ? [[name, readField(partsOf(schemas, name), sent, serializationOf(name))]] : [];
  });
  return (numbers) => Object.fromEntries(members.map(([name, read]) => [name, read(numbers)]));
}

export function readField(schemas: readonly Schema[], sent: readonly FieldText[], how: Serialization): Read {
  if (sent.some(({ path }) => path.length > 0)) return readTree(schemas, sent);
  const texts = sent.map(({ text }) => text);
  if (how.mediaType !== undefined && kindOf(how.mediaType) === "json") {
    const values = texts.map((text) => jsonValue(text) ?? text);
    return () => (values.length === 1 ? values[0] : values);
  }
  const types = typesOf(schemas);
  const isList = types.has("array");
  const list = listReader(schemas);
  const whole = texts.length === 1 ? texts.map((text) => readText(schemas, text)) : [];
  const empty: Read[] = isList && texts.join("") === "" ? [() => []] : [];
  const lists = listsIn(sent, how).filter(({ length }) => length <= MAX_JSON_MEMBERS);
  const isSplit = lists.length > 0 && (isList || types.has("object"));
  if (!isSplit) return fitting(schemas, [...whole, list(texts), ...empty], isList ? list(texts) : undefined);
  const objects = types.has("object") ? lists.flatMap((items) => readAlternating(schemas, items)) : [];
  return fitting(schemas, [...(isList ? lists.map(list) : []), ...objects, ...empty, ...whole]);
}

const delimitersByStyle: Readonly<Record<string, string>> = {
  spaceDelimited: " ",
  pipeDelimited: "|",
  tabDelimited: "\t",
};

export function delimiterOf(style = ""): string {
  return delimitersByStyle[style] ?? ",";
}

/** Returns the ways to take texts apart, the likeliest first; none if each text is a value. */
function listsIn(sent: readonly FieldText[], { style, explode }: Serialization): (readonly string[])[] {
  const isSplit = style !== undefined && style !== "deepObject" && (!explode || /simple|label/.test(style));
  // Up to OpenAPI 3.1.0, the items of a label have dots between them with and without `explode`.
  const delimiters = style === "label" ? (explode ? ["."] : [",", "."]) : isSplit ? [delimiterOf(style)] : [];
  return delimiters.flatMap((delimiter) => {
    const items = sent.flatMap(({ text }) => text.split(delimiter, MAX_JSON_MEMBERS + 1));
    // Clients that encode the whole value, with its commas, are understood if an item with commas is invalid.
    return delimiter === "," ? [sent.flatMap((each) => each.items()), items] : [items];
  });
}

function listReader(schemas: readonly Schema[]): (items: readonly string[]) => Read {
  return (items) => {
    const reads = items.map((item, at) => readText(partsOf(schemas, at), item));
    return (numbers) => reads.map((read) => read(numbers));
  };
}

/** Reads the object whose names and values alternate in a list: `R,100,G,200`. */
function readAlternating(schemas: readonly Schema[], list: readonly string[]): Read[] {
  if (list.length % 2 !== 0) return [];
  const names = list.filter((_, at) => at % 2 === 0);
  const reads = names.map((name, at) => readText(partsOf(schemas, name), list[at * 2 + 1] ?? ""));
  return [(numbers) => Object.fromEntries(names.map((name, at) => [name, reads[at]?.(numbers)]))];
}

/** Reads texts by their names in brackets. `a[]=x` and `a=x` are the same. Numbers are the indexes of a list. */
function readTree(schemas: readonly Schema[], sent: readonly FieldText[]): Read {
  const byName = Map.groupBy(sent, ({ path: [name = ""] }) => name);
  const below = (texts: readonly FieldText[]) => texts.map((each) => ({ ...each, path: each.path.slice(1) }));
  const exploded = { style: "form", explode: true } as const;
  if (byName.size === 1 && byName.has("")) return readField(schemas, below(sent), exploded);
  const groups = Object.entries(Object.fromEntries(byName));
  const isList = typesOf(schemas).has("array") && groups.every(([name]) => /^\d*$/.test(name));
  const parts = groups.map(([name, texts], at): [string, Read] => {
    return [name, readField(partsOf(schemas, isList ? at : name), below(texts), exploded)];
  });
  if (isList) return (numbers) => parts.map(([, read]) => read(numbers));
  return (numbers) => Object.fromEntries(parts.map(([name, read]) => [name, read(numbers)]));
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reads a text as JSON writes the value, or as the text. */
function readText(schemas: readonly Schema[], text: string): Read {
  const types = typesOf(schemas);
  const isNumber = (types.has("number") || types.has("integer")) && jsonNumber.test(text) && isNumberOf(schemas, text);
  const isBoolean = types.has("boolean") && (text === "true" || text === "false");
  const json = types.has("array") || types.has("object") ? jsonValue(text) : undefined;
  const values = [
    ...(isNumber ? [Number(text)] : []),
    ...(isBoolean ? [text === "true"] : []),
    ...(types.has("string") || types.size === 0 ? [text] : []),
    ...(typeof json === "object" ? [json] : []),
    ...(types.has("null") && (text === "" || text === "null") ? [null] : []),
    text,
  ];
  const isExact = !isNumber || isLossless(text);
  const reads = values.map((value): Read => {
    return typeof value === "number" && !isExact ? (numbers) => (numbers === "exact" ? text : value) : () => value;
  });
  return fitting(schemas, reads);
}

/** Returns whether the number is finite. Digits of the format `int64` must be an integer of 64 bits. */
function isNumberOf(schemas: readonly Schema[], text: string): boolean {
  const isLong = /^-?\d+$/.test(text) && schemas.flatMap(optionsOf).some(({ format }) => format === "int64");
  if (isLong) return text.length <= 20 && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
  return Number.isFinite(Number(text));
}

function fitting(schemas: readonly Schema[], reads: readonly Read[], otherwise = reads[0]): Read {
  const first = reads.find((read) => schemas.some((schema) => matches(schema, read("rounded"))));
  return first ?? otherwise ?? (() => undefined);
}

/** Returns the schema with the options of its unions. Unions can contain each other. */
const optionsOf = cachedBy((schema: Schema): readonly Schema[] => {
  const all = new Set([schema]);
  for (const { oneOf = [], anyOf = [] } of all) for (const option of [...oneOf, ...anyOf]) all.add(option);
  return [...all];
});

/** Returns the JSON types that the schemas allow; none if they allow any. */
export function typesOf(schemas: readonly Schema[]): ReadonlySet<string> {
  const types = schemas
    .flatMap(optionsOf)
    .flatMap(({ type, properties, additionalProperties, items, enum: values = [] }) => {
      if (type !== undefined) return type;
      if (properties ?? additionalProperties) return "object";
      return items ? "array" : values.map((value): string => (value === null ? "null" : typeof value));
    });
  return new Set<string>(types.flat());
}

function partsOf(schemas: readonly Schema[], at: string | number): readonly Schema[] {
  const all = schemas.flatMap(optionsOf);
  if (typeof at === "string") return all.flatMap((schema) => membersOf(schema, {}, at));
  return all.flatMap(({ prefixItems, items }) => prefixItems?.[at] ?? items ?? []);
}

/** Returns the names of the members that the schema has, and whether it declares that others are allowed. */
export function memberNames(schema: Schema): { readonly names: string[]; readonly isOpen: boolean } {
  const all = optionsOf(schema);
  const names = all.flatMap(({ properties = {} }) => Object.keys(properties));
  return { names, isOpen: all.some(({ additionalProperties: others }) => Boolean(others)) };
}
