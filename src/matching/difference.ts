import { join } from "../text/json.ts";
import { isSecret, REDACTED, redactHeader, redactJson, redactText } from "../text/redact.ts";
import { shown } from "../text/shown.ts";

/** The names that lead to a place in a match: `["query", "limit"]`, `["body", "actions", "0"]`. */
export type Place = readonly string[];

/** One place where a request is not as expected. */
export interface Difference {
  readonly place: Place;
  readonly expected: unknown;
  /** Undefined when the request has nothing there. */
  readonly actual: unknown;
}

/** Returns the JSON pointer (RFC 6901) into the match. */
export function pointerTo(place: Place): string {
  return place.reduce((pointer, name) => join(pointer, name), "");
}

/** Returns the difference as the control API shows it, without credentials and tokens. */
export function shownDifference({ place, expected, actual }: Difference) {
  const found = actual !== undefined && { actual: redacted(place, actual) };
  return { pointer: pointerTo(place), expected: redacted(place, expected), ...found };
}

/** Returns the value at a place of a match or request without credentials and tokens. */
export function redacted(place: Place, value: unknown): unknown {
  const [part = "", name] = place;
  if (part !== "headers") return place.some(isSecret) ? REDACTED : redactJson(value);
  if (Array.isArray(value)) return value.map((each) => redacted(place, each));
  if (name !== undefined) return typeof value === "string" ? redactHeader(name, value) : value;
  return Object.fromEntries(
    Object.entries(value as object).map(([each, text]) => [each, redacted([part, each], text)]),
  );
}

const nouns: Readonly<Record<string, string>> = {
  path: "path parameter",
  query: "query parameter",
  headers: "header",
  body: "body member",
};

/** Returns why a request does not match, without credentials and tokens: `query parameter limit is "6"`. */
export function reasonOf({ place, actual }: Difference): string {
  const [part = "", name] = place;
  const what = name === undefined ? `the ${part}` : `${nouns[part]} ${place.slice(1).join("/")}`;
  if (actual === undefined) return `${what} is missing`;
  // A header may hold a secret under any name.
  if (part === "headers") return `${what} does not match`;
  // Long texts are cut before they become JSON: this runs for each request that a rule is not for.
  const text = typeof actual === "string" ? redactText(actual.slice(0, 100)) : actual;
  return `${what} is ${place.some(isSecret) ? REDACTED : shown(text)}`;
}
