import { isObject, join, segmentsOf, shown, valueAt } from "./text/shown.ts";

/* The claims of assumptions about a single response. The mode spy and `resource-mock compare` judge responses by them. */

/** A response of the service, and its request. */
export interface SeenResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** The value of the body; undefined if it is no JSON. */
  readonly json: unknown;
  /** The path of the request: below the address of the service, and with the path of this address. */
  readonly paths: readonly string[];
  /** The query of the request. */
  readonly query: URLSearchParams;
}

/** An expectation that a value does not express: its words, and the values that it accepts. */
export interface Expectation {
  readonly text: string;
  accepts(value: unknown): boolean;
}

/** A location in a response, the value that was found there, and the expected value or an `Expectation`. */
export type SeenValue = readonly [place: string, found: unknown, expected: unknown];

/** The expected values by their locations: JSON pointers into the body, names of headers, or `status`. */
export type Expected = Readonly<Record<string, unknown>>;

/** What an assumption claims about single responses. */
export interface Claim {
  readonly text: string;
  /** The id of the assumption. */
  readonly assumption: string;
  /** The ids of the operations whose responses it is about; undefined if it is about all. */
  readonly operations: readonly string[] | undefined;
  /** Returns whether it is about responses with this status. */
  given(status: number): boolean;
  readonly expects: Expected | ((response: SeenResponse) => Expected);
}

export const present: Expectation = { text: "a value", accepts: (value) => value !== undefined };

/** Expects a value of this type, such as `number`. */
export function typed(type: string): Expectation {
  return { text: `a ${type}`, accepts: (value) => typeof value === type };
}

export function matching(text: string, pattern: RegExp): Expectation {
  return { text, accepts: (value) => pattern.test(String(value)) };
}

/** Returns the value at a location in a response; undefined if the response lacks it. */
function seenAt({ status, header, json }: SeenResponse, place: string): unknown {
  if (place === "status") return status;
  if (!isInBody(place)) return header(place.toLowerCase());
  return valueAt(json, segmentsOf(place));
}

const isInBody = (place: string) => place === "" || place.startsWith("/");

function isContainer(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}

/** Returns the values of a response at the locations of the expected ones. */
export function valuesOf(response: SeenResponse, expects: Claim["expects"]): SeenValue[] {
  const expected = typeof expects === "function" ? expects(response) : expects;
  return Object.entries(expected).map(([place, value]) => [place, seenAt(response, place), value]);
}

/** Returns the first location where a JSON value differs from the expected one; none without a difference. */
export function differencesIn([place, found, expected]: SeenValue): readonly SeenValue[] {
  if (isExpectation(expected)) return expected.accepts(found) ? [] : [[place, found, expected]];
  if (found === expected) return [];
  const isSameKind = Array.isArray(found) === Array.isArray(expected);
  if (!isSameKind || !isContainer(found) || !isContainer(expected)) return [[place, found, expected]];
  const names = [...new Set([...Object.keys(found), ...Object.keys(expected)])];
  return names.flatMap((name) => differencesIn([join(place, name), found[name], expected[name]])).slice(0, 1);
}

function isExpectation(expected: unknown): expected is Expectation {
  return isObject(expected) && typeof expected.accepts === "function";
}

/** Returns an expected value in words. */
export function expectedText(expected: unknown, textOf = shown): string {
  return isExpectation(expected) ? expected.text : textOf(expected);
}

/** Returns the values of a response to an operation that differ from those of an assumption. */
export function deviationsOf(claims: readonly Claim[], operation: string, response: SeenResponse) {
  // A body that lacks the object with the value violates the contract, which has its own report.
  const isJudged = ([place]: SeenValue) =>
    !isInBody(place) || isObject(seenAt(response, place.replace(/\/[^/]*$/, "")));
  return claims
    .filter(({ operations, given }) => (operations?.includes(operation) ?? true) && given(response.status))
    .flatMap(({ assumption, expects }) =>
      valuesOf(response, expects)
        .filter(isJudged)
        .flatMap(differencesIn)
        .map(([field, found, expected]) => ({ assumption, field, found, expected: expectedText(expected) })),
    );
}
