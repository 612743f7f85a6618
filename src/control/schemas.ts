import type { FromSchema, Schema } from "../contract/schema.ts";
import { ArrayTestType } from "../contract/schemas.ts";
import { RequestEntry } from "../journal/entry.ts";
import { Match } from "../journal/match.ts";
import { Rule } from "../scenarios/scenario.ts";
import { ImageDocument } from "../state/document.ts";

/**
 * What the control API takes and answers, beside what its subjects define themselves (settings, scenarios, the journal's
 * entries, verification, coverage, state documents). The client's types are these schemas'.
 */

const string = { type: "string" } as const satisfies Schema;
const count = { type: "integer", minimum: 0 } as const satisfies Schema;
const dateTime = { type: "string", format: "date-time" } as const satisfies Schema;

/** RFC 9457, with the places of what is wrong. */
export const Problem = {
  type: "object",
  required: ["type", "title", "status", "detail"],
  properties: {
    type: { type: "string", description: "Names the kind of problem; nothing is to be found at it." },
    title: string,
    status: { type: "integer" },
    detail: string,
    errors: {
      type: "array",
      description: "At most 20.",
      items: {
        type: "object",
        required: ["detail"],
        properties: {
          detail: string,
          pointer: { type: "string", description: "RFC 6901, into the body." },
          parameter: { type: "string", description: "A parameter of the path or the query." },
        },
      },
    },
  },
} as const satisfies Schema;
export type Problem = FromSchema<typeof Problem>;

export const Health = {
  type: "object",
  required: ["status", "version", "uptime"],
  properties: {
    status: { type: "string", enum: ["ok", "draining"] },
    version: string,
    uptime: { ...count, description: "Seconds." },
  },
} as const satisfies Schema;
export type Health = FromSchema<typeof Health>;

export const Clock = {
  type: "object",
  required: ["now", "frozen"],
  properties: { now: dateTime, frozen: { type: "boolean" } },
} as const satisfies Schema;
export type Clock = FromSchema<typeof Clock>;

/** The last millisecond of the year 9999: what RFC 3339 can say. */
const LAST_INSTANT = 253_402_300_799_999;

export const ClockChange = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  properties: {
    now: {
      type: ["string", "integer"],
      description: "The instant to go to: a date-time (RFC 3339), or milliseconds since 1970.",
      minimum: 0,
      maximum: LAST_INSTANT,
    },
    frozen: { type: "boolean", description: "Whether the clock stays where it is; not, when this is left out." },
    advance: {
      type: "integer",
      minimum: 0,
      maximum: LAST_INSTANT,
      description: "Instead of the others: goes on by this many milliseconds; a frozen clock stays frozen.",
    },
  },
} as const satisfies Schema;
export type ClockChange = FromSchema<typeof ClockChange>;

export const ProjectSummary = {
  type: "object",
  required: ["key", "resources", "requests", "snapshots", "scenarios", "rules", "clock"],
  properties: {
    key: string,
    resources: count,
    requests: { ...count, description: "Requests that have been answered since its beginning." },
    snapshots: count,
    scenarios: { type: "array", items: string, description: "Those that are on in it, newest first." },
    rules: count,
    clock: Clock,
  },
} as const satisfies Schema;
export type ProjectSummary = FromSchema<typeof ProjectSummary>;

/** A resource as the control API shows it; it may hold further fields. */
export const Resource = {
  type: "object",
  required: ["id", "version", "createdAt", "lastModifiedAt", "objectTypeProperty"],
  properties: {
    id: string,
    key: string,
    version: { type: "integer", minimum: 1 },
    createdAt: dateTime,
    lastModifiedAt: dateTime,
    createdBy: { type: "string", description: "The client of the token that created it." },
    objectTypeProperty: ArrayTestType,
  },
} as const satisfies Schema;

const { id, key } = Resource.properties;

export const Generate = {
  type: "object",
  required: ["generate"],
  additionalProperties: false,
  properties: {
    generate: { type: "integer", minimum: 1, maximum: 100_000, description: "How many." },
    seed: { type: "integer", minimum: 0, maximum: 4_294_967_295, description: "The same seed makes the same content." },
  },
} as const satisfies Schema;
export type Generate = FromSchema<typeof Generate>;

export const Fork = {
  type: "object",
  required: ["from"],
  additionalProperties: false,
  properties: { from: { type: "string", description: "The key of the project whose state this one is to have." } },
} as const satisfies Schema;
export type Fork = FromSchema<typeof Fork>;

