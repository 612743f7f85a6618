import { partsOf } from "./explain.ts";
import type { JsonType, Schema } from "./json-schema.ts";
import { join } from "./text/shown.ts";

/** Makes what a schema leaves open. */
export interface Maker {
  /** Whether optional members, and more items than required, are made. */
  readonly isFull: boolean;
  /** The most values in the result. 20 characters count as a value. Optional values use at most half of it. */
  readonly size: number;
  /** JSON pointers to optional parts that are left out. */
  readonly omitted?: ReadonlySet<string>;
  /** Returns a value for a schema without parts; undefined if the schema allows no value. */
  leaf(schema: Schema, type: JsonType | undefined, place: Place): unknown;
  /** Returns a whole number from 0 to `most`. */
  pick(most: number): number;
  /** Returns an object with members that agree. */
  complete?(value: Readonly<Record<string, unknown>>): object;
}

interface Place {
  /** The names of the object and of the member: `color.label`. Items have the name of their array. */
  readonly name: string;
  readonly pointer: string;
  /** The number of objects around the value. */
  readonly level: number;
  /** The schemas of the values around it. A schema that contains itself ends at its second occurrence. */
  readonly above: readonly Schema[];
}

/** Optional objects and arrays are made within fewer objects than this. */
const FULL_LEVELS = 5;

const DEEPEST = 30;

/** Returns a value that matches the schema in most cases; undefined if the schema requires too much. Always ends. */
export function makeValue(root: Schema, maker: Maker): unknown {
  let room = maker.size;
  return makeOrNull(root, { name: "", pointer: "", level: 0, above: [] });

  function make(schema: Schema, place: Place): unknown {
    if (room-- <= 0) return undefined;
    const type = typeFor(schema);
    if (!hasParts(schema)) {
      const leaf = maker.leaf(schema, type, place);
      if (typeof leaf === "string") room -= leaf.length / 20;
      return leaf;
    }
    if (place.above.includes(schema) || place.above.length > DEEPEST) return undefined;
    const within = { ...place, above: [...place.above, schema] };
    const options = optionsOf(schema);
    if (options) return makeOption(schema, options, within);
    return type === "array" ? makeArray(schema, within) : makeObject(schema, within);
  }

  function makeOrNull(schema: Schema, place: Place): unknown {
    const value = make(schema, place);
    return value === undefined && [schema.type].flat().includes("null") ? null : value;
  }

  function makeOption(schema: Schema, options: readonly Schema[], place: Place): unknown {
    const others = options.filter(({ type }) => type !== "null");
    const first = maker.pick(Math.max(0, others.length - 1));
    for (const option of new Set([...others.slice(first), ...others, ...options])) {
      if (place.above.includes(option) && option !== schema) continue;
      const narrowed = narrow(schema, option);
      const above = narrowed === option ? place.above : [...place.above, option];
      const value = make(narrowed, { ...place, above });
      if (value !== undefined) return value;
    }
  }

  function makeObject(schema: Schema, place: Place): object | undefined {
    const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
    const { minProperties = 0, maxProperties = Infinity } = schema;
    const names = Object.keys(properties);
    const isFull = isFullAt(place);
    const isMap = isFull && names.length === 0 && typeof additionalProperties === "object";
    const optional = names.filter((name) => !required.includes(name));
    const made = new Map<string, unknown>();
    const add = (name: string, isNeeded: boolean) => {
      const [member = {}] = partsOf(schema, {}, name);
      const at = memberPlace(place, name);
      if (!isNeeded && (made.size >= maxProperties || isLeftOut(member, at))) return;
      const value = makeOrNull(member, at);
      if (value !== undefined) made.set(name, value);
    };
    // The required members first, while there is room for them.
    for (const name of required) add(name, true);
    if (required.some((name) => !made.has(name))) return undefined;
    for (const name of optional) if (isFull || made.size < minProperties) add(name, made.size < minProperties);
    for (let more = isMap ? 1 + maker.pick(1) : minProperties - made.size; more > 0 && room > 0; more--) {
      const key =
        make({ ...propertyNames, type: "string" }, { name: "key", pointer: "", level: 0, above: [] }) || "key";
      if (additionalProperties !== false) add(made.has(String(key)) ? `${key}${made.size}` : String(key), false);
    }
    const ordered = [...names, ...made.keys()].filter((name) => made.has(name));
    const value = Object.fromEntries(ordered.map((name) => [name, made.get(name)]));
    return maker.complete?.(value) ?? value;
  }

  function makeArray(schema: Schema, place: Place): unknown[] | undefined {
    const { contains, minContains = 1, items = contains ?? {}, prefixItems = [] } = schema;
    const { minItems: fewest = 0, maxItems = Infinity, uniqueItems } = schema;
    const last = contains ? prefixItems.length + minContains : 0;
    const minItems = Math.max(fewest, last);
    const isFull = isFullAt(place) && !(place.level >= FULL_LEVELS && hasParts(items));
    const usual = isFull ? Math.max(prefixItems.length, 1 + maker.pick(place.level < 3 ? 2 : 0)) : 0;
    const count = Math.min(Math.max(minItems, usual), maxItems);
    const made = new Map<string, unknown>();
    for (let attempt = 0; made.size < count && attempt < 2 * count; attempt++) {
      const pointer = join(place.pointer, made.size);
      if (made.size >= minItems && maker.omitted?.has(pointer)) break;
      const item = prefixItems[made.size] ?? (contains && made.size < last ? narrow(items, contains) : items);
      const value = makeOrNull(item, { ...place, pointer });
      if (value === undefined) break;
      made.set(uniqueItems ? JSON.stringify(value) : pointer, value);
    }
    return made.size < minItems ? undefined : [...made.values()];
  }

  /** Returns whether optional parts are made here. */
  function isFullAt({ pointer }: Place): boolean {
    return maker.isFull && room > maker.size / 2 && !maker.omitted?.has(pointer);
  }

  function isLeftOut(member: Schema, { pointer, level }: Place): boolean {
    if (member.deprecated || member.writeOnly || member.not || maker.omitted?.has(pointer)) return true;
    return level >= FULL_LEVELS && hasParts(member);
  }
}

