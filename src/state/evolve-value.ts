import { isObject, join, MAX_EVOLVED, MAX_KEPT_ITEMS, type Schema } from "../contract/index.ts";

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
/** The length of a lengthened array. */
const LONG = 100;
/**
 * Returns the value with changes that its schema allows: unknown members in every object, missing optional members,
 * empty and long arrays, another order of members, numbers at their bounds. The changes depend only on `random`. Values
 * of the schemas in `kept`, such as versions, stay.
 */
export function evolve(value: unknown, schema: Schema, random: () => number, kept: ReadonlySet<Schema>): Evolved {
  const evolved = new Evolution(random, SHARE, kept).run(value, schema);
  // In a value without objects, all changes are random. If none was selected, all are made.
  return evolved.count > 0 ? evolved : new Evolution(random, 1, kept).run(value, schema);
}

const anything: Schema = {};

class Evolution {
  readonly #random: () => number;
  readonly #share: number;
  readonly #kept: ReadonlySet<Schema>;
  readonly #changes: string[] = [];
  /** The members and indexes that lead to the current value. */
  readonly #path: (string | number)[] = [];
  #count = 0;
  #room = MAX_EVOLVED;

  constructor(random: () => number, share: number, kept: ReadonlySet<Schema>) {
    this.#random = random;
    this.#share = share;
    this.#kept = kept;
  }

  run(value: unknown, schema: Schema): Evolved {
    return { value: this.#vary(value, schema), changes: this.#changes, count: this.#count };
  }

  #vary(value: unknown, declared: Schema): unknown {
    const schema = optionFor(value, declared);
    if (schema.enum || "const" in schema) return value;
    if (Array.isArray(value)) return this.#array(value, schema, !this.#kept.has(declared));
    if (isObject(value)) return this.#object(value, schema);
    if (typeof value === "number" && !this.#kept.has(declared)) return this.#number(value, schema);
    return value;
  }

  #within(name: string | number, value: unknown, declared: Schema): unknown {
    this.#path.push(name);
    const varied = this.#vary(value, declared);
    this.#path.pop();
    return varied;
  }

  #object(value: object, schema: Schema): object {
    const { properties = {}, required = [], minProperties = 0 } = schema;
    const members: [name: string, member: unknown][] = [];
    let count = Object.keys(value).length;
    for (const [name, member] of Object.entries(value)) {
      const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const isOptional = declared && !required.includes(name) && !this.#kept.has(declared);
      if (isOptional && count > minProperties && this.#isSelected()) {
        count--;
        this.#note("dropped", name);
      } else {
        // The contract does not describe undeclared members, so they stay.
        members.push([name, declared ? this.#within(name, member, declared) : member]);
      }
    }
    const added = this.#unknownMember(value, schema);
    if (added) {
      this.#note("added", added[0]);
      members.push(added);
    }
    return Object.fromEntries(this.#reordered(members));
  }

  /** Returns a new member that the contract does not declare; undefined if the schema does not allow one. */
  #unknownMember(value: object, schema: Schema): [name: string, member: unknown] | undefined {
    const {
      properties = {},
      patternProperties,
      propertyNames,
      additionalProperties,
      maxProperties = Infinity,
    } = schema;
    const isOpen = additionalProperties === undefined || additionalProperties === true;
    if (!isOpen || patternProperties || propertyNames || Object.keys(value).length >= maxProperties) return undefined;
    let name = this.#pick(unknownNames);
    while (Object.hasOwn(value, name) || Object.hasOwn(properties, name)) name += "_";
    const member = this.#pick(unknownValues);
    return this.#grow(JSON.stringify({ [name]: member }).length) ? [name, member] : undefined;
  }

  #reordered<Member extends [name: string, member: unknown]>(members: Member[]): Member[] {
    if (members.length < 2) return members;
    const start = 1 + Math.floor(this.#random() * (members.length - 1));
    const rotated = [...members.slice(start), ...members.slice(0, start)];
    this.#note("reordered");
    return this.#random() < 0.5 ? rotated : rotated.reverse();
  }

  #array(value: readonly unknown[], schema: Schema, canChangeLength: boolean): unknown[] {
    const { items = anything, minItems = 0, maxItems = Infinity, prefixItems } = schema;
    const varied = value.map((item, index) => this.#within(index, item, items));
    if (!canChangeLength || prefixItems || !this.#isSelected()) return varied;
    const isShort = this.#random() < 0.5;
    if (isShort && varied.length > minItems) {
      this.#note(minItems === 0 ? "emptied" : "shortened");
      return varied.slice(0, minItems);
    }
    return this.#lengthened(varied, items, Math.min(LONG, maxItems));
  }

  #lengthened(items: unknown[], schema: Schema, length: number): unknown[] {
    const repeated = items.length > 0 ? items : samplesOf(schema);
    if (repeated.length === 0 || items.length >= length) return items;
    const growth = JSON.stringify(repeated).length * Math.ceil(length / repeated.length);
    if (!this.#grow(growth)) return items;
    this.#note("lengthened");
    return Array.from({ length }, (_item, index) => repeated[index % repeated.length]);
  }

  #number(value: number, schema: Schema): number {
    if (!this.#isSelected()) return value;
    const bounds = boundsOf(schema).filter((bound) => bound !== value);
    if (bounds.length === 0) return value;
    this.#note("set to a bound");
    return this.#pick(bounds);
  }

  #isSelected(): boolean {
    return this.#random() < this.#share;
  }

  #pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)] as T;
  }

