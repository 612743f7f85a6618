import { closedObject, type FromSchema, type Schema } from "../contract/schema.ts";
import { OperationOrAny, requestParts, TOKEN } from "../matching/match.ts";
import { Latency, requestSettings } from "../settings/settings.ts";

/**
 * What a scenario file and a rule look like. The control API takes these schemas as they stand, and
 * `scenarios/scenario.schema.json`, with which editors complete and check the files, is tested equal to them.
 */

/** The ways in which a connection can break. Those that end in an answer cut short handle the request first. */
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
    "Breaks the connection. CONNECTION_RESET_BY_PEER: a TCP reset; EMPTY_RESPONSE: closed without a byte; RANDOM_DATA_THEN_CLOSE: bytes that are no HTTP. These three come instead of an answer, and the request is not handled. MALFORMED_RESPONSE_CHUNK and TRUNCATED_BODY spoil the answer of a request that has been handled: bytes that are no chunk, or fewer bytes than Content-Length says.",
} as const satisfies Schema;
export type Fault = FromSchema<typeof Fault>;

/** Which requests a rule is for: everything named must match, as in a verification. */
export const When = {
  ...closedObject([], {
    ...requestParts,
    operation: { not: {}, description: "The operation is a member of the rule itself, beside `when`." },
  }),
  description: "Which of the operation's requests; without it, all.",
} as const satisfies Schema;
export type When = FromSchema<typeof When>;

export const Respond = {
  type: "object",
  required: ["status"],
  additionalProperties: false,
  description: "Answers this instead of handling the request. Without fixture and body: the status's own fixture.",
  properties: {
    status: { type: "integer", description: "One that the operation declares." },
    fixture: { type: "string", description: "The variant: NAME of fixtures/<operationId>/<status>.NAME.json." },
    body: { description: "JSON that fits the contract. Not together with fixture." },
    headers: {
      type: "object",
      description: "Set beside, or instead of, those that the answer has.",
      maxProperties: 100,
      propertyNames: { pattern: TOKEN },
      additionalProperties: { type: "string", pattern: "^[\\t\\x20-\\x7e]*$", maxLength: 8192 },
    },
  },
} as const satisfies Schema;
export type Respond = FromSchema<typeof Respond>;

export const RequestSettings = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  description: "Settings of the project, overridden for this request.",
  properties: requestSettings,
} as const satisfies Schema;
export type RequestSettings = FromSchema<typeof RequestSettings>;

export const Dribble = {
  type: "object",
  required: ["numberOfChunks", "totalDuration"],
  additionalProperties: false,
  description: "Sends the body in this many chunks, spread evenly over totalDuration milliseconds.",
  properties: {
    numberOfChunks: { type: "integer", minimum: 1, maximum: 1000 },
    totalDuration: { type: "number", minimum: 0, maximum: 600_000 },
  },
} as const satisfies Schema;
export type Dribble = FromSchema<typeof Dribble>;

const effects = {
  settings: RequestSettings,
  latency: Latency,
  conflict: {
    const: true,
    description: "Another client writes the resource just before this request, so that the version it knows is stale.",
  },
  respond: Respond,
  fault: Fault,
  chunkedDribbleDelay: Dribble,
} as const satisfies Record<string, Schema>;

/** What happens to a request, each kind taken from the first rule in the order of precedence that has it. */
export const Effects = {
  type: "object",
  additionalProperties: false,
  properties: effects,
} as const satisfies Schema;
export type Effects = FromSchema<typeof Effects>;

const times = { type: "integer", minimum: 1, maximum: 1_000_000_000 } as const satisfies Schema;
const probability = { type: "number", minimum: 0, maximum: 1 } as const satisfies Schema;

export const Rule = {
  type: "object",
  additionalProperties: false,
  description: "What happens to which requests.",
  properties: {
    operation: OperationOrAny,
    when: When,
    after: {
      type: "integer",
      minimum: 0,
      maximum: 1_000_000_000,
      description: "Lets this many such requests through.",
    },
    times: { ...times, description: "Takes effect on this many requests, then no more." },
    probability: { ...probability, description: "The share of such requests that it takes effect on, by chance." },
    ...effects,
    sequence: {
      type: "array",
      minItems: 1,
      maxItems: 1000,
      items: Effects,
      description:
        "Effects for one request each, in turn; {} lets one through. Over after the last, or begun anew until times is reached.",
    },
  },
} as const satisfies Schema;
/** A rule as a user writes it. */
export type Rule = FromSchema<typeof Rule>;

const name = { $schema: { type: "string" }, description: { type: "string", minLength: 1 } } as const;
const rules = {
  type: "array",
  minItems: 1,
  maxItems: 100,
  items: Rule,
  description: "In the order of precedence: of each kind of effect, the first that has it.",
} as const satisfies Schema;

/** A scenario file. */
export const Scenario = {
  type: "object",
  required: ["description", "rules"],
  additionalProperties: false,
  properties: {
    ...name,
    description: { ...name.description, description: "What a client sees with this on, in a sentence." },
    rules,
  },
} as const satisfies Schema;
export type Scenario = FromSchema<typeof Scenario>;

/** How a scenario is turned on: the named one, or with `rules` one written on the spot. */
export const Activation = {
  type: "object",
  additionalProperties: false,
  properties: {
    ...name,
    rules: { ...rules, description: "Makes this a scenario of its own, under the name in the path." },
    times: { ...times, description: "Takes effect on this many requests, then no more." },
    probability: { ...probability, description: "The share of requests that it takes effect on, by chance." },
  },
} as const satisfies Schema;
export type Activation = FromSchema<typeof Activation>;
