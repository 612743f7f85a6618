import {
  closedObject,
  type FromSchema,
  MAX_DELAY_MS,
  MAX_HEADER_VALUE,
  MAX_HEADERS,
  MAX_SCENARIO_RULES,
  MAX_STEPS,
  MAX_TIMES,
  type Schema,
} from "../contract/index.ts";
import { Latency, requestSettings } from "../state/index.ts";
import { OperationOrAny, requestParts, TOKEN } from "./matching/match.ts";

/**
 * The schemas of scenario files and rules. The control API uses the same schemas.
 * `scenarios/scenario.schema.json` for editors is generated from them, and a test compares the two.
 */

/** The ways in which a connection can break. MALFORMED_RESPONSE_CHUNK and TRUNCATED_BODY handle the request first. */
export const Fault = {
  type: "string",
  enum: [
    "CONNECTION_RESET_BY_PEER",
    "EMPTY_RESPONSE",
    "MALFORMED_RESPONSE_CHUNK",
    "RANDOM_DATA_THEN_CLOSE",
    "TRUNCATED_BODY",
  ],
  description:
    "Breaks the connection. Three faults replace the response, and the operation does not run: CONNECTION_RESET_BY_PEER (TCP reset), EMPTY_RESPONSE (the connection closes without a byte) and RANDOM_DATA_THEN_CLOSE (invalid HTTP). Two faults break the response after the operation has run: MALFORMED_RESPONSE_CHUNK (an invalid chunk) and TRUNCATED_BODY (fewer bytes than Content-Length).",
} as const satisfies Schema;
export type Fault = FromSchema<typeof Fault>;

/** The requests that a rule applies to. All members must match, as in a verification. */
export const When = {
  ...closedObject([], {
    ...requestParts,
    operation: { not: {}, description: "Set the operation in the rule itself, beside `when`." },
  }),
  description:
    "The requests that the rule applies to. All members must match. By default, every request of the operation matches.",
} as const satisfies Schema;
export type When = FromSchema<typeof When>;

/** The characters of header values: line breaks would add headers or end the head of the response. */
export const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
const HeaderValue = {
  type: "string",
  pattern: HEADER_VALUE.source,
  maxLength: MAX_HEADER_VALUE,
} as const satisfies Schema;

const HeaderTemplate = {
  ...closedObject(["$from"], {
    $from: { type: "string", description: "A JSON pointer to the value, such as /path/id." },
    default: {
      ...HeaderValue,
      type: ["string", "number", "boolean"],
      description: "The value of the header if the pointer leads to no value.",
    },
  }),
  description: "A value from the request.",
} as const satisfies Schema;

const ResponseHeaders = {
  type: "object",
  description:
    'Headers to add to the response. They override headers of the same name. { "$from": "/path/id" } is a value from the request.',
  maxProperties: MAX_HEADERS,
  propertyNames: { pattern: TOKEN },
  additionalProperties: { description: "A text, or a value from the request.", anyOf: [HeaderValue, HeaderTemplate] },
} as const satisfies Schema;

export const Respond = {
  type: "object",
  required: ["status"],
  additionalProperties: false,
  description:
    "Returns this response, and the operation does not run. By default, the body comes from the fixture of the status.",
  properties: {
    status: { type: "integer", description: "A status that the operation declares." },
    fixture: {
      type: "string",
      description: "The variant of the fixture: NAME in fixtures/<operationId>/<status>.NAME.json.",
    },
    body: {
      description:
        'The JSON body. It must be valid by the contract. Cannot be combined with fixture. { "$from": "/path/id" } in place of any value is a value from the request.',
    },
    headers: ResponseHeaders,
  },
} as const satisfies Schema;
export type Respond = FromSchema<typeof Respond>;

export const Raw = {
  type: "object",
  required: ["status"],
  additionalProperties: false,
  description:
    "Returns this off-contract response, and the operation does not run. The contract does not restrict the response. The response has the header Mock-Off-Contract, and the journal entry has offContract. Cannot be combined with respond or fault.",
  properties: {
    status: { type: "integer", minimum: 200, maximum: 599, description: "Any status." },
    headers: ResponseHeaders,
    body: {
      description:
        "A string is sent as it is, as text/plain by default. Any other JSON value is sent as application/json by default. It can contain values from the request.",
    },
    bodyBase64: {
      type: "string",
      description:
        "The bytes of the body in base64, as application/octet-stream by default. Cannot be combined with body.",
    },
  },
} as const satisfies Schema;
export type Raw = FromSchema<typeof Raw>;

