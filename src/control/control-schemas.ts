import {
  closedObject,
  count,
  dateTime,
  type FromSchema,
  LAST_INSTANT,
  MAX_DETAILS,
  MAX_EXPIRES_IN,
  MAX_GENERATED,
  MAX_ID,
  MAX_JOURNAL_SIZE,
  MAX_LISTED_COLLECTIONS,
  MAX_NAME,
  MAX_SCOPE_LENGTH,
  MAX_SCOPES,
  MAX_WAIT_MS,
  object,
  objectExcept,
  type Schema,
  string,
  typeFacts,
} from "../contract/index.ts";
import { inProgress, NearMiss, RequestEntry } from "../journal/index.ts";
import { ArchiveSource } from "../project/index.ts";
import { Match, Rule, SavedScenario } from "../rules/index.ts";
import { type ResourceRecord, StoredItem } from "../state/index.ts";

/**
 * Request and response schemas of the control API. Settings, scenarios, journal entries, verification, coverage and
 * state documents have schemas in their own modules. The types of the client are derived from these schemas.
 */

/** Problem details (RFC 9457), with the location of each invalid value. */
export const Problem = object(["type", "title", "status", "detail"], {
  type: {
    type: "string",
    description: "A URN that identifies the kind of problem. Its last segment is the error code.",
  },
  title: string,
  status: { type: "integer" },
  detail: string,
  errors: {
    type: "array",
    description: `The invalid values, at most ${MAX_DETAILS}.`,
    items: object(["detail"], {
      detail: string,
      pointer: { type: "string", description: "A JSON pointer into the body (RFC 6901)." },
      parameter: { type: "string", description: "The name of a path parameter, query parameter or header." },
    }),
  },
});
export type Problem = FromSchema<typeof Problem>;

const ProjectsWithProblem = object(["projects", "problem"], {
  projects: { ...count, description: "The number of these projects." },
  problem: { type: "string", description: "The location and the reason for one of them." },
});

export const Health = object(["status", "version", "uptime"], {
  status: {
    type: "string",
    enum: ["ok", "draining", "unavailable"],
    description: "unavailable: the shared store cannot be reached, or takes no changes, so requests get 503.",
  },
  loads: {
    ...count,
    description: "With --share: how often this process has loaded a project, or changes of other processes to one.",
  },
  slow: {
    ...object(["steps", "milliseconds"], {
      steps: { ...count, description: "The number of these requests and calls." },
      milliseconds: { ...count, description: "The time of the oldest one." },
    }),
    description: "With --share: requests and calls whose changes could not be stored for more than five seconds.",
  },
  problem: { type: "string", description: "The reason, if the status is unavailable." },
  version: string,
  uptime: { ...count, description: "Seconds since the start of the server." },
  unsaved: {
    ...ProjectsWithProblem,
    description:
      "Projects that `--projects` could not save, for example because the disk is full. The server retries every second.",
  },
  unreadable: {
    ...ProjectsWithProblem,
    description:
      "Projects that `--projects` could not restore at the start; their files stay in the folder. With `--share`: projects with parts that this process cannot read, and leaves out.",
  },
});
export type Health = FromSchema<typeof Health>;

export const Clock = object(["now", "frozen"], { now: dateTime, frozen: { type: "boolean" } });
export type Clock = FromSchema<typeof Clock>;

export const ClockChange = {
  ...closedObject([], {
    now: {
      type: ["string", "integer"],
      description: "The new time: a date-time (RFC 3339), or milliseconds since 1970.",
      minimum: 0,
      maximum: LAST_INSTANT,
    },
    frozen: {
      type: "boolean",
      description:
        "`true` stops the clock, `false` lets it run. Without `now`, the clock keeps its time. With `now`, false by default.",
    },
    advance: {
      type: "integer",
      minimum: 0,
      maximum: LAST_INSTANT,
      description:
        "Advances the clock by this many milliseconds. A frozen clock stays frozen. Cannot be combined with `now` or `frozen`.",
    },
  }),
  minProperties: 1,
} as const satisfies Schema;

