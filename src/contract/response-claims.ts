import { type AssumptionId, assumptionsOf } from "./assumptions.ts";
import { DEFAULT_PAGE_RESULTS } from "./limits.ts";
import { ArrayTestType } from "./service-schemas.ts";
import { isObject, shown } from "./text/shown.ts";

/* The claims of assumptions about a single response. The mode spy and `resource-mock compare` judge responses by them. */

/** A response of the service, and its request. */
export interface SeenResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** The members of the body; undefined if it is no JSON object. */
  readonly members: { readonly [name: string]: unknown } | undefined;
  /** The path of the request: below the address of the service, and with the path of this address. */
  readonly paths: readonly string[];
  /** The query of the request. */
  readonly query: URLSearchParams;
}

/** An expectation that a value does not express: its words, and the values that it accepts. */
interface Expectation {
  readonly text: string;
  accepts(value: unknown): boolean;
}

/** A location in a response, the value that was found there, and the expected one. */
type SeenValue = readonly [field: string, found: unknown, expected: string | number | undefined | Expectation];

interface Claim {
  /** The ids of the operations whose responses it is about; by default those of its assumption. */
  readonly operations?: readonly string[];
  /** The statuses of these responses; by default those of success. */
  readonly given?: (status: number) => boolean;
  readonly values: (response: SeenResponse) => readonly SeenValue[];
}

const present: Expectation = { text: "a value", accepts: (value) => value !== undefined };
const number: Expectation = { text: "a number", accepts: (value) => typeof value === "number" };

function matching(text: string, pattern: RegExp): Expectation {
  return { text, accepts: (value) => pattern.test(String(value)) };
}

