import { isObject, join, jsonValue, type Schema } from "../../../contract/index.ts";
import { type ApiOperation, JSON_TYPE } from "../api/document.ts";

/** The kinds of conditions: the label in the form, the words in a sentence, and the place in a rule. */
export const kinds = {
  parameter: { label: "Path parameter", words: "", at: ["when", "path"] },
  query: { label: "Query parameter", words: "query ", at: ["when", "query"] },
  header: { label: "Header", words: "header ", at: ["when", "headers"] },
  cookie: { label: "Cookie", words: "cookie ", at: ["when", "cookies"] },
  body: { label: "Body member", words: "body ", at: ["when", "body"] },
  path: { label: "Path", words: "path", at: ["when", "path"] },
  method: { label: "Method", words: "method", at: ["when", "method"] },
} as const;
export type Kind = keyof typeof kinds;

/** Returns whether conditions of this kind have a name; that of the whole body is empty. */
export function isNamed(kind: Kind): boolean {
  return kind !== "path" && kind !== "method";
}

/** A condition of a rule, for one value of the request. */
export interface Condition {
  readonly kind: Kind;
  /** The name of the parameter or header, or the place of the body member; see `shownPlace`. Empty for path and method. */
  readonly name: string;
  /** The place in the rule; removing it removes the condition. */
  readonly at: At;
  readonly isPattern: boolean;
  readonly value: unknown;
}

/** Returns the conditions of a rule. Leaves out members of `when` that are not as the schema says. */
export function conditionsOf(rule: unknown): Condition[] {
  const when = valueAt(rule, ["when"]);
  if (!isObject(when)) return [];
  const { method, path, body } = when;
  const { matches, ...parameters } = isObject(path) ? path : {};
  // Beside path parameters, the place of the pattern is its own.
  const isBeside = Object.keys(parameters).length > 0;
  const at = isBeside ? [...kinds.path.at, "matches"] : kinds.path.at;
  const whole = typeof path === "string" ? path : matches === undefined ? undefined : { matches };
  return [
    ...(typeof method === "string" ? [condition("method", "", kinds.method.at, method)] : []),
    ...(whole === undefined ? [] : [condition("path", "", at, whole)]),
    ...texts("parameter", parameters),
    ...(["query", "header", "cookie"] as const).flatMap((kind) => texts(kind, valueAt(rule, kinds[kind].at))),
    ...(Object.hasOwn(when, "body") ? bodyConditions(kinds.body.at, body) : []),
  ];
}

function condition(kind: Kind, name: string, at: At, value: unknown): Condition {
  return isPattern(value)
    ? { kind, name, at, isPattern: true, value: value.matches }
    : { kind, name, at, isPattern: false, value };
}

function texts(kind: Kind, values: unknown): Condition[] {
  if (!isObject(values)) return [];
  return Object.entries(values).flatMap(([name, value]) =>
    isPattern(value) || isAbsent(value) || Array.isArray(value) || (typeof value !== "object" && value !== undefined)
      ? [condition(kind, name, [...kinds[kind].at, name], value)]
      : [],
  );
}

/** Each member of an object is a condition of its own. Arrays are compared as a whole, or by `contains`. */
function bodyConditions(at: At, value: unknown): Condition[] {
  if (isPattern(value) || isAbsent(value) || !isObject(value) || Object.keys(value).length === 0)
    return [condition("body", shownPlace(at.slice(2)), at, value)];
  return Object.entries(value).flatMap(([member, inner]) => bodyConditions([...at, member], inner));
}

/** Returns the pointer of a body member, with `*` for any item of an array. */
function shownPlace(at: At): string {
  return pointerOf(at.map((step) => (step === "contains" ? "*" : step)));
}

export function isPattern(value: unknown): value is { readonly matches: string } {
  return isObject(value) && Object.keys(value).length === 1 && typeof value.matches === "string";
}

export function isAbsent(value: unknown): value is { readonly absent: true } {
  return isObject(value) && Object.keys(value).length === 1 && value.absent === true;
}