export const ProjectSummary = objectExcept(["lastRequestAt", "archive"], {
  key: string,
  resources: count,
  bytes: {
    ...count,
    description:
      "The size of what the project has written: characters of JSON, bytes of images, and its rules and inline scenarios. Snapshots count nothing; initial resources, forks and restored states count only in a process that has loaded them from a file or store.",
  },
  requests: {
    ...count,
    description: "The number of requests with a response, since the project was created or reset.",
  },
  errors: {
    ...count,
    description: "The number of these requests with a status of 400 or above, or with a broken connection.",
  },
  unexpected: {
    ...count,
    description: "The number of these errors without an effect of a rule, a scenario or a function.",
  },
  violations: { ...count, description: "The number of these requests that violated the contract." },
  failedVerifications: { ...count, description: "The number of failed verifications that the project keeps." },
  lastRequestAt: {
    ...dateTime,
    description: "The arrival of the last of these requests, by the server's clock. Absent without requests.",
  },
  snapshots: count,
  scenarios: { type: "array", items: string, description: "The active scenarios, newest first." },
  rules: count,
  clock: Clock,
  archive: {
    ...object([], {
      ...ArchiveSource.properties,
      file: { type: "string", description: "The file that the server opened at its start." },
      restoredAt: { ...dateTime, description: "The time of the restore, by the server's clock." },
    }),
    description: "The archive that the project was restored from. Absent for other projects, and after a reset.",
  },
});
export type ProjectSummary = FromSchema<typeof ProjectSummary>;

export const ProjectList = object(["projects", "total", "state"], {
  projects: { type: "array", items: ProjectSummary },
  total: count,
  state: object(["bytes", "limit"], {
    bytes: { ...count, description: "The `bytes` of all projects together." },
    limit: { ...count, description: "The value of --max-state-bytes. Writes that exceed the limit fail with 507." },
  }),
});

/*
 * The contract decides the form of these values. Their calls validate bodies by the schemas of the contract, which the
 * document of the control API shows in their place.
 */

/** A resource in the control API. It can have additional fields. */
export const Resource: Schema = { type: "object" };

/** A resource in a request. */
export const ResourceDraft = { type: "object", properties: {} } as const satisfies Schema;

/** The whole state of a project. */
export const State = { type: "object", additionalProperties: true } as const satisfies Schema;

/** An item of any type. */
export const AnyItem = { anyOf: [Resource, StoredItem] } as const satisfies Schema;

/** A type of the stored items. */
export const StoredType = object(["name", "path", "kind"], {
  ...typeFacts,
  count: { ...count, description: "The number of items. Absent for initial items that nothing has read yet." },
  collections: {
    ...{ type: "array", items: object(["path"], { path: string, count }) },
    description: `The collections of a type with parameters in its path, for the parameter \`type\`: at most ${MAX_LISTED_COLLECTIONS}.`,
  },
});
export type StoredType = FromSchema<typeof StoredType>;

/** A version of a resource. */
export const ResourceVersion = object(["version", "writtenAt", "moment", "by"], {
  version: { anyOf: [{ type: "integer" }, { type: "null" }], description: "null if the resource was deleted." },
  writtenAt: { ...dateTime, description: "The time of the write by the server's clock." },
  moment: { type: "integer", minimum: 1, description: "The moment after the write." },
  by: { enum: ["request", "control"], description: "Who wrote it: a request, or a call of the control API." },
  request: { type: "string", description: "The id of the request." },
  method: string,
  path: string,
  client: { type: "string", description: "The client that the token of the request was issued to." },
  resource: { ...AnyItem, description: "The whole resource. Absent if it was deleted, or longer than 64 KiB." },
  cut: { type: "integer", description: "The size of a resource that is too long to keep, in characters." },
});
export interface ResourceVersion extends Omit<FromSchema<typeof ResourceVersion>, "resource"> {
  /** The whole resource. Absent if it was deleted, or longer than 64 KiB. */
  readonly resource?: ResourceRecord;
}

export const Generate = closedObject(["generate"], {
  generate: { type: "integer", minimum: 1, maximum: MAX_GENERATED, description: "The number of resources." },
  seed: {
    type: "integer",
    minimum: 0,
    maximum: 4_294_967_295,
    description: "The same seed generates the same content.",
  },
});
export type Generate = FromSchema<typeof Generate>;

export const Fork = closedObject(["from"], {
  from: { type: "string", description: "The key of the project to copy." },
});
export type Fork = FromSchema<typeof Fork>;

export const SnapshotName = closedObject(["name"], {
  name: { type: "string", minLength: 1, maxLength: MAX_NAME, format: "path-segment" },
});

export const Snapshot = object(["name", "takenAt", "resources"], {
  name: string,
  takenAt: { ...dateTime, description: "The time of the project's clock." },
  resources: count,
});
export type Snapshot = FromSchema<typeof Snapshot>;

const { inline, times, probability } = SavedScenario.properties;

/** A scenario, and whether it is active for all projects. */
export const KnownScenario = object(["name", "on", "inline"], {
  name: string,
  description: string,
  on: { type: "boolean", description: "Whether the scenario is active for all projects." },
  inline,
  times,
  probability,
});
export type KnownScenario = FromSchema<typeof KnownScenario>;

/** A scenario with its rules. */
export const DefinedScenario = object(["name", "on", "inline", "rules"], {
  ...KnownScenario.properties,
  rules: { type: "array", items: Rule },
});
export type DefinedScenario = FromSchema<typeof DefinedScenario>;

