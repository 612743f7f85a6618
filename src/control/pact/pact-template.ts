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
  readonly value: unknown;
  readonly rules: Record<string, PactRule>;
  readonly shape: unknown;
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
  const found = merged([body], schema, { path: "$", rules, isRequiredOnly: false });
  return { value: found?.value, rules, shape: found?.shape };
}

/** Returns the template of a request body: the body as sent, as a verifier sends it to the provider. */
export function requestTemplate(body: unknown, schema: Schema | undefined): Template {
  const rules: Record<string, PactRule> = {};
  const visit = (value: unknown, part: Schema | undefined, path: string): [value: unknown, shape: unknown] => {
    const chosen = optionFor(value, part);
    if (Array.isArray(value)) {
      rules[path] = rule({ match: "type" });
      const items = value.map((item, index) => visit(item, chosen?.items, `${path}[${index}]`));
      const shapes = new Set(items.map(([, shape]) => JSON.stringify(shape)));
      return [items.map(([item]) => item), [...shapes].sort()];
    }
    if (!isObject(value)) return scalar(value, chosen, path, rules);
    const members = Object.entries(value).map(([name, member]) => {
      if (!hasPath(name)) return [name, [member, typeOf(member)]] as const;
      return [name, visit(member, memberSchema(chosen, name), memberPath(path, name))] as const;
    });
    return [
      Object.fromEntries(members.map(([name, [member]]) => [name, member])),
      sortedObject(members.map(([name, [, shape]]) => [name, shape])),
    ];
  };
  const [value, shape] = visit(body, schema, "$");
  return { value, rules, shape };
}

interface MergedPart {
  readonly value: unknown;
  readonly shape: unknown;
}

interface Place {
  readonly path: string;
  readonly rules: Record<string, PactRule>;
  /** Whether only required members are part of the template. */
  readonly isRequiredOnly: boolean;
}

/** Returns what these values have in common; undefined if their types differ. Adds the matchers of the result. */
function merged(values: readonly unknown[], schema: Schema | undefined, place: Place): MergedPart | undefined {
  const { path, rules } = place;
  const [first] = values;
  const chosen = optionFor(first, schema);
  if (values.every(Array.isArray)) {
    const items = values.flat();
    const least = values.some(({ length }) => length === 0) ? 0 : 1;
    rules[path] = rule({ match: "type", ...(least > 0 && { min: least }) });
    const item = items.length > 0 ? merged(items, chosen?.items, { ...place, path: `${path}[*]` }) : undefined;
    return { value: item ? [item.value] : [], shape: [least, ...(item ? [item.shape] : [])] };
  }
  if (values.every(isObject)) {
    const names = place.isRequiredOnly && chosen?.properties ? (chosen.required ?? []) : Object.keys(first as object);
    const shared = names.filter((name) => hasPath(name) && values.every((each) => Object.hasOwn(each, name)));
    // An example without members would otherwise allow only objects without members.
    if (shared.length === 0) rules[path] = rule({ match: "type" });
    const members = shared.flatMap((name) => {
      const part = merged(
        values.map((each) => each[name]),
        memberSchema(chosen, name),
        {
          rules,
          path: memberPath(path, name),
          isRequiredOnly: place.isRequiredOnly || (chosen === PagedQueryResult && name === "results"),
        },
      );
      return part ? [[name, part] as const] : [];
    });
    return {
      value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
      shape: sortedObject(members.map(([name, { shape }]) => [name, shape])),
    };
  }
  if (values.some((each) => typeOf(each) !== typeOf(first))) return undefined;
  const [value, shape] = scalar(first, chosen, path, rules);
  const isEqual = rules[path]?.matchers[0]?.match === "equality";
  if (isEqual && values.some((each) => each !== first)) {
    rules[path] = rule({ match: "type" });
    return { value, shape: typeOf(first) };
  }
  return { value, shape };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Adds the matcher of a value without members. Returns the example and the shape. */
function scalar(
  value: unknown,
  schema: Schema | undefined,
  path: string,
  rules: Record<string, PactRule>,
): [value: unknown, shape: unknown] {
  const add = (matcher: PactMatcher, example: unknown, shape: unknown): [unknown, unknown] => {
    rules[path] = rule(matcher);
    return [example, shape];
  };
  // Fixed values have a meaning: error codes, names of actions.
  if (schema?.const !== undefined || schema?.enum) return add({ match: "equality" }, value, { is: value });
  if (value === null) return add({ match: "null" }, value, "null");
  if (typeof value === "boolean") return add({ match: "boolean" }, value, "boolean");
  if (typeof value === "number") {
    return schema?.type === "integer"
      ? add({ match: "integer" }, value, "integer")
      : add({ match: "number" }, value, "number");
  }
  if (typeof value === "string" && dateTime.test(value)) {
    return add({ match: "regex", regex: dateTime.source }, value, "date-time");
  }
  return add({ match: "type" }, value, "string");
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

/** Returns the path of a member, as the Pact specification writes it. */
function memberPath(path: string, name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? `${path}.${name}` : `${path}['${name}']`;
}

function sortedObject(members: readonly (readonly [name: string, value: unknown])[]): object {
  return Object.fromEntries([...members].sort(([a], [b]) => (a < b ? -1 : 1)));
}
