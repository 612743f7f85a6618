import {
  cut,
  isSecret,
  join,
  MAX_ID,
  REDACTED,
  redactHeader,
  redactJson,
  redactText,
  type Schema,
  shown,
} from "../../contract/index.ts";
import { segmentsOf } from "../template.ts";
import { isContains, isPattern } from "./pattern.ts";

/** The path to a location in a match: `["query", "limit"]`, `["body", "actions", "0"]`. */
type MatchLocation = readonly string[];

/** A location where a request differs from a match. */
export interface Difference {
  readonly location: MatchLocation;
  readonly expected: unknown;
  /** Undefined if the request has no value there. */
  readonly actual: unknown;
}

/** Returns the JSON pointer (RFC 6901) into the match. */
function pointerTo(location: MatchLocation): string {
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

/** The schemas of a difference as the journal keeps it. */
export const differenceFacts = {
  pointer: { type: "string", description: "The first condition that the request does not meet, in the match." },
  expected: { type: "string", description: "The expected value in words. Absent for headers." },
  found: { type: "string", description: "The value in the request in words. Absent if it is missing." },
} as const satisfies Record<string, Schema>;
export type DifferenceFacts = Readonly<Partial<Record<keyof typeof differenceFacts, string>>>;

/** Returns the difference as the journal keeps it: short, and without credentials and tokens. */
export function factsOf({ location, expected, actual }: Difference): DifferenceFacts {
  const pointer = cut(pointerTo(location), MAX_ID);
  // Any header can contain a secret.
  if (location[0] === "headers") return actual === undefined ? { pointer } : { pointer, found: REDACTED };
  const isHidden = location.some(isSecret);
  const text = (value: unknown) => (isHidden ? REDACTED : shownBriefly(value));
  return { pointer, expected: text(expected), ...(actual !== undefined && { found: text(actual) }) };
}

/** Returns why a request does not match, in words: `query parameter limit is "6", expected "5"`. */
export function differenceText({ pointer = "", expected, found }: DifferenceFacts): string {
  const [part = "", ...names] = segmentsOf(pointer);
  const what = names.length === 0 ? `the ${part}` : `${nouns[part]} ${names.join("/")}`;
  if (expected === undefined) return `${what} ${found === undefined ? "is missing" : "does not match"}`;
  return `${what} is ${found ?? "missing"}, expected ${expected}`;
}

function shownBriefly(value: unknown): string {
  if (isPattern(value)) return `a match of ${shownBriefly(value.matches)}`;
  if (isContains(value)) return "an array with a matching item";
  // Cuts long text first, as this runs for every request that a rule skips.
  return shown(typeof value === "string" ? redactText(value.slice(0, 100)) : value);
}
