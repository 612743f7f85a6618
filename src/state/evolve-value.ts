import {
  isObject,
  join,
  MAX_EVOLVED,
  MAX_KEPT_ITEMS,
  matches,
  minimalValue,
  narrow,
  optionFor,
  rangeOf,
  type Schema,
} from "../contract/index.ts";

/** A value as a later version of the service could send it, and the changes with their JSON pointers. */
interface Evolved {
  readonly value: unknown;
  /** The first changes, such as `added /sum/extension`, in the order of the walk. */
  readonly changes: readonly string[];
  /** The number of all changes; 0 if nothing can vary. */
  readonly count: number;
}

/** The share of optional members, arrays and numbers that change. */
const SHARE = 0.25;
const LONG = 100;

/**
 * Returns the value with changes that its schema allows: unknown members in every object, missing optional members,
 * empty and long arrays, another order of members, numbers at their bounds. The changes depend only on `random`. Values
 * of the schemas in `kept`, such as versions, stay.
 */
export function evolve(value: unknown, schema: Schema, random: () => number, kept: ReadonlySet<Schema>): Evolved {
  const evolved = evolveShare(value, schema, random, kept, SHARE);
  // In a value without objects, all changes are random. If none was selected, all are made.
  return evolved.count > 0 ? evolved : evolveShare(value, schema, random, kept, 1);
}

function evolveShare(
  root: unknown,
  rootSchema: Schema,
  random: () => number,
  kept: ReadonlySet<Schema>,
  share: number,
): Evolved {
  const changes: string[] = [];
  let count = 0;
  let room = MAX_EVOLVED;
  return { value: vary(root, rootSchema, ""), changes, count };

  function vary(value: unknown, declared: Schema, pointer: string): unknown {
    const option = optionFor(declared, value);
    // The value of an unknown option stays as it is.
    if (!option) return value;
    const schema = option === declared ? declared : narrow(declared, option);
    const isKept = kept.has(declared);
    if (schema.enum || "const" in schema) return value;
    if (Array.isArray(value)) return varyArray(value, schema, pointer, isKept);
    if (isObject(value)) return varyObject(value, schema, pointer);
    if (typeof value !== "number" || isKept || !isSelected()) return value;
    const bounds = boundsOf(schema).filter((bound) => bound !== value);
    if (bounds.length === 0) return value;
    note("set to a bound", pointer);
    return pick(bounds);
  }

  function varyObject(value: object, schema: Schema, pointer: string): object {
    const { properties = {}, required = [], minProperties = 0, maxProperties = Infinity } = schema;
    const members: [name: string, member: unknown][] = [];
    let size = Object.keys(value).length;
    const { additionalProperties = true, patternProperties, propertyNames } = schema;
    const isOpen = additionalProperties === true && !patternProperties && !propertyNames;
    const canGrow = isOpen && size < maxProperties;
    for (const [name, member] of Object.entries(value)) {
      const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const isOptional = declared && !required.includes(name) && !kept.has(declared);
      if (isOptional && size > minProperties && isSelected()) {
        size--;
        note("dropped", join(pointer, name));
      } else {
        // The contract does not describe undeclared members, so they stay.
        members.push([name, declared ? vary(member, declared, join(pointer, name)) : member]);
      }
    }
    let added = pick(unknownNames);
    while (Object.hasOwn(value, added) || Object.hasOwn(properties, added)) added += "_";
    const member = pick(unknownValues);
    if (canGrow && grow(JSON.stringify({ [added]: member }).length)) {
      note("added", join(pointer, added));
      members.push([added, member]);
    }
    if (members.length < 2) return Object.fromEntries(members);
    note("reordered", pointer);
    const start = 1 + Math.floor(random() * (members.length - 1));
    return Object.fromEntries([...members.slice(start), ...members.slice(0, start)]);
  }

  function varyArray(value: readonly unknown[], schema: Schema, pointer: string, isKept: boolean): unknown[] {
    const { items = {}, minItems = 0, maxItems = LONG, prefixItems, uniqueItems } = schema;
    const varied = value.map((item, index) => vary(item, items, join(pointer, index)));
    if (isKept || prefixItems || uniqueItems || !isSelected()) return varied;
    if (random() < 0.5 && varied.length > minItems) {
      note(minItems === 0 ? "emptied" : "shortened", pointer);
      return varied.slice(0, minItems);
    }
    const length = Math.min(LONG, maxItems);
    const sample = minimalValue(items);
    const repeated = varied.length > 0 || sample === null || !matches(items, sample) ? varied : [sample];
    const growth = JSON.stringify(repeated).length * Math.ceil(length / repeated.length);
    if (repeated.length === 0 || varied.length >= length || !grow(growth)) return varied;
    note("lengthened", pointer);
    return Array.from({ length }, (_item, index) => repeated[index % repeated.length]);
  }

  function isSelected(): boolean {
    return random() < share;
  }

  function pick<T>(values: readonly T[]): T {
    return values[Math.floor(random() * values.length)] as T;
  }

  /** Returns whether the value can grow by this many characters, and counts them. */
  function grow(characters: number): boolean {
    if (characters > room) return false;
    room -= characters;
    return true;
  }

  function note(change: string, pointer: string): void {
    count++;
    if (changes.length < MAX_KEPT_ITEMS) changes.push(`${change} ${pointer === "" ? "the body" : pointer}`);
  }
}

const unknownNames = ["addedLater", "newMember", "extension", "metadata"];
const unknownValues = ["a later version", "", 1, -0.5, true, null, [], [{ inner: [1] }], {}, { inner: { deep: null } }];

/** The highest numbers by format and type. */
const highest: Readonly<Record<string, number>> = {
  int32: 2 ** 31 - 1,
  float: 3.4028234663852886e38,
  integer: Number.MAX_SAFE_INTEGER,
  number: Number.MAX_VALUE,
};

/** Returns the lowest and the highest number of the schema; an empty list if it does not describe numbers. */
function boundsOf(schema: Schema): number[] {
  const limits = [schema.format ?? [], schema.type ?? []].flat().flatMap((name) => highest[name] ?? []);
  const [limit] = limits;
  if (limit === undefined) return [];
  const [least, most] = rangeOf(schema);
  return [Math.max(least, -limit), Math.min(most, limit)].filter((bound) => matches(schema, bound));
}
