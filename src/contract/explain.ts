import { cachedBy } from "./cached.ts";
import { hasFormat } from "./formats.ts";
import { type JsonType, type Schema, variantsOf } from "./json-schema.ts";
import { MAX_OPTIONS, MAX_POINTER_TEXT, MAX_PROBLEMS } from "./limits.ts";
import { didYouMean, unknownName } from "./text/did-you-mean.ts";
import { matchesPattern } from "./text/pattern.ts";
import { counted, isObject, join, shown } from "./text/shown.ts";

/** One violation of a schema. */
export interface Problem {
  /** The location, as a JSON pointer (RFC 6901); empty for the whole value. */
  pointer: string;
  /** The expected and the found value. */
  message: string;
}

/**
 * Returns why a value is invalid: at least one problem, at most `MAX_PROBLEMS`, one for each location. Ajv decides whether
 * a value is invalid. This walk through the schema and the value does not know every keyword.
 */
export function problemsOf(schema: Schema, value: unknown): Problem[] {
  const found = new Map<string, Problem>();
  const walk = new Walk();
  let text = 0;
  for (const problem of walk.problems(schema, value)) {
    text += problem.pointer.length;
    if (walk.options > MAX_OPTIONS || found.size === MAX_PROBLEMS || (found.size > 0 && text > MAX_POINTER_TEXT)) break;
    // A value can violate several keywords. Only the first becomes a problem.
    if (!found.has(problem.pointer)) found.set(problem.pointer, problem);
  }
  const message = `expected a value that matches the contract, found ${shown(value)}`;
  return found.size > 0 ? [...found.values()] : [{ pointer: "", message }];
}

/** Returns whether the schema allows the value, as far as `problemsOf` can tell. Needs no validator. */
export function matches(schema: Schema, value: unknown): boolean {
  return new Walk().problems(schema, value).next().done === true;
}

const partial = new WeakSet<Schema>();

/** Returns the schema, whose values now can lack required members, at all depths, for `problemsOf` and `matches`. */
export function withoutRequired<S extends Schema>(schema: S): S {
  partial.add(schema);
  return schema;
}

class Walk {
  readonly #requires: boolean;
  /** The number of options so far: unions in unions multiply it. After `MAX_OPTIONS`, problems can be wrong. */
  options = 0;

  constructor(requires = true) {
    this.#requires = requires;
  }

  /** Yields the problems of a value, with pointers into it. A caller takes only as many as it needs. */
  *problems(schema: Schema, value: unknown): Generator<Problem, void> {
    if (this.#requires && partial.has(schema)) return yield* new Walk(false).problems(schema, value);
    for (const [keyword, { of, allows, message }] of rulesOf(schema)) {
      const limit = schema[keyword] as never;
      if ((of && !types[of](value)) || allows(value as never, limit)) continue;
      yield { pointer: "", message: message(value, limit, schema) };
      if (keyword === "type") return;
    }
    if (schema.not && this.#allows(schema.not, value))
      yield { pointer: "", message: `is not allowed here${meaningOf(schema)}` };
    const { contains, minContains = 1 } = schema;
    if (contains && Array.isArray(value) && value.filter((item) => this.#allows(contains, item)).length < minContains) {
      const message = `expected at least ${counted(minContains, "item")} that the schema of contains allows, found fewer`;
      yield { pointer: "", message };
    }
    if (isObject(value)) yield* this.#names(schema, value);
    if (schema.anyOf) yield* this.#union(schema.anyOf, schema, value);
    if (schema.oneOf) yield* this.#union(schema.oneOf, schema, value);
    for (const part of schema.allOf ?? []) yield* this.problems(part, value);
    if (typeof value !== "object" || value === null) return;
    for (const name of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[name];
      for (const part of member === undefined ? [] : partsOf(schema, value, name)) {
        for (const { pointer, message } of this.problems(part, member)) {
          yield { pointer: join("", name) + pointer, message };
        }
      }
    }
  }

  #allows(schema: Schema, value: unknown): boolean {
    return this.problems(schema, value).next().done === true;
  }

  /** Yields the names that are missing or not allowed. */
  *#names(schema: Schema, value: Record<string, unknown>): Generator<Problem, void> {
    const { required = [], propertyNames, additionalProperties, properties = {} } = schema;
    const missing = (this.#requires ? required : []).filter(
      (name) => !Object.hasOwn(value, name) || value[name] === undefined,
    );
    for (const name of missing) yield { pointer: join("", name), message: "is required, found nothing" };
    if (!propertyNames && additionalProperties !== false) return;
    for (const name of Object.keys(value)) {
      if (propertyNames && !this.#allows(propertyNames, name)) {
        const { pattern } = propertyNames;
        const expected = pattern === undefined ? "an allowed name" : `a name that matches ${pattern}`;
        yield { pointer: join("", name), message: `expected ${expected}, found ${shown(name)}` };
      }
      if (additionalProperties !== false || partsOf(schema, value, name).length > 0) continue;
      const known = Object.keys(properties).filter((each) => !properties[each]?.not);
      yield { pointer: join("", name), message: unknownName("member", name, known) };
    }
  }

  /** Yields the problems of the option that the tag names, or of the option of the right type with the fewest problems. */
  *#union(options: readonly Schema[], schema: Schema, value: unknown): Generator<Problem, void> {
    if (schema.discriminator && isObject(value)) {
      const { propertyName, mapping } = schema.discriminator;
      const branches = new Map(mapping ? Object.entries(mapping) : options.flatMap(tagged(propertyName)));
      const branch = branches.get(value[propertyName]);
      if (branch) return yield* this.problems(branch, value);
      return yield { pointer: join("", propertyName), message: oneOf([...branches.keys()], value[propertyName]) };
    }
    let valid = 0;
    let best: readonly Problem[] | undefined;
    const fits = (option: Schema) => hasType(option, value);
    for (const option of options.filter((each) => fits(each) && variantsOf(each).some(fits))) {
      if (++this.options > MAX_OPTIONS) return;
      const found = [...this.problems(option, value).take(best?.length ?? MAX_PROBLEMS)];
      if (found.length === 0) valid++;
      else if (!best || found.length < best.length) best = found;
      if (valid > 0 && options === schema.anyOf) return;
    }
    if (valid === 0) yield* best ?? [{ pointer: "", message: `expected ${typesOf(options)}, found ${shown(value)}` }];
    const message = "expected a value of exactly one of the allowed schemas, found one of several";
    if (valid > 1) yield { pointer: "", message };
  }
}

