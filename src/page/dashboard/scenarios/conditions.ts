import { isObject } from "../../../contract/index.ts";
import { type At, pointerOf, valueAt, without, withValue } from "./edit.ts";

/** The part of a request that a condition tests. */
export const kinds = ["parameter", "query", "header", "body", "path", "method"] as const;
export type Kind = (typeof kinds)[number];

/** A condition of a rule, for one value of the request. */
export interface Condition {
  readonly kind: Kind;
  /** The name of the parameter or header, or the JSON pointer of the body member. Empty for path and method. */
  readonly name: string;
  /** The place in the rule; removing it removes the condition. */
  readonly at: At;
  /** The place of the expected value, or of the pattern. */
  readonly valueAt: At;
  readonly isPattern: boolean;
  readonly value: unknown;
}

/** Returns the conditions of a rule. Leaves out members of `when` that are not as the schema says. */
export function conditionsOf(rule: unknown): Condition[] {
  const when = valueAt(rule, ["when"]);
  if (!isObject(when)) return [];
  const { method, path, query, headers, body } = when;
  return [
    ...(typeof method === "string" ? [exact("method", "", ["when", "method"], method)] : []),
    ...pathConditions(path),
    ...texts("query", ["when", "query"], query),
    ...texts("header", ["when", "headers"], headers),
    ...(Object.hasOwn(when, "body") ? bodyConditions(["when", "body"], body, "") : []),
  ];
}

function exact(kind: Kind, name: string, at: At, value: unknown): Condition {
  return { kind, name, at, valueAt: at, isPattern: false, value };
}

function pathConditions(path: unknown): Condition[] {
  const at = ["when", "path"];
  if (typeof path === "string") return [exact("path", "", at, path)];
  if (!isObject(path)) return [];
  const { matches, ...parameters } = path;
  const place = [...at, "matches"];
  return [
    ...(typeof matches === "string"
      ? [{ kind: "path", name: "", at: place, valueAt: place, isPattern: true, value: matches } as const]
      : []),
    ...texts("parameter", at, parameters),
  ];
}

function texts(kind: Kind, at: At, values: unknown): Condition[] {
  if (!isObject(values)) return [];
  return Object.entries(values).flatMap(([name, value]) => {
    if (isPattern(value)) return [pattern(kind, name, [...at, name], value.matches)];
    return isObject(value) || Array.isArray(value) || value === null ? [] : [exact(kind, name, [...at, name], value)];
  });
}

function pattern(kind: Kind, name: string, at: At, matches: string): Condition {
  return { kind, name, at, valueAt: [...at, "matches"], isPattern: true, value: matches };
}

/** Each member of an object is a condition of its own. Arrays are compared as a whole. */
function bodyConditions(at: At, value: unknown, name: string): Condition[] {
  if (isPattern(value)) return [pattern("body", name, at, value.matches)];
  if (!isObject(value) || Object.keys(value).length === 0) return [exact("body", name, at, value)];
  return Object.entries(value).flatMap(([member, inner]) =>
    bodyConditions([...at, member], inner, pointerOf([...at.slice(2), member])),
  );
}

function isPattern(value: unknown): value is { readonly matches: string } {
  return isObject(value) && Object.keys(value).length === 1 && typeof value.matches === "string";
}

/** Returns the place of a new condition in a rule, or the reason why the rule cannot have it. */
export function placeOf(rule: unknown, kind: Kind, name: string): { readonly at: At } | { readonly reason: string } {
  const path = valueAt(rule, ["when", "path"]);
  const places: Record<Kind, At> = {
    method: ["when", "method"],
    path: ["when", "path"],
    parameter: ["when", "path", name],
    query: ["when", "query", name],
    header: ["when", "headers", name],
    body: ["when", "body", ...segmentsOf(name)],
  };
  const at = places[kind];
  if (name === "" && kind !== "method" && kind !== "path" && kind !== "body") return { reason: "Enter a name." };
  if (valueAt(rule, at) !== undefined) return { reason: "The rule has this condition." };
  if (kind === "parameter" && typeof path === "string")
    return { reason: "The rule has a condition for the whole path." };
  const parents = at.slice(2, -1).map((_, index) => valueAt(rule, at.slice(0, index + 3)));
  const root = kind === "body" && at.length > 2 ? [valueAt(rule, ["when", "body"])] : [];
  const isBlocked = [...root, ...parents].some(
    (parent) => parent !== undefined && (!isObject(parent) || isPattern(parent)),
  );
  return isBlocked ? { reason: "The rule has a condition for the value around it." } : { at };
}

/**
 * Returns the steps of a JSON pointer; a name without a slash is a member. For an index, a condition for any item of the
 * array takes its place: clients rarely promise an order.
 */
function segmentsOf(pointer: string): string[] {
  if (pointer === "") return [];
  const segments = pointer.startsWith("/") ? pointer.slice(1).split("/") : [pointer];
  return segments.map((segment) =>
    /^\d+$/.test(segment) ? "contains" : segment.replaceAll("~1", "/").replaceAll("~0", "~"),
  );
}

/** Returns the rule with the condition as a pattern or as an exact value. */
export function withPattern(rule: unknown, { kind, at, value, isPattern }: Condition, wanted: boolean): unknown {
  if (isPattern === wanted) return rule;
  const place = kind === "path" && isPattern ? at.slice(0, -1) : at;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return withValue(rule, place, wanted ? { matches: text } : value);
}

/** Returns whether the condition can be an exact value: the pattern of a path cannot, beside path parameters. */
export function canBeExact(rule: unknown, { kind }: Condition): boolean {
  const path = valueAt(rule, ["when", "path"]);
  return kind !== "path" || !isObject(path) || Object.keys(path).length === 1;
}

/** Returns whether the requests of a condition have to be compared by a pattern at all: methods are never patterns. */
export function canBePattern({ kind }: Condition): boolean {
  return kind !== "method";
}

/** Returns the rule without the condition. */
export function withoutCondition(rule: unknown, { at }: Condition): unknown {
  return without(rule, at);
}
