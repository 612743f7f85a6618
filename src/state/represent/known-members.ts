import { isObject, matches, minimalLeaf, type ResourceType, type Schema } from "../../contract/index.ts";
import { idParts } from "./item-id.ts";
import { plainName, withPart } from "./parts.ts";

/* Members that the mock sets in each item by their names, although the contract does not require them. */

/** What the known members of a new item say. */
export interface KnownFacts {
  /** RFC 3339. */
  readonly now: string;
  /** The number of the item in its collection. */
  readonly number: number;
  /** Returns a UUID for this member, which no other item has. */
  uuid(member: string): string;
}

type Rule = (schema: Schema, facts: KnownFacts, sample: unknown, name: string) => unknown;

const identity: Rule = (schema, { number, uuid }, sample, name) => newValue(schema, number, () => uuid(name), sample);

/** The rules by the plain names of members: for new items, only for required members of new items, or for each change. */
const rules: readonly { readonly names: RegExp; readonly value: Rule; readonly at: "new" | "required" | "change" }[] = [
  { names: /^(id|uuid|guid|uid|nodeid|number)$/, value: identity, at: "new" },
  { names: /^(key|slug|code|handle|sku)$/, value: identity, at: "required" },
  {
    names: /^(date|time)?(created|inserted|(create|creation)(?=.))(at|on|date|time|timestamp)?$/,
    value: timeIn,
    at: "new",
  },
  {
    names: /^(date|time)?(last)?(updated|modified|update(?=.))(at|on|date|time|timestamp)?$/,
    value: timeIn,
    at: "change",
  },
];

const ruleFor = (name: string) => rules.find(({ names }) => names.test(plainName(name)));

/** Returns whether a member stays when an item is replaced: its identity, the time of its creation, and constants. */
export function isLasting(name: string, schema: Schema): boolean {
  return constantOf(schema) !== undefined || ruleFor(name)?.at === "new";
}

/** Returns whether members of this name identify an item: an id is not a name that a client can change. */
export function isIdName(name: string): boolean {
  return /(^|_)(id|uuid|guid|uid|number)$|[a-z](Id|Uuid|UUID|ID)$/.test(name) || plainName(name) === "nodeid";
}

/** Returns the content of a new item with its known members, constants and defaults. The members that it has stay. */
export function withKnown(schema: Schema, content: object, facts: KnownFacts, sample: unknown): object {
  const { properties = {}, required = [] } = schema;
  const result: Record<string, unknown> = { ...content };
  const samples = isObject(sample) ? sample : {};
  for (const [name, part] of Object.entries(properties)) {
    const held = Object.hasOwn(result, name) ? result[name] : undefined;
    if (/^meta(data)?$/.test(name) && part.properties && (held === undefined || isObject(held))) {
      const inner = withKnown({ ...part, required: [] }, held ?? {}, facts, samples[name]);
      if (held !== undefined || required.includes(name) || Object.keys(inner).length > 0) result[name] = inner;
    } else if (held === undefined) {
      const rule = ruleFor(name);
      const applies = rule && (rule.at !== "required" || required.includes(name));
      const value = constantOf(part) ?? (applies ? rule.value(part, facts, samples[name], name) : part.default);
      if (value !== undefined && matches(part, value)) result[name] = value;
    }
  }
  return result;
}

/** Returns generated content without its id, times and other members that are new in each item. */
export function withoutKnown(type: ResourceType, content: unknown): unknown {
  if (!isObject(content)) return content;
  const others = Object.entries(content).filter(([name]) => (ruleFor(name)?.at ?? "required") === "required");
  const parts = idParts(type).flatMap(({ member }) => (member ? [member] : []));
  return parts.reduce((result: unknown, path) => withPart(result, path, undefined), Object.fromEntries(others));
}

/** Returns the content with the time of a change, in the members that have it. */
export function withTimeOfChange(schema: Schema, content: object, now: string, before: unknown): object {
  const result: Record<string, unknown> = { ...content };
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    if (ruleFor(name)?.at !== "change") continue;
    const held = isObject(before) ? before[name] : undefined;
    const value = timeIn(part, { now }, held);
    // A client can set the time itself.
    if (value !== undefined && matches(part, value) && (result[name] ?? held) === held) result[name] = value;
  }
  return result;
}

function constantOf(schema: Schema): unknown {
  return schema.const ?? (schema.enum?.length === 1 ? schema.enum[0] : undefined);
}

const typesOf = ({ type, anyOf = [], oneOf = anyOf }: Schema): readonly unknown[] =>
  type === undefined ? oneOf.flatMap(typesOf) : [type].flat();

/** Returns the time as the schema has it: a date-time, a date, seconds, milliseconds, or the form of the sample. */
function timeIn(schema: Schema, { now }: Pick<KnownFacts, "now">, sample: unknown): unknown {
  const types = typesOf(schema);
  const [example = schema.examples?.[0]] = [sample];
  const instant = Date.parse(now);
  if (types.includes("string")) {
    const text = typeof example === "string" ? example : "";
    if (schema.format === "date" || (!schema.format && /^\d{4}-\d\d-\d\d$/.test(text))) return now.slice(0, 10);
    return !schema.format && /^\w{3}, \d/.test(text) ? new Date(instant).toUTCString() : now;
  }
  if (!types.includes("integer") && !types.includes("number")) return undefined;
  const isMilliseconds =
    /ms|milli/.test(schema.format ?? "") || Math.max(schema.maximum ?? 0, Number(example) || 0) > 1e11;
  return isMilliseconds ? instant : Math.floor(instant / 1000);
}

/**
 * Returns a value for the member that identifies the item with this number: the number, a UUID, or else a short text that
 * the schema allows. Undefined if it allows none. Different numbers have different values, as far as the schema allows.
 */
export function newValue(schema: Schema, number: number, uuidOf: () => string, sample?: unknown): unknown {
  const types = typesOf(schema);
  if (types.length > 0 && !types.includes("string")) {
    const integer = number + Math.max(0, Math.ceil(schema.minimum ?? 1) - 1);
    return matches(schema, integer) ? integer : undefined;
  }
  const uuid = uuidOf();
  const hex = uuid.replaceAll("-", "");
  const { enum: choices = [], minLength = 0, maxLength = 0 } = schema;
  const samples = [sample, schema.examples?.[0], minimalLeaf(schema, "string")];
  const candidates = [
    uuid,
    hex,
    choices[(number - 1) % choices.length],
    maxLength > 3 ? varied(hex.slice(0, maxLength), number) : undefined,
    String(number).padStart(minLength, "0"),
    ...samples.map((each) => (typeof each === "string" ? varied(each, number) : undefined)),
  ];
  return candidates.find((each) => each !== undefined && matches(schema, each));
}

const alphabets = ["0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** Returns another text of the same form, by counting in its letters and digits: `cus_a9` with 1 is `cus_b0`. */
function varied(text: string, by: number): string {
  let carry = by;
  const characters = [...text].reverse().map((character) => {
    const alphabet = alphabets.find((each) => each.includes(character));
    if (!alphabet || carry === 0) return character;
    const place = alphabet.indexOf(character) + carry;
    carry = Math.floor(place / alphabet.length);
    return alphabet[place % alphabet.length];
  });
  return characters.reverse().join("");
}