function memberPlace(place: Place, member: string): Place {
  const name = `${place.name.slice(place.name.lastIndexOf(".") + 1)}.${member}`;
  return { ...place, name, pointer: join(place.pointer, member), level: place.level + 1 };
}

/** Returns the first type of a schema other than null; without a type, the one that its keywords suggest. */
function typeFor(schema: Schema): JsonType | undefined {
  if (schema.type === undefined) {
    const { properties, required, additionalProperties, minProperties, items, prefixItems } = schema;
    if (properties ?? required ?? additionalProperties ?? minProperties) return "object";
    return (items ?? prefixItems) ? "array" : undefined;
  }
  return [schema.type].flat().find((type) => type !== "null") ?? "null";
}

function hasParts(schema: Schema): boolean {
  if (schema.enum || "const" in schema) return false;
  return optionsOf(schema) !== undefined || /object|array/.test(typeFor(schema) ?? "");
}

/** Returns the options of a union; undefined for another schema. */
function optionsOf(schema: Schema): readonly Schema[] | undefined {
  const { anyOf, oneOf = anyOf, discriminator } = schema;
  const mapped = Object.values(discriminator?.mapping ?? {});
  const options = oneOf ?? (mapped.includes(schema) ? [schema] : mapped);
  return options.length > 0 ? options : undefined;
}

/** Returns an option of a union with the keywords beside the union, and with the value of its discriminator. */
export function narrow(schema: Schema, option: Schema): Schema {
  const { oneOf, anyOf, discriminator, title, description, examples, ...others } = schema;
  const tagName = discriminator?.propertyName ?? "";
  const [tag] = Object.entries(discriminator?.mapping ?? {}).find(([, mapped]) => mapped === option) ?? [];
  const declared: Schema = option.properties?.[tagName] ?? {};
  const isTagged = tag !== undefined && !("const" in declared) && (declared.enum?.includes(tag) ?? true);
  // The option's own discriminator of the same member would name options again.
  const { discriminator: inner, ...untagged } = option;
  const own = inner?.propertyName === tagName ? untagged : option;
  if (!isTagged && own === option && Object.keys(others).length === 0) return option;
  const properties = { ...others.properties, ...own.properties, ...(isTagged && { [tagName]: { const: tag } }) };
  const required = [...(others.required ?? []), ...(own.required ?? []), ...(isTagged ? [tagName] : [])];
  return { ...others, ...own, properties, required };
}
