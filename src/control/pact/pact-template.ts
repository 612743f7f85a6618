import { isObject, PagedQueryResult, type Schema } from "../../contract/index.ts";

/** A matcher of the Pact specification 4, such as `{ match: "integer" }`. */
export interface PactMatcher {
  readonly match: "type" | "integer" | "number" | "boolean" | "null" | "regex" | "equality";
  readonly min?: number;
  readonly regex?: string;
}

/** The matchers of one location. */
export interface PactRule {
  readonly combine: "AND";
  readonly matchers: readonly PactMatcher[];
}

/** The example of a body, its matchers by JSON path, and its shape: names and types, without values. */
export interface Template {
  readonly value?: unknown;
  readonly rules: Record<string, PactRule>;
  readonly shape?: unknown;
}

const EXAMPLE_TIME = "2025-01-01T12:00:00.000Z";
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Returns a JSON value with an example in place of each date-time (RFC 3339), so that the same requests on another day
 * create the same file. Verifiers reject a file with half of a surrogate pair, and so U+FFFD replaces it.
 */
export function exampleOf(value: unknown): unknown {
  if (typeof value === "string") return dateTime.test(value) ? EXAMPLE_TIME : value.toWellFormed();
  if (Array.isArray(value)) return value.map(exampleOf);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toWellFormed(), exampleOf(member)]));
}

export function rule(...matchers: readonly PactMatcher[]): PactRule {
  return { combine: "AND", matchers };
}

/**
 * Returns the template of a response body. An array keeps one item, with the members that all its items have. Members that
 * no path can name are left out. The results of a page keep only the members that the contract requires, as the provider has other resources too. The types of the
 * contract decide the matchers, and the types of the values those of unknown members.
 */
export function responseTemplate(body: unknown, schema: Schema | undefined): Template {
  const rules: Record<string, PactRule> = {};
  return { ...partOf([body], schema, { path: "$", rules, keeps: "shared" }), rules };
}

/** Returns the template of a request body: the body as sent, as a verifier sends it to the provider. */
export function requestTemplate(body: unknown, schema: Schema | undefined): Template {
  const rules: Record<string, PactRule> = {};
  return { ...partOf([body], schema, { path: "$", rules, keeps: "all" }), rules };
}

interface Place {
  readonly path: string;
  readonly rules: Record<string, PactRule>;
  /** The members and items that are part of the template: all, those that all values have, or of these the required ones. */
  readonly keeps: "all" | "shared" | "required";
}

type Part = Partial<Pick<Template, "value" | "shape">>;

/** Returns what these values have in common; empty if their types differ. Adds the matchers of the result. */
function partOf(values: readonly unknown[], schema: Schema | undefined, place: Place): Part {
  const { path, rules, keeps } = place;
  const [first] = values;
  const chosen = optionFor(first, schema);
  if (values.every(Array.isArray)) {
    const items = values.flat();
    const least = keeps === "all" || values.some(({ length }) => length === 0) ? 0 : 1;
    rules[path] = rule({ match: "type", ...(least > 0 && { min: least }) });
    const parts =
      keeps === "all"
        ? items.map((item, index) => partOf([item], chosen?.items, { ...place, path: `${path}[${index}]` }))
        : items.length > 0
          ? [partOf(items, chosen?.items, { ...place, path: `${path}[*]` })]
          : [];
    const found = parts.filter(({ shape }) => shape !== undefined);
    const shapes = new Set(found.map(({ shape }) => JSON.stringify(shape)));
    return { value: found.map(({ value }) => value), shape: [least, ...[...shapes].sort()] };
  }
  if (values.every(isObject)) {
    const names = keeps === "required" && chosen?.properties ? (chosen.required ?? []) : Object.keys(first as object);
    const shared = names.filter((name) => values.every((each) => Object.hasOwn(each, name)));
    const members = shared.flatMap((name): [string, Part][] => {
      const [member] = values.map((each) => each[name]);
      if (!hasPath(name)) return keeps === "all" ? [[name, { value: member, shape: typeOf(member) }]] : [];
      const part = partOf(
        values.map((each) => each[name]),
        memberSchema(chosen, name),
        {
          rules,
          path: memberPath(path, name),
          keeps: keeps === "shared" && chosen === PagedQueryResult && name === "results" ? "required" : keeps,
        },
      );
      return part.shape === undefined ? [] : [[name, part]];
    });
    // An example without members would otherwise allow only objects without members.
    if (members.length === 0) rules[path] = rule({ match: "type" });
    return {
      value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
      shape: sortedObject(members.map(([name, { shape }]) => [name, shape])),
    };
  }
  if (values.some((each) => typeOf(each) !== typeOf(first))) return {};
  const { matcher, shape } = scalarMatcher(first, chosen);
  const isFixed = matcher.match !== "equality" || values.every((each) => each === first);
  rules[path] = rule(isFixed ? matcher : { match: "type" });
  return { value: first, shape: isFixed ? shape : typeOf(first) };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Returns the matcher of a value without members, and its shape. */
function scalarMatcher(value: unknown, schema?: Schema): { readonly matcher: PactMatcher; readonly shape: unknown } {
  // Fixed values have a meaning: error codes, names of actions.
  if (schema?.const !== undefined || schema?.enum) return { matcher: { match: "equality" }, shape: { is: value } };
  if (typeof value === "string" && dateTime.test(value)) {
    return { matcher: { match: "regex", regex: dateTime.source }, shape: "date-time" };
  }
  if (typeof value === "string") return { matcher: { match: "type" }, shape: "string" };
  const match = typeof value === "number" && schema?.type === "integer" ? "integer" : typeOf(value);
  return { matcher: { match: match as PactMatcher["match"] }, shape: match };
}

/** Returns the schema that the value was most likely written for, of a schema with several options. */
function optionFor(value: unknown, schema: Schema | undefined): Schema | undefined {
  const options = schema?.oneOf ?? schema?.anyOf;
  if (!options || !isObject(value)) return schema;
  const score = ({ properties = {} }: Schema) =>
    Object.entries(value).reduce((sum, [name, member]) => {
      if (!Object.hasOwn(properties, name)) return sum;
      const { const: constant } = properties[name] ?? {};
      return constant === undefined ? sum + 1 : sum + (constant === member ? 100 : -100);
    }, 0);
  return options.reduce((best, option) => (score(option) > score(best) ? option : best));
}

function memberSchema(schema: Schema | undefined, name: string): Schema | undefined {
  const { properties = {}, additionalProperties } = schema ?? {};
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/**
 * Returns whether a path can name the member. Quoted names have no escapes: verifiers reject a file with an empty name or
 * one with a quote in a path.
 */
function hasPath(name: string): boolean {
  return name !== "" && !name.includes("'");
}

function memberPath(path: string, name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? `${path}.${name}` : `${path}['${name}']`;
}

function sortedObject(members: readonly (readonly [name: string, value: unknown])[]): object {
  return Object.fromEntries([...members].sort(([a], [b]) => (a < b ? -1 : 1)));
}
