import { isSecret, join, REDACTED, redactHeader, redactJson, redactText, shown } from "../../contract/index.ts";
import { isContains, isPattern } from "./pattern.ts";

/** The path to a location in a match: `["query", "limit"]`, `["body", "actions", "0"]`. */
export type MatchLocation = readonly string[];

/** A location where a request differs from a match. */
export interface Difference {
  readonly location: MatchLocation;
  readonly expected: unknown;
  /** Undefined if the request has no value there. */
  readonly actual: unknown;
}

/** Returns the JSON pointer (RFC 6901) into the match. */
export function pointerTo(location: MatchLocation): string {
  return location.reduce((pointer, name) => join(pointer, name), "");
}

/** Returns the difference as the control API shows it, without credentials and tokens. */
export function shownDifference({ location, expected, actual }: Difference) {
  const found = actual !== undefined && { actual: redacted(location, actual) };
  return { pointer: pointerTo(location), expected: redacted(location, expected), ...found };
}

/** Returns a value in a match or request without credentials and tokens. */
export function redacted(location: MatchLocation, value: unknown): unknown {
  const [part = "", name] = location;
  if (part !== "headers") return location.some(isSecret) ? REDACTED : redactJson(value);
  if (Array.isArray(value)) return value.map((each) => redacted(location, each));
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

/**
 * Returns why a request does not match, without credentials and tokens: `query parameter limit is "6", expected "5"`.
 */
export function reasonOf({ location, expected, actual }: Difference): string {
  const [part = "", name] = location;
  const what = name === undefined ? `the ${part}` : `${nouns[part]} ${location.slice(1).join("/")}`;
  // Any header can contain a secret.
  if (part === "headers") return `${what} ${actual === undefined ? "is missing" : "does not match"}`;
  const isHidden = location.some(isSecret);
  const text = (value: unknown) => (isHidden ? REDACTED : shownBriefly(value));
  return `${what} is ${actual === undefined ? "missing" : text(actual)}, expected ${text(expected)}`;
}

function shownBriefly(value: unknown): string {
  if (isPattern(value)) return `a match of ${shownBriefly(value.matches)}`;
  if (isContains(value)) return "an array with a matching item";
  // Cuts long text first, as this runs for every request that a rule skips.
  return shown(typeof value === "string" ? redactText(value.slice(0, 100)) : value);
}
