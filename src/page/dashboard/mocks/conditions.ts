import { isObject, join, jsonValue, type Schema } from "../../../contract/index.ts";
import { type ApiOperation, flattened, JSON_TYPE } from "../api/document.ts";

/** The members of `when` that have a condition for each of their values, with the words for such a value. */
export const parts: Readonly<Record<string, string>> = {
  path: "path parameter",
  query: "query parameter",
  headers: "header",
  cookies: "cookie",
  body: "body member",
};

/** A condition of a rule, for one value of the request. */
export interface Condition {
  /** The place in the rule; removing it removes the condition. */
  readonly at: At;
  readonly isPattern: boolean;
  readonly value: unknown;
}

/** Returns the conditions of a rule: the values in `when`. */
export function conditionsOf(rule: unknown): Condition[] {
  const when = valueAt(rule, ["when"]);
  return isObject(when) ? Object.entries(when).flatMap(([part, value]) => within(["when", part], value)) : [];
}

/** Each member of an object is a condition of its own. Arrays are compared as a whole, or by `contains`. */
function within(at: At, value: unknown): Condition[] {
  if (isPattern(value)) return [{ at, isPattern: true, value: value.matches }];
  const members = isObject(value) && !isAbsent(value) ? Object.entries(value) : [];
  if (members.length === 0) return [{ at, isPattern: false, value }];
  return members.flatMap(([name, inner]) => within([...at, name], inner));
}

/** Returns the words for the place of a condition, with `*` for any item of an array. */
export function labelOf([, part = "", ...steps]: At): string {
  if (steps.length === 0) return part;
  const name = part === "body" ? pointerOf(steps.map((step) => (step === "contains" ? "*" : step))) : steps.join("/");
  return `${parts[part] ?? part} ${name}`;
}

export function isPattern(value: unknown): value is { readonly matches: string } {
  return isObject(value) && Object.keys(value).length === 1 && typeof value.matches === "string";
}

export function isAbsent(value: unknown): value is { readonly absent: true } {
  return isObject(value) && Object.keys(value).length === 1 && value.absent === true;
}

/**
 * Returns the place of a condition for a parameter, or for a body member by its JSON pointer. `*` is any item of an array,
 * and so is an index: clients rarely promise an order.
 */
export function placeOf(part: string, name: string): At {
  if (part !== "body") return ["when", part, name];
  const segments = name.startsWith("/") ? name.slice(1).split("/") : [name];
  const steps = segments.map((segment) =>
    /^(\d+|\*)$/.test(segment) ? "contains" : segment.replaceAll("~1", "/").replaceAll("~0", "~"),
  );
  return ["when", part, ...steps];
}

/** Returns whether a rule has no condition at a place, around it or within it. */
export function isFree(rule: unknown, place: At): boolean {
  return conditionsOf(rule).every(({ at }) => at.some((step, index) => index < place.length && step !== place[index]));
}

/** The depth of the suggested body members. */
const MAX_DEPTH = 4;

/** Returns what the contract names in the requests of an operation. */
export function placesIn({ path, parameters, requestBody }: ApiOperation): At[] {
  // The first parameter of a path that begins with one is the project.
  const named = parameters.filter((each) => each.in !== "path" || !path.startsWith(`/{${each.name}}/`));
  const places = named.map(({ name, in: place }) =>
    placeOf(place === "header" || place === "cookie" ? `${place}s` : place, name),
  );
  return [...places, ...membersIn(requestBody?.content[JSON_TYPE]?.schema ?? {}, ["when", "body"])];
}

/** Returns the members of a body, some more than once. */
function membersIn(schema: Schema, place: At, depth = 0): At[] {
  const { items, properties = {}, oneOf, anyOf } = flattened(schema);
  if (depth > MAX_DEPTH) return [];
  return [
    ...(oneOf ?? anyOf ?? []).flatMap((option) => membersIn(option, place, depth + 0.5)),
    ...(items ? [[...place, "contains"], ...membersIn(items, [...place, "contains"], depth + 1)] : []),
    ...Object.entries(properties).flatMap(([name, member]) =>
      member.not ? [] : [[...place, name], ...membersIn(member, [...place, name], depth + 1)],
    ),
  ];
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
  return typeof value === "string" && readText(value) === value ? value : JSON.stringify(value);
}

/** Returns the value of a text in a field: JSON if the text is JSON, or the text itself. */
export function readText(text: string): unknown {
  const value = jsonValue(text);
  return value === undefined ? text : value;
}
