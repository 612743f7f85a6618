import { closedObject, type FromSchema, MAX_PATTERN_LENGTH, type Schema } from "../../contract/index.ts";

/** Methods and header names consist of these characters (RFC 9110, 5.6.2). */
export const TOKEN = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";

/** Scenario names appear in paths, headers and sources. */
export const scenarioName = /^[\w-]{1,100}$/;

/** An operation of the contract. These schemas list no names, as the contract of the engine defines them. */
export const ContractOperation = {
  type: "string",
  description: "The id of the operation.",
} as const satisfies Schema;
/** An operation of the contract, or the token endpoint. */
export const OperationName = {
  type: "string",
  description: "The id of the operation; token for the token endpoint.",
} as const satisfies Schema;
export const OperationOrAny = {
  type: "string",
  default: "*",
  description: "The id of an operation. The default `*` means every operation that supports the effects of the rule.",
} as const satisfies Schema;

/** Returns the schema for documents: adds the ids to the schemas of operation names. */
export function withNames<S>(schema: S, ids: readonly string[]): S | (S & { enum: readonly string[] }) {
  if (schema === ContractOperation) return { ...schema, enum: ids };
  if (schema === OperationName) return { ...schema, enum: [...ids, "token"] };
  return schema === OperationOrAny ? { ...schema, enum: ["*", ...ids, "token"] } : schema;
}

const Pattern = closedObject(["matches"], {
  matches: {
    type: "string",
    minLength: 1,
    maxLength: MAX_PATTERN_LENGTH,
    description: "A regular expression in RE2 syntax, which matches anywhere in the text without ^ and $.",
  },
});

const Text = {
  description: "The exact text, or a pattern.",
  anyOf: [{ type: ["string", "number", "boolean"] }, Pattern],
} as const satisfies Schema;
export type Text = FromSchema<typeof Text>;
const Texts = { type: "object", additionalProperties: Text } as const satisfies Schema;

const Values = {
  type: "object",
  additionalProperties: {
    description: 'The exact text, a pattern, a list of all values in order, or { "absent": true }.',
    anyOf: [
      ...Text.anyOf,
      closedObject(["absent"], { absent: { const: true } }),
      { type: "array", minItems: 1, items: Text },
    ],
  },
} as const satisfies Schema;
/** The conditions for values that a request can repeat or leave out. */
export type Values = FromSchema<typeof Values>;

/** The members of a match that rules and verifications share. All of them must match. */
export const requestParts = {
  method: { type: "string", pattern: TOKEN, description: "The HTTP method of the request, in upper or lower case." },
  path: {
    description:
      'The whole path of the request, such as `"/shop/resource/42"`, `"/shop/resource/*"` or `{ "matches": "^/shop/" }`; or path parameters by name, such as `{ "id": "42" }`.',
    anyOf: [
      { type: "string", minLength: 1 },
      {
        ...Texts,
        properties: { matches: { ...Pattern.properties.matches, description: "A pattern for the whole path." } },
      },
    ],
  },
  query: {
    ...Values,
    description:
      'Decoded query parameters by name. If a request repeats a parameter, at least one value must match. `["a", "b"]` matches if the request sends the parameter exactly twice: first `a`, then `b`. `{ "absent": true }` matches if the request does not send the parameter.',
  },
  headers: {
    ...Values,
    description:
      "Request headers by name, in upper or lower case, with the same forms of values as in `query`. If a request repeats a header, one line of the header, or all lines joined, must match.",
    propertyNames: { pattern: TOKEN },
  },
  cookies: {
    ...Values,
    description: "Cookies by name, with the same forms of values as in `query`. The mock does not decode the values.",
    propertyNames: { pattern: TOKEN },
  },
  body: {
    description:
      'The JSON body of the request. Objects in the request body may have further members; arrays and other values must be equal. `{ "contains": … }` matches an array if at least one item of the array matches. `{ "matches": "…" }` matches a value if the regular expression matches the text of the value. `{ "absent": true }` matches if the request has no such member, or no body.',
  },
} as const satisfies Record<string, Schema>;

/** A condition for requests. All members must match. */
export const Match = {
  ...closedObject([], {
    operation: OperationName,
    ...requestParts,
    status: {
      type: ["integer", "string"],
      minimum: 100,
      maximum: 599,
      pattern: "^[1-5]xx$",
      description: "The status, or its class: 4xx.",
    },
    source: {
      type: "string",
      minLength: 1,
      description: "The source of the response, such as scenario:conflict, or its kind, such as scenario.",
    },
    offContract: {
      type: "boolean",
      description: "Whether the response came from the effect raw, which the contract does not restrict.",
    },
  }),
  description: "The requests to match. All members must match. An empty object matches every request.",
} as const satisfies Schema;
export type Match = FromSchema<typeof Match>;

/** Returns the condition for the whole path in a match, which is a text or a pattern, and those for path parameters. */
export function pathConditions(path: Match["path"]) {
  if (typeof path !== "object") return { whole: path, parameters: {} };
  const { matches, ...parameters } = path;
  return { whole: typeof matches === "string" ? { matches } : undefined, parameters };
}