const { base64: _bytes, ...imageFacts } = ImageDocument.properties;

export const Image = {
  type: "object",
  required: ["id", "contentType", "uploadedAt", "bytes"],
  properties: { ...imageFacts, bytes: { ...count, description: "The size." } },
} as const satisfies Schema;
export type Image = FromSchema<typeof Image>;

export const SnapshotName = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: { name: { type: "string", minLength: 1, maxLength: 100 } },
} as const satisfies Schema;
export type SnapshotName = FromSchema<typeof SnapshotName>;

export const Snapshot = {
  type: "object",
  required: ["name", "takenAt", "resources"],
  properties: { name: string, takenAt: { ...dateTime, description: "By the project's clock." }, resources: count },
} as const satisfies Schema;
export type Snapshot = FromSchema<typeof Snapshot>;

/** A scenario that can be turned on for all projects, and whether it is. */
export const KnownScenario = {
  type: "object",
  required: ["name", "on"],
  properties: {
    name: string,
    description: string,
    on: { type: "boolean", description: "Whether it is on for all projects." },
    times: count,
    probability: { type: "number" },
  },
} as const satisfies Schema;
export type KnownScenario = FromSchema<typeof KnownScenario>;

export const ActiveScenario = {
  type: "object",
  required: ["name", "used", "inline", "rules"],
  properties: {
    name: string,
    description: string,
    times: count,
    probability: { type: "number" },
    used: { ...count, description: "How many requests it has taken effect on." },
    inline: { type: "boolean", description: "Whether its rules came with the call that turned it on." },
    rules: { type: "array", items: Rule },
  },
} as const satisfies Schema;

export const AddedRule = {
  type: "object",
  required: ["id", "used", "rule"],
  properties: { id: string, used: count, rule: Rule },
} as const satisfies Schema;

export const TokenRequest = {
  type: "object",
  additionalProperties: false,
  properties: {
    scopes: {
      type: "array",
      maxItems: 100,
      items: { type: "string", minLength: 1, maxLength: 512 },
      description: "manage_test is this project's, manage_test:other another's. All of this project's when left out.",
    },
    expiresIn: { type: "integer", minimum: 0, maximum: 315_360_000, description: "Seconds; two days when left out." },
    clientId: { type: "string", minLength: 1, maxLength: 256, description: "The client that createdBy names." },
  },
} as const satisfies Schema;
export type TokenRequest = FromSchema<typeof TokenRequest>;

/** As `POST /oauth/token` answers (RFC 6749, 5.1). */
export const Token = {
  type: "object",
  required: ["access_token", "token_type", "expires_in", "scope"],
  properties: {
    access_token: string,
    token_type: { const: "Bearer" },
    expires_in: { ...count, description: "Seconds." },
    scope: { type: "string", description: "Separated by spaces." },
  },
} as const satisfies Schema;
export type Token = FromSchema<typeof Token>;

export const WaitRequest = {
  type: "object",
  additionalProperties: false,
  properties: {
    match: Match,
    count: { type: "integer", minimum: 1, maximum: 10_000, default: 1, description: "How many; 1 when left out." },
    timeout: {
      type: "integer",
      minimum: 0,
      maximum: 60_000,
      default: 5000,
      description: "Milliseconds; 5000 when left out.",
    },
  },
} as const satisfies Schema;
export type WaitRequest = FromSchema<typeof WaitRequest>;

/** A problem, with the requests that did arrive. */
export const WaitTimedOut = {
  type: "object",
  required: [...Problem.required, "requests", "total"],
  properties: { ...Problem.properties, requests: { type: "array", items: RequestEntry }, total: count },
} as const satisfies Schema;

/** What Pact's verifiers send before and after each interaction. They may send more. */
export const ProviderState = {
  type: "object",
  properties: {
    consumer: string,
    state: { type: ["string", "null"], description: "A scenario's name, or one of the states that are built in." },
    states: { type: ["array", "null"], items: string, description: "Several at once, as older verifiers send them." },
    action: { type: "string", enum: ["setup", "teardown"], default: "setup" },
    params: {
      type: ["object", "null"],
      properties: {
        project: { type: "string", description: "The project; without one, a scenario is turned on for all." },
        projectKey: { type: "string", description: "The same, as the service's paths call it." },
      },
    },
  },
} as const satisfies Schema;
export type ProviderState = FromSchema<typeof ProviderState>;

/** Values that a pact's generators can take up. */
export const ProviderStateValues = {
  type: "object",
  properties: { id, key, version: { type: "integer" } },
} as const satisfies Schema;