/**
 * Returns the option of a union that allows the value and declares most of its members; undefined if none allows it. A
 * schema without options is its own.
 */
export function optionFor(schema: Schema, value: unknown): Schema | undefined {
  if (!schema.oneOf && !schema.anyOf) return schema;
  const allowing = variantsOf(schema).filter((option) => matches(option, value));
  return likeliest(allowing, value);
}

/** Returns the schema that declares most members of the value. */
export function likeliest(schemas: readonly Schema[], value: unknown): Schema | undefined {
  const names = isObject(value) ? Object.keys(value) : [];
  const declared = ({ properties = {} }: Schema) => names.filter((name) => Object.hasOwn(properties, name)).length;
  return schemas.toSorted((a, b) => declared(b) - declared(a))[0];
}

/** Returns the schemas of a member or an item. */
export function partsOf(schema: Schema, holder: unknown, name: string): Schema[] {
  const { properties = {}, patternProperties, additionalProperties, prefixItems = [], items = {} } = schema;
  if (Array.isArray(holder)) return [prefixItems[Number(name)] ?? items];
  const parts = Object.hasOwn(properties, name) ? [properties[name] ?? {}] : [];
  for (const [pattern, part] of patternProperties ? Object.entries(patternProperties) : []) {
    if (matchesPattern(pattern, name)) parts.push(part);
  }
  return parts.length > 0 || typeof additionalProperties !== "object" ? parts : [additionalProperties];
}

const types: Readonly<Record<JsonType, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  number: Number.isFinite,
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
};

/** A keyword that judges a value without other schemas. */
interface Rule<Limit> {
  /** The type of the values that the keyword judges; by default, all. */
  readonly of?: JsonType;
  readonly allows: (value: never, limit: Limit) => boolean;
  readonly message: (value: unknown, limit: Limit, schema: Schema) => string;
}