export const RequestSettings = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  description: "Overrides settings of the project for this request.",
  properties: requestSettings,
} as const satisfies Schema;
export type RequestSettings = FromSchema<typeof RequestSettings>;

export const Dribble = {
  type: "object",
  required: ["numberOfChunks", "totalDuration"],
  additionalProperties: false,
  description: "Sends the body in numberOfChunks chunks, spread evenly over totalDuration milliseconds.",
  properties: {
    numberOfChunks: { type: "integer", minimum: 1, maximum: MAX_STEPS },
    totalDuration: { type: "number", minimum: 0, maximum: MAX_DELAY_MS },
  },
} as const satisfies Schema;
export type Dribble = FromSchema<typeof Dribble>;

const effects = {
  settings: RequestSettings,
  latency: Latency,
  conflict: {
    const: true,
    description: "Another client writes the resource just before this request, so the version in the request is stale.",
  },
  respond: Respond,
  raw: Raw,
  fault: Fault,
  evolve: {
    const: true,
    description:
      "Changes the JSON body as a later version of the service could do without breaking the contract: unknown members, missing optional members, empty and long arrays, another order of members, numbers at their bounds. The state stays. The decisions list the changes.",
  },
  chunkedDribbleDelay: Dribble,
} as const satisfies Record<string, Schema>;

/** The effects on a request. Of each kind, the effect with the highest precedence applies. */
export const Effects = {
  type: "object",
  additionalProperties: false,
  properties: effects,
} as const satisfies Schema;
export type Effects = FromSchema<typeof Effects>;

const times = { type: "integer", minimum: 1, maximum: MAX_TIMES } as const satisfies Schema;
const probability = { type: "number", minimum: 0, maximum: 1 } as const satisfies Schema;

export const Rule = {
  type: "object",
  additionalProperties: false,
  description: "Effects, and the requests that they apply to.",
  properties: {
    operation: OperationOrAny,
    when: When,
    after: {
      type: "integer",
      minimum: 0,
      maximum: MAX_TIMES,
      description: "Skips this many matching requests first.",
    },
    times: {
      ...times,
      description: "The number of requests that the rule takes effect on. By default, there is no limit.",
    },
    probability: {
      ...probability,
      description: "The share of matching requests that the rule takes effect on, selected randomly.",
    },
    ...effects,
    sequence: {
      type: "array",
      minItems: 1,
      maxItems: MAX_STEPS,
      items: Effects,
      description:
        "Effects for one request each, in order; {} has no effect. The rule ends after the last item. With times, the sequence repeats until times is reached.",
    },
  },
} as const satisfies Schema;
/** A rule in its JSON form. */
export type Rule = FromSchema<typeof Rule>;

const name = { $schema: { type: "string" }, description: { type: "string", minLength: 1 } } as const;
const rules = {
  type: "array",
  minItems: 1,
  maxItems: MAX_SCENARIO_RULES,
  items: Rule,
  description: "Rules, highest precedence first. Of each kind of effect, the first matching rule applies.",
} as const satisfies Schema;

/** A scenario file. */
export const Scenario = {
  type: "object",
  required: ["description", "rules"],
  additionalProperties: false,
  properties: {
    ...name,
    description: {
      ...name.description,
      description: "What a client sees while the scenario is active, in one sentence.",
    },
    rules,
  },
} as const satisfies Schema;
export type Scenario = FromSchema<typeof Scenario>;

/** The options for activating a scenario. With `rules`, the call defines an inline scenario. */
export const Activation = {
  type: "object",
  additionalProperties: false,
  properties: {
    ...name,
    rules: { ...rules, description: "Defines an inline scenario under the name in the path." },
    times: {
      ...times,
      description:
        "The number of requests that the scenario takes effect on. A scenario that ends by itself repeats until then. By default, there is no other limit.",
    },
    probability: {
      ...probability,
      description: "The share of requests that the scenario takes effect on, selected randomly.",
    },
  },
} as const satisfies Schema;
export type Activation = FromSchema<typeof Activation>;
