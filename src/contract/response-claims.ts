import { type AssumptionId, assumptionsOf } from "./assumptions.ts";
import { DEFAULT_PAGE_RESULTS } from "./limits.ts";
import { ArrayTestType } from "./service-schemas.ts";
import { isObject, join, shown } from "./text/shown.ts";

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

interface Claim {
  /** The ids of the operations whose responses it is about; by default those of its assumption. */
  readonly operations?: readonly string[];
  /** The statuses of these responses; by default those of success. */
  readonly given?: (status: number) => boolean;
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

/** Returns the path of a resource in the collection of the request. */
function below(paths: readonly string[]): Expectation {
  const isOfResource = (path: string, location: string) =>
    location.startsWith(`${path}/`) && /^[^/?#]+$/.test(location.slice(path.length + 1));
  return { text: `${paths[0]}/{id}`, accepts: (value) => paths.some((path) => isOfResource(path, String(value))) };
}

const isSuccess = (status: number) => status >= 200 && status < 300;
const isError = (status: number) => status >= 400;
const is =
  (...statuses: readonly number[]) =>
  (status: number) =>
    statuses.includes(status);

/** Expects the code of the first error in responses with this status. */
function hasCode(status: number, code: string): Claim {
  return { given: is(status), expects: { "/errors/0/code": code } };
}

/** Expects a member of each error with this code. */
function inErrors(code: string, name: string): Claim["expects"] {
  return ({ json }) => {
    const errors = isObject(json) && Array.isArray(json.errors) ? json.errors : [];
    const places = errors.flatMap((error, index) => (error?.code === code ? `/errors/${index}/${name}` : []));
    return Object.fromEntries(places.map((place) => [place, present]));
  };
}

/** Expects the limit and the offset of the request, or else their defaults. Invalid ones are not judged. */
const position: Claim["expects"] = ({ query }) => {
  const numbers = Object.entries({ limit: DEFAULT_PAGE_RESULTS, offset: 0 }).map(
    ([name, value]) => [`/${name}`, Number(query.get(name) ?? value)] as const,
  );
  return Object.fromEntries(numbers.filter(([, number]) => number >= 0));
};

const count: Claim["expects"] = ({ json }) =>
  isObject(json) && Array.isArray(json.results) ? { "/count": json.results.length } : {};

const lists = ["results", ...Object.keys(ArrayTestType.properties)];
const listsResources: Expectation = {
  text: "an array of ArrayTestType or of a page",
  accepts: (body) => isObject(body) && lists.some((name) => Array.isArray(body[name])),
};
const sorted = { operations: ["queryWithSortedParameters"] };

/** The claims by their assumption. Each is also the name of the check of `compare` that tries it. */
const claims: { readonly [Id in AssumptionId]?: Readonly<Record<string, Claim>> } = {
  location: {
    "Location is the path of the new resource": { expects: ({ paths }) => ({ Location: below(paths) }) },
  },
  "written-resource": {
    "the new resource has the version 1": { operations: ["createResource"], expects: { "/version": 1 } },
  },
  "query-body": { "the body is an ArrayTestType or a page": { expects: { "": listsResources } } },
  paging: {
    "the page has total": {
      ...sorted,
      expects: ({ query }) => ({ "/total": query.get("withTotal") === "false" ? undefined : typed("number") }),
    },
    "count is the number of results": { ...sorted, expects: count },
    "the page names its limit and offset": { ...sorted, expects: position },
  },
  search: {
    "the body is a page": {
      expects: { "/limit": present, "/offset": present, "/count": present, "/results": present, "/total": present },
    },
    "count is the number of results": { expects: count },
  },
  "complex-status": { "the status is 200": { expects: { status: 200 } } },
  errors: {
    "statusCode in the body is the status": {
      given: isError,
      expects: ({ json, status }) =>
        isObject(json) && typeof json.statusCode === "number" ? { "/statusCode": status } : {},
    },
    "401 has the challenge of RFC 6750": {
      given: is(401, 403),
      expects: { "WWW-Authenticate": matching("a challenge of the scheme Bearer", /^Bearer\b/i) },
    },
    "401 has error and error_description": {
      given: is(401, 403),
      expects: { "/error": present, "/error_description": present },
    },
    "405 has the header Allow": { given: is(405), expects: { Allow: matching("the methods with GET", /\bGET\b/) } },
    "409 names the current version": { given: isError, expects: inErrors("ConcurrentModification", "currentVersion") },
    "the error of an invalid value names its field": { given: isError, expects: inErrors("InvalidField", "field") },
    "the code of a malformed token is invalid_token": hasCode(401, "invalid_token"),
    "the code of an unknown id is ResourceNotFound": {
      operations: assumptionsOf().find(({ id }) => id === "unknown-ids")?.operations,
      ...hasCode(404, "ResourceNotFound"),
    },
    "the code of a stale version is ConcurrentModification": hasCode(409, "ConcurrentModification"),
    "the code of another content type is UnsupportedMediaType": hasCode(415, "UnsupportedMediaType"),
  },
};

/** The claims with their texts, assumptions and operations; without operations, a claim is about all. */
export const responseClaims = assumptionsOf().flatMap(({ id, operations: ofAssumption }) =>
  Object.entries<Claim>(claims[id] ?? {}).map(([text, { operations = ofAssumption, given = isSuccess, expects }]) => ({
    ...{ text, assumption: id, operations, given, expects },
  })),
);

/** Returns the value at a location in a response; undefined if the response lacks it. */
function valueAt({ status, header, json }: SeenResponse, place: string): unknown {
  if (place === "status") return status;
  if (!isInBody(place)) return header(place.toLowerCase());
  const names = place.split("/").slice(1);
  return names.reduce((value, name) => (isContainer(value) ? value[name] : undefined), json);
}

const isInBody = (place: string) => place === "" || place.startsWith("/");

/** Returns whether a JSON value is an object or an array. */
function isContainer(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}

/** Returns the values of a response at the locations of the expected ones. */
export function valuesOf(response: SeenResponse, expects: Claim["expects"]): SeenValue[] {
  const expected = typeof expects === "function" ? expects(response) : expects;
  return Object.entries(expected).map(([place, value]) => [place, valueAt(response, place), value]);
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
export function deviationsOf(operation: string, response: SeenResponse) {
  // A body that lacks the object with the value violates the contract, which has its own report.
  const isJudged = ([place]: SeenValue) =>
    !isInBody(place) || isObject(valueAt(response, place.replace(/\/[^/]*$/, "")));
  return responseClaims
    .filter(({ operations, given }) => (operations?.includes(operation) ?? true) && given(response.status))
    .flatMap(({ assumption, expects }) =>
      valuesOf(response, expects)
        .filter(isJudged)
        .flatMap(differencesIn)
        .map(([field, found, expected]) => ({ assumption, field, found, expected: expectedText(expected) })),
    );
}