const rules = Object.entries({
  type: {
    allows: (value, type) => hasType({ type }, value),
    message: (value, type) => `expected ${[type].flat().join(" or ")}, found ${shown(value)}`,
  },
  maximum: number((value, limit) => value <= limit, "at most"),
  minimum: number((value, limit) => value >= limit, "at least"),
  exclusiveMaximum: number((value, limit) => value < limit, "less than"),
  exclusiveMinimum: number((value, limit) => value > limit, "more than"),
  // Ajv accepts a quotient if `parseInt` does not change it.
  multipleOf: number((value, limit) => Number.parseInt(String(value / limit), 10) === value / limit, "a multiple of"),
  maxLength: size("string", "most"),
  minLength: size("string", "least"),
  pattern: { of: "string", allows: (text, pattern) => matchesPattern(pattern, text), message: patternMessage },
  format: {
    allows: (value, format) => hasFormat(value, format),
    message: (value, format) => `expected ${formatNames[format] ?? `a ${format}`}, found ${shown(value)}`,
  },
  const: {
    allows: (value, expected) => contentOf(value) === contentOf(expected),
    message: (value, expected) => `expected ${JSON.stringify(expected)}, found ${shown(value)}`,
  },
  enum: {
    allows: (value, allowed) => new Set(allowed.map(contentOf)).has(contentOf(value)),
    message: (value, allowed) => oneOf(allowed, value),
  },
  maxItems: size("array", "most"),
  minItems: size("array", "least"),
  uniqueItems: {
    of: "array",
    allows: (items: readonly unknown[], isUnique) => !isUnique || new Set(items.map(contentOf)).size === items.length,
    message: () => "expected different items, found equal ones",
  },
  maxProperties: size("object", "most"),
  minProperties: size("object", "least"),
} satisfies { readonly [Keyword in keyof Schema]?: Rule<NonNullable<Schema[Keyword]>> }) as [
  keyof Schema,
  Rule<unknown>,
][];

const rulesOf = cachedBy((schema: Schema) => rules.filter(([keyword]) => schema[keyword] !== undefined));

function number(allows: (value: number, limit: number) => boolean, words: string): Rule<number> {
  return { of: "number", allows, message: (value, limit) => `expected ${words} ${limit}, found ${shown(value)}` };
}

function size(of: "string" | "array" | "object", bound: "most" | "least"): Rule<number> {
  const allows = (value: unknown, limit: number) =>
    bound === "most" ? sizeOf(value) <= limit : sizeOf(value) >= limit;
  return {
    of,
    allows,
    message: (value, ...limit) => `expected at ${bound} ${limitOf(of, ...limit)}, found ${sizeOf(value) || "none"}`,
  };
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return lengthOf(value);
  return Array.isArray(value) ? value.length : Object.keys(value as object).length;
}

/** Returns the length of a text in code points, as JSON Schema counts it. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _character of text) length++;
  return length;
}

const units = { string: "character", array: "item", object: "member" } as const;

/** Returns a limit with its unit. For an object without other members, lists the member names. */
function limitOf(of: keyof typeof units, limit: number, { properties, additionalProperties }: Schema): string {
  if (of !== "object" || !properties || additionalProperties !== false) return counted(limit, units[of]);
  return `${limit} of ${Object.keys(properties).join(", ")}`;
}

/** Returns a text that is the same for equal values. The order of members does not matter. */
export function contentOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_name, part) => {
    return isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part;
  });
}

const formatNames: Readonly<Record<string, string>> = {
  "date-time": 'a date-time (RFC 3339, such as "2024-05-17T09:30:00.000Z")',
  int32: "a 32-bit integer (-2147483648 to 2147483647)",
  "path-segment": 'a text other than "." and "..", of whole Unicode characters',
};

function patternMessage(value: unknown, pattern: string, schema: Schema): string {
  const isNumber = [schema.type].flat().some((each) => each === "integer" || each === "number");
  const number = isNumber ? Number(value) : Number.NaN;
  const hint = String(number) === value ? `. Did you mean the number ${number}?` : meaningOf(schema);
  return `expected text that matches ${pattern}, found ${shown(value)}${hint}`;
}

function meaningOf({ description }: Schema): string {
  return description === undefined ? "" : `. ${description}`;
}

/** Returns a function that returns an option by each tag that it accepts. */
function tagged(propertyName: string) {
  return (option: Schema): [unknown, Schema][] => {
    const { const: tag, enum: tags = [tag] } = option.properties?.[propertyName] ?? {};
    return tags.map((each) => [each, option]);
  };
}

export function hasType({ type }: Schema, value: unknown): boolean {
  if (type === undefined) return true;
  return typeof type === "string" ? types[type](value) : type.some((each) => types[each](value));
}

function typesOf(options: readonly Schema[]): string {
  const names = new Set(options.flatMap(variantsOf).flatMap(({ type }) => type ?? []));
  return [...names].join(" or ") || "a value that matches one of the allowed schemas";
}

function oneOf(values: readonly unknown[], found: unknown): string {
  const expected = `expected one of ${values.map((value) => JSON.stringify(value)).join(", ")}, found ${shown(found)}`;
  if (typeof found !== "string") return expected;
  const texts = values.filter((value) => typeof value === "string");
  return expected + didYouMean(found, texts).replace(/^ /, ". ");
}