export const TokenRequest = closedObject([], {
  scopes: {
    type: "array",
    maxItems: MAX_SCOPES,
    items: { type: "string", minLength: 1, maxLength: MAX_SCOPE_LENGTH },
    description: "Scopes of this project, such as `manage_test`. By default, all scopes.",
  },
  expiresIn: {
    type: "integer",
    minimum: 0,
    maximum: MAX_EXPIRES_IN,
    description: "Lifetime in seconds; two days by default.",
  },
  clientId: {
    type: "string",
    minLength: 1,
    maxLength: MAX_ID,
    description: "The client of the token. Resources have it in `createdBy`.",
  },
});
export type TokenRequest = FromSchema<typeof TokenRequest>;

/** What requests of a service can have to prove who sends them. */
export const ContractSecurity = object(["credentials", "scopes"], {
  credentials: {
    type: "array",
    description: "Each place of credentials that an operation requires.",
    items: object(["in", "name"], {
      in: { enum: ["header", "query", "cookie"] },
      name: { type: "string", description: "The name of the header, query parameter or cookie." },
      scheme: {
        type: "string",
        description: "The scheme in the header, such as bearer or basic; absent for API keys.",
      },
    }),
  },
  scopes: { type: "array", items: string, description: "The scopes that tokens can have." },
});
export type ContractSecurity = FromSchema<typeof ContractSecurity>;

/** A token, in the format of the token endpoint (RFC 6749, 5.1). */
export const Token = object(["access_token", "token_type", "expires_in", "scope"], {
  access_token: string,
  token_type: { const: "Bearer" },
  expires_in: { ...count, description: "Lifetime in seconds." },
  scope: { type: "string", description: "Scopes, separated by spaces." },
});
export type Token = FromSchema<typeof Token>;

/** A valid token in a list, without its text. */
export const ListedToken = object(["id", "startsWith", "clientId", "scopes", "issuedAt", "expiresAt"], {
  id: { type: "string", description: "Revokes the token: `DELETE …/tokens/{id}`." },
  startsWith: { type: "string", description: "The first six characters of the token." },
  clientId: string,
  scopes: { type: "array", items: string },
  issuedAt: { ...dateTime, description: "The time of the project's clock." },
  expiresAt: { ...dateTime, description: "The time of the project's clock." },
});
export type ListedToken = FromSchema<typeof ListedToken>;

export const WaitRequest = closedObject([], {
  match: Match,
  count: {
    type: "integer",
    minimum: 1,
    maximum: MAX_JOURNAL_SIZE,
    default: 1,
    description: "The number of requests to wait for.",
  },
  timeout: {
    type: "integer",
    minimum: 0,
    maximum: MAX_WAIT_MS,
    default: 5000,
    description: "The longest wait, in milliseconds.",
  },
});
export type WaitRequest = FromSchema<typeof WaitRequest>;

/** A problem, with the matching requests that arrived in time. */
export const WaitTimedOut = object([...Problem.required, "requests", "total"], {
  ...Problem.properties,
  requests: { type: "array", items: RequestEntry },
  total: count,
  nearest: { type: "array", description: "The requests nearest to a match, with their differences.", items: NearMiss },
  inProgress,
});

/** The request that Pact verifiers send before and after each interaction. They can send additional members. */
export const ProviderState = object([], {
  consumer: string,
  state: { type: ["string", "null"], description: "The name of a scenario or of a built-in state." },
  action: { type: "string", enum: ["setup", "teardown"], default: "setup" },
  params: {
    type: ["object", "null"],
    description: "The values of the state. For `a resource exists`, also further fields of the resource.",
    properties: {
      project: {
        type: "string",
        description: "The project key. Without a project, a scenario is activated for all projects.",
      },
    },
    additionalProperties: true,
  },
});
export type ProviderState = FromSchema<typeof ProviderState>;

/** Values for the generators of a pact: the identities of the resource, and those below. */
export const ProviderStateValues = object([], {
  id: string,
  version: { type: "integer" },
  accessToken: { type: "string", description: "The token of the state `a token exists`." },
  credentials: { type: "string", description: "The credentials of the state `credentials exist`." },
});

/** The recorded requests that a rule would apply to. */
export const MatchedRequests = object(["requests", "matched"], {
  requests: { ...count, description: "The number of requests in the journal and in progress." },
  matched: { ...count, description: "The number of them that match." },
  nearest: { ...NearMiss, description: "The request nearest to a match that does not match." },
});
export type MatchedRequests = FromSchema<typeof MatchedRequests>;

export const OpenApi = { type: "object", description: "An OpenAPI 3.1 document." } as const satisfies Schema;