/** Returns the place of a new condition in a rule, or the reason why the rule cannot have it. */
export function placeOf(rule: unknown, kind: Kind, name: string): { readonly at: At } | { readonly reason: string } {
  const at = [...kinds[kind].at, ...(kind === "body" ? stepsOf(name) : isNamed(kind) ? [name] : [])];
  if (name === "" && isNamed(kind) && kind !== "body") return { reason: "Enter a name." };
  if (valueAt(rule, at) !== undefined) return { reason: "The rule has this condition." };
  const around = at.slice(1, -1).map((_, index) => valueAt(rule, at.slice(0, index + 2)));
  const isBlocked = around.some(
    (parent) => parent !== undefined && (!isObject(parent) || isPattern(parent) || isAbsent(parent)),
  );
  return isBlocked ? { reason: "The rule has a condition for the value around it." } : { at };
}

/**
 * Returns the steps of a JSON pointer; a name without a slash is a member. `*` is any item of an array, and so is an index:
 * clients rarely promise an order.
 */
function stepsOf(pointer: string): string[] {
  if (pointer === "") return [];
  const segments = pointer.startsWith("/") ? pointer.slice(1).split("/") : [pointer];
  return segments.map((segment) =>
    /^(\d+|\*)$/.test(segment) ? "contains" : segment.replaceAll("~1", "/").replaceAll("~0", "~"),
  );
}

/** Returns the rule with another value or pattern for a condition. */
export function withCondition(rule: unknown, { at }: Condition, value: unknown, asPattern: boolean): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (at.at(-1) === "matches" && at.length === 3) return withValue(rule, at, text);
  return withValue(rule, at, asPattern ? { matches: text } : value);
}

/** The depth of the suggested body members. */
const MAX_DEPTH = 4;

/** Returns the pointers of the members that the body of an operation can have, each with its fixed values. */
export function bodyMembers({ requestBody }: Pick<ApiOperation, "requestBody">): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  collect(requestBody?.content[JSON_TYPE]?.schema ?? {}, "", found, 0);
  return found;
}

function collect(schema: Schema, place: string, found: Map<string, readonly string[]>, depth: number): void {
  if (place !== "") found.set(place, [...(found.get(place) ?? []), ...(schema.enum ?? []).map(String)]);
  if (depth > MAX_DEPTH) return;
  for (const option of schema.oneOf ?? schema.anyOf ?? []) collect(option, place, found, depth);
  if (schema.items) collect(schema.items, `${place}/*`, found, depth + 1);
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (!member.not) collect(member, pointerOf([...place.split("/").slice(1), name]), found, depth + 1);
  }
}

/** The path of a value within a rule: names of members. */
export type At = readonly string[];

/** Returns the JSON pointer of a path. */
export function pointerOf(at: At): string {
  return at.reduce(join, "");
}

export function valueAt(value: unknown, at: At): unknown {
  return at.reduce(
    (within, step) => (isObject(within) && Object.hasOwn(within, step) ? within[step] : undefined),
    value,
  );
}

/**
 * Returns the JSON value with another value at a path. Missing objects on the way are added. `undefined` removes: objects
 * on the way that would be empty are removed too, and a rule without members is undefined.
 */
export function withValue(value: unknown, at: At, next: unknown): unknown {
  const [step, ...rest] = at;
  if (step === undefined) return next;
  const inner = withValue(valueAt(value, [step]), rest, next);
  const members = isObject(value) ? value : {};
  if (inner !== undefined) return { ...members, [step]: inner };
  const others = Object.entries(members).filter(([name]) => name !== step);
  return others.length > 0 ? Object.fromEntries(others) : undefined;
}

/** Returns the text of a value for a field: a string as it is, unless it would be read as another value; else JSON. */
export function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" && readText(value) === value ? value : JSON.stringify(value);
}

/** Returns the value of a text in a field: JSON if the text is JSON, or the text itself. */
export function readText(text: string): unknown {
  const value = jsonValue(text);
  return value === undefined ? text : value;
}