  /** Returns whether the value can grow by this many characters, and counts them. */
  #grow(characters: number): boolean {
    if (characters > this.#room) return false;
    this.#room -= characters;
    return true;
  }

  /** Records a change of the current value, or of one of its members. */
  #note(change: string, ...member: string[]): void {
    this.#count++;
    if (this.#changes.length === MAX_KEPT_ITEMS) return;
    const pointer = [...this.#path, ...member].reduce<string>(join, "");
    this.#changes.push(`${change} ${pointer === "" ? "the body" : pointer}`);
  }
}

const unknownNames = ["addedLater", "newMember", "extension", "metadata"];
const unknownValues = ["a later version", "", 1, -0.5, true, null, [], [{ inner: [1] }], {}, { inner: { deep: null } }];

/**
 * Returns the option of a union that describes the value best: it allows the value, and declares most of its members.
 */
function optionFor(value: unknown, schema: Schema): Schema {
  const options = schema.anyOf ?? schema.oneOf;
  if (!options) return schema;
  const members = isObject(value) ? Object.keys(value) : [];
  const described = (option: Schema) => members.filter((name) => Object.hasOwn(option.properties ?? {}, name)).length;
  const possible = options.filter((option) => {
    const hasType = option.type === undefined || [option.type].flat().some((type) => typesOf(value).includes(type));
    return hasType && (option.required ?? []).every((name) => members.includes(name));
  });
  const [best] = possible.toSorted((a, b) => described(b) - described(a));
  // An unknown option: the value stays as it is.
  return best ? optionFor(value, best) : { const: value };
}

function typesOf(value: unknown): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  return typeof value === "number" ? ["number", Number.isInteger(value) ? "integer" : ""] : [typeof value];
}

/** Returns an item for an empty array; an empty list if the schema requires more than a simple value. */
function samplesOf({ type, enum: values, required = [], minLength, pattern, format, minimum = 0 }: Schema): unknown[] {
  if (values) return values.slice(0, 1);
  if (minLength !== undefined || pattern !== undefined) return [];
  if (type === "string") return format === undefined ? ["later"] : [];
  if (type === "integer" || type === "number") return [minimum];
  if (type === "boolean") return [false];
  return type === "object" && required.length === 0 ? [{}] : [];
}

/** The highest numbers by format; without a format by type. */
const highest: Readonly<Record<string, number>> = {
  int32: 2 ** 31 - 1,
  float: 3.4028234663852886e38,
  integer: Number.MAX_SAFE_INTEGER,
};

/** Returns the lowest and the highest number of the schema; an empty list if it does not describe numbers. */
function boundsOf({ type, format, minimum, maximum, exclusiveMinimum }: Schema): number[] {
  const types = [type ?? []].flat();
  if (!types.includes("integer") && !types.includes("number")) return [];
  const most = highest[format ?? (types.includes("number") ? "number" : "integer")] ?? Number.MAX_VALUE;
  const least = format === "int32" ? -most - 1 : -most;
  return [minimum ?? (exclusiveMinimum === undefined ? least : exclusiveMinimum + 1), maximum ?? most];
}