/** Returns the path of a resource in the collection of the request. */
function below(paths: readonly string[]): Expectation {
  const accepts = (value: unknown) =>
    paths.some(
      (path) => String(value).startsWith(`${path}/`) && /^[^/?#]+$/.test(String(value).slice(path.length + 1)),
    );
  return { text: `${paths[0]}/{id}`, accepts };
}

const isSuccess = (status: number) => status >= 200 && status < 300;
const isError = (status: number) => status >= 400;
const is =
  (...statuses: readonly number[]) =>
  (status: number) =>
    statuses.includes(status);

/** Claims about the body of responses that have one. */
function inBody(
  valuesOf: (members: NonNullable<SeenResponse["members"]>, response: SeenResponse) => readonly SeenValue[],
): Claim["values"] {
  return (response) => (response.members ? valuesOf(response.members, response) : []);
}

/** Expects members of the body. */
function has(expected: Readonly<Record<string, SeenValue[2]>>): Claim["values"] {
  return inBody((members) => Object.entries(expected).map(([name, value]) => [`/${name}`, members[name], value]));
}

/** Expects a member of each error with this code. */
function inErrors(code: string, name: string): Claim["values"] {
  return inBody(({ errors }) =>
    (Array.isArray(errors) ? errors : []).flatMap((error, index): SeenValue[] =>
      isObject(error) && error.code === code ? [[`/errors/${index}/${name}`, error[name], present]] : [],
    ),
  );
}

/** Expects the code of the first error. */
function hasCode(code: string): Claim["values"] {
  return inBody(({ errors }) => {
    const [first] = Array.isArray(errors) ? errors : [];
    return isObject(first) ? [["/errors/0/code", first.code, code]] : [];
  });
}

/** Expects the limit and the offset of a page, for the requests that name valid ones, or none. */
function position(isNamed: boolean): Claim["values"] {
  const defaults = { limit: DEFAULT_PAGE_RESULTS, offset: 0 };
  return inBody((members, { query }) =>
    Object.entries(defaults)
      .filter(([name]) => query.has(name) === isNamed && /^\d*$/.test(query.get(name) ?? ""))
      .map(([name, value]) => [`/${name}`, members[name], isNamed ? Number(query.get(name)) : value]),
  );
}

const sorted = { operations: ["queryWithSortedParameters"] };
const count: Claim["values"] = inBody(({ count, results }) =>
  Array.isArray(results) ? [["/count", count, results.length]] : [],
);
const total = (value: SeenValue[2], isOmitted: boolean) =>
  inBody(({ total }, { query }) =>
    (query.get("withTotal") === "false") === isOmitted ? [["/total", total, value]] : [],
  );

/** The claims by their assumption. Each is also the name of the check of `compare` that tries it. */
const claims: { readonly [Id in AssumptionId]?: Readonly<Record<string, Claim>> } = {
  location: {
    "Location is the path of the new resource": {
      values: ({ header, paths }) => [["Location", header("location"), below(paths)]],
    },
  },
  "written-resource": {
    "the new resource has the version 1": { operations: ["createResource"], values: has({ version: 1 }) },
  },
  "query-body": {
    "the body is an ArrayTestType or a page": {
      values: inBody((members) => {
        const names = ["results", ...Object.keys(ArrayTestType.properties)];
        const accepts = () => names.some((name) => Array.isArray(members[name]));
        return [["", Object.keys(members).join(", "), { text: "an array of ArrayTestType or of a page", accepts }]];
      }),
    },
  },
  paging: {
    "the page has total": { ...sorted, values: total(number, false) },
    "withTotal=false leaves out total": { ...sorted, values: total(undefined, true) },
    "count is the number of results": { ...sorted, values: count },
    [`the default limit is ${DEFAULT_PAGE_RESULTS} and the default offset is 0`]: {
      ...sorted,
      values: position(false),
    },
    "the page names its limit and offset": { ...sorted, values: position(true) },
  },
  search: {
    "the body is a page": {
      values: has({ limit: present, offset: present, count: present, results: present, total: present }),
    },
    "count is the number of results": { values: count },
  },
  "complex-status": {
    "the status is 200": { values: ({ status }) => [["status", status, 200]] },
  },
  errors: {
    "statusCode in the body is the status": {
      given: isError,
      values: inBody(({ statusCode }, { status }) =>
        typeof statusCode === "number" ? [["/statusCode", statusCode, status]] : [],
      ),
    },
    "401 has the challenge of RFC 6750": {
      given: is(401, 403),
      values: ({ header }) => [
        ["WWW-Authenticate", header("www-authenticate"), matching("a challenge of the scheme Bearer", /^Bearer\b/i)],
      ],
    },
    "401 has error and error_description": {
      given: is(401, 403),
      values: has({ error: present, error_description: present }),
    },
    "405 has the header Allow": {
      given: is(405),
      values: ({ header }) => [["Allow", header("allow"), matching("the methods with GET", /\bGET\b/)]],
    },
    "409 names the current version": { given: isError, values: inErrors("ConcurrentModification", "currentVersion") },
    "the error of an invalid value names its field": { given: isError, values: inErrors("InvalidField", "field") },
    "the code of a malformed token is invalid_token": { given: is(401), values: hasCode("invalid_token") },
    "the code of an unknown id is ResourceNotFound": {
      operations: assumptionsOf().find(({ id }) => id === "unknown-ids")?.operations,
      given: is(404),
      values: hasCode("ResourceNotFound"),
    },
    "the code of a stale version is ConcurrentModification": {
      given: is(409),
      values: hasCode("ConcurrentModification"),
    },
    "the code of another content type is UnsupportedMediaType": {
      given: is(415),
      values: hasCode("UnsupportedMediaType"),
    },
  },
};

/** A value of a response, by the claim of an assumption. */
export interface JudgedValue {
  readonly assumption: AssumptionId;
  /** The location of the value: a JSON pointer into the body, the name of a header, or `status`. */
  readonly field: string;
  readonly found: unknown;
  /** The expectation in words. */
  readonly expected: string;
  readonly isTrue: boolean;
}

type Judge = (response: SeenResponse) => JudgedValue[];

/** The claims with their texts, assumptions and operations; without operations, a claim is about all. */
export const responseClaims = assumptionsOf().flatMap(({ id, operations: ofAssumption }) =>
  Object.entries<Claim>(claims[id] ?? {}).map(([text, { operations = ofAssumption, given = isSuccess, values }]) => {
    const judge: Judge = (response) =>
      (given(response.status) ? values(response) : []).map(([field, found, expected]) => {
        const test = typeof expected === "object" ? expected : undefined;
        const isTrue = test ? test.accepts(found) : found === expected;
        return { assumption: id, field, found, expected: test?.text ?? shown(expected), isTrue };
      });
    return { text, assumption: id, operations, judge };
  }),
);

/** Returns the values of a response to an operation that the mock assumes to be others. */
export function deviationsOf(operation: string, response: SeenResponse): JudgedValue[] {
  return responseClaims
    .filter(({ operations }) => operations?.includes(operation) ?? true)
    .flatMap(({ judge }) => judge(response))
    .filter(({ isTrue }) => !isTrue);
}

/** Returns the function that judges a response by this claim of an assumption, if the assumption has it. */
export function claimOf(assumption: string, text: string): Judge | undefined {
  return responseClaims.find((claim) => claim.assumption === assumption && claim.text === text)?.judge;
}
