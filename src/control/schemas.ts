import { closedObject, count, dateTime, type FromSchema, object, type Schema, string } from "../contract/schema.ts";
import { ArrayTestType } from "../contract/schemas.ts";
import { RequestEntry } from "../journal/entry.ts";
import { Match } from "../matching/match.ts";
import { LAST_INSTANT } from "../projects/clock.ts";
import { Activation, Rule } from "../scenarios/scenario.ts";
import { ImageDocument } from "../state/document.ts";
import { RecordDraft } from "../state/record.ts";

/**
 * What the control API takes and answers, beside what its subjects define themselves (settings, scenarios, the journal's
 * entries, verification, coverage, state documents). The client's types are these schemas'.
 */

/** RFC 9457, with the places of what is wrong. */
export const Problem = object(["type", "title", "status", "detail"], {
  type: { type: "string", description: "Names the kind of problem; nothing is to be found at it." },
  title: string,
  status: { type: "integer" },
  detail: string,
  errors: {
    type: "array",
    description: "At most 20.",
    items: object(["detail"], {
      detail: string,
      pointer: { type: "string", description: "RFC 6901, into the body." },
      parameter: { type: "string", description: "A parameter of the path or the query." },
    }),
  },
});
export type Problem = FromSchema<typeof Problem>;

export const Health = object(["status", "version", "uptime"], {
  status: { type: "string", enum: ["ok", "draining"] },
  version: string,
  uptime: { ...count, description: "Seconds." },
});
export type Health = FromSchema<typeof Health>;

export const Clock = object(["now", "frozen"], { now: dateTime, frozen: { type: "boolean" } });
export type Clock = FromSchema<typeof Clock>;

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

export const ProjectSummary = object(
  ["key", "resources", "bytes", "requests", "snapshots", "scenarios", "rules", "clock"],
  {
    key: string,
    resources: count,
    bytes: {
      ...count,
      description:
        "Memory that its state takes, with snapshots, rules and inline scenarios. What projects share counts once.",
    },
    requests: { ...count, description: "Requests that have been answered since its beginning." },
    snapshots: count,
    scenarios: { type: "array", items: string, description: "Those that are on in it, newest first." },
    rules: count,
    clock: Clock,
  },
);
export type ProjectSummary = FromSchema<typeof ProjectSummary>;

export const ProjectList = object(["projects", "total", "state"], {
  projects: { type: "array", items: ProjectSummary },
  total: count,
  state: object(["bytes", "limit"], {
    bytes: { ...count, description: "Memory that the state of all projects takes." },
    limit: { ...count, description: "Writes beyond it fail with 507: --max-state-bytes." },
  }),
});
export type ProjectList = FromSchema<typeof ProjectList>;

/** A resource as the control API shows it; it may hold further fields. */
export const Resource = object(["id", "version", "createdAt", "lastModifiedAt", "objectTypeProperty"], {
  id: string,
  key: string,
  version: { type: "integer", minimum: 1 },
  createdAt: dateTime,
  lastModifiedAt: dateTime,
  createdBy: { type: "string", description: "The client of the token that created it." },
  objectTypeProperty: ArrayTestType,
});

const { id, key } = Resource.properties;

export const Generate = closedObject(["generate"], {
  generate: { type: "integer", minimum: 1, maximum: 100_000, description: "How many." },
  seed: { type: "integer", minimum: 0, maximum: 4_294_967_295, description: "The same seed makes the same content." },
});
export type Generate = FromSchema<typeof Generate>;

export const Fork = closedObject(["from"], {
  from: { type: "string", description: "The key of the project whose state this one is to have." },
});
export type Fork = FromSchema<typeof Fork>;

const { base64: _bytes, ...imageFacts } = ImageDocument.properties;

export const Image = object(["id", "contentType", "uploadedAt", "bytes"], {
  ...imageFacts,
  bytes: { ...count, description: "The size." },
});
export type Image = FromSchema<typeof Image>;

export const SnapshotName = closedObject(["name"], { name: { type: "string", minLength: 1, maxLength: 100 } });
export type SnapshotName = FromSchema<typeof SnapshotName>;

export const Snapshot = object(["name", "takenAt", "resources"], {
  name: string,
  takenAt: { ...dateTime, description: "By the project's clock." },
  resources: count,
});
export type Snapshot = FromSchema<typeof Snapshot>;

/** A scenario that can be turned on for all projects, and whether it is. */
export const KnownScenario = object(["name", "on"], {
  name: string,
  description: string,
  on: { type: "boolean", description: "Whether it is on for all projects." },
  times: count,
  probability: { type: "number" },
});
export type KnownScenario = FromSchema<typeof KnownScenario>;

export const ActiveScenario = object(["name", "used", "inline", "rules"], {
  name: string,
  description: string,
  times: count,
  probability: { type: "number" },
  used: { ...count, description: "How many requests it has taken effect on." },
  inline: { type: "boolean", description: "Whether its rules came with the call that turned it on." },
  rules: { type: "array", items: Rule },
});

export const AddedRule = object(["id", "used", "rule"], { id: string, used: count, rule: Rule });

export const TokenRequest = closedObject([], {
  scopes: {
    type: "array",
    maxItems: 100,
    items: { type: "string", minLength: 1, maxLength: 512 },
    description: "manage_test is this project's, manage_test:other another's. All of this project's when left out.",
  },
  expiresIn: { type: "integer", minimum: 0, maximum: 315_360_000, description: "Seconds; two days when left out." },
  clientId: { type: "string", minLength: 1, maxLength: 256, description: "The client that createdBy names." },
});
export type TokenRequest = FromSchema<typeof TokenRequest>;

/** As `POST /oauth/token` answers (RFC 6749, 5.1). */
export const Token = object(["access_token", "token_type", "expires_in", "scope"], {
  access_token: string,
  token_type: { const: "Bearer" },
  expires_in: { ...count, description: "Seconds." },
  scope: { type: "string", description: "Separated by spaces." },
});
export type Token = FromSchema<typeof Token>;

export const WaitRequest = closedObject([], {
  match: Match,
  count: { type: "integer", minimum: 1, maximum: 10_000, default: 1, description: "How many." },
  timeout: {
    type: "integer",
    minimum: 0,
    maximum: 60_000,
    default: 5000,
    description: "Milliseconds.",
  },
});
export type WaitRequest = FromSchema<typeof WaitRequest>;

/** A problem, with the requests that did arrive. */
export const WaitTimedOut = object([...Problem.required, "requests", "total"], {
  ...Problem.properties,
  requests: { type: "array", items: RequestEntry },
  total: count,
});

/** What Pact's verifiers send before and after each interaction. They may send more. */
export const ProviderState = object([], {
  consumer: string,
  state: { type: ["string", "null"], description: "A scenario's name, or one of the states that are built in." },
  states: { type: ["array", "null"], items: string, description: "Several at once, as older verifiers send them." },
  action: { type: "string", enum: ["setup", "teardown"], default: "setup" },
  params: {
    type: ["object", "null"],
    description: "With the state of a resource, any further fields of the resource.",
    properties: {
      project: { type: "string", description: "The project; without one, a scenario is turned on for all." },
      projectKey: { type: "string", description: "The same, as the service's paths call it." },
      times: Activation.properties.times,
      probability: Activation.properties.probability,
      ...RecordDraft.properties,
    },
  },
});
export type ProviderState = FromSchema<typeof ProviderState>;

/** Values that a pact's generators can take up. */
export const ProviderStateValues = object([], { id, key, version: { type: "integer" } });
