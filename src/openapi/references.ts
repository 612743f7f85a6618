import { isObject, join, percentDecoded, segmentsOf, valueAt } from "../contract/index.ts";

/** An object of a document. */
export type Node = Record<string, unknown>;

/** Returns a value as text. Objects have none: their member `toString` can be any value. */
export function textOf(value: unknown): string {
  return typeof value === "object" && value !== null ? "" : String(value);
}

/** Returns the local reference to a location in a document, percent-encoded as a fragment of a URI. */
export function referenceTo(segments: readonly string[]): string {
  const pointer = segments.reduce<string>(join, "").toWellFormed();
  return `#${pointer.replace(/[^\w\-.~!$&'()*+,;=:@/]/gu, encodeURIComponent)}`;
}

/** Returns what a local reference (`#/components/schemas/Pet`) leads to; undefined if there is nothing. */
export function targetOf(document: unknown, reference: unknown): unknown {
  return valueAt(document, segmentsOf(percentDecoded(textOf(reference).slice(1))));
}

/**
 * Returns the target of an object with `$ref`, or the object itself; an empty object for another value. `document` comes from
 * `readDocument`, so chains of references end.
 */
export function follow(document: unknown, node: unknown): Node {
  let found = node;
  while (isObject(found) && typeof found.$ref === "string") found = targetOf(document, found.$ref);
  return isObject(found) ? found : {};
}
