import {
  type Claim,
  DEFAULT_PAGE_RESULTS,
  type Expectation,
  isObject,
  matching,
  present,
  typed,
} from "../../contract/index.ts";
import { type AssumptionId, assumptionsOf } from "./assumptions.ts";
import { ArrayTestType } from "./schemas.ts";

/** The claims of the assumptions about a single response. The mode spy and `resource-mock compare` judge responses by them. */

type Row = Partial<Pick<Claim, "operations" | "given">> & Pick<Claim, "expects">;

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
function hasCode(status: number, code: string): Row {
  return { given: is(status), expects: { "/errors/0/code": code } };
}

/** Expects a member of each error with this code. */
function inErrors(code: string, name: string): Row["expects"] {
  return ({ json }) => {
    const errors = isObject(json) && Array.isArray(json.errors) ? json.errors : [];
    const places = errors.flatMap((error, index) => (error?.code === code ? `/errors/${index}/${name}` : []));
    return Object.fromEntries(places.map((place) => [place, present]));
  };
}

/** Expects the limit and the offset of the request, or else their defaults. Invalid ones are not judged. */
const position: Row["expects"] = ({ query }) => {
  const defaults = Object.entries({ limit: DEFAULT_PAGE_RESULTS, offset: 0 });
  const numbers = defaults.map(([name, value]) => [`/${name}`, Number(query.get(name) ?? value)] as const);
  return Object.fromEntries(numbers.filter(([, number]) => number >= 0));
};

const count: Row["expects"] = ({ json }) =>
  isObject(json) && Array.isArray(json.results) ? { "/count": json.results.length } : {};

const lists = ["results", ...Object.keys(ArrayTestType.properties)];
const listsResources: Expectation = {
  text: "an array of ArrayTestType or of a page",
  accepts: (body) => isObject(body) && lists.some((name) => Array.isArray(body[name])),
};
const sorted = { operations: ["queryWithSortedParameters"] };

/** The claims by their assumption. Each is also the name of the check of `compare` that tries it. */
const claims: { readonly [Id in AssumptionId]?: Readonly<Record<string, Row>> } = {
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

/** The claims with their texts, assumptions and operations. */
export const responseClaims: readonly Claim[] = assumptionsOf().flatMap(({ id, operations: ofAssumption }) =>
  Object.entries<Row>(claims[id] ?? {}).map(([text, { operations = ofAssumption, given = isSuccess, expects }]) => ({
    ...{ text, assumption: id, operations, given, expects },
  })),
);
