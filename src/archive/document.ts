import { MAX_JSON_BYTES } from "../call/body.ts";
import { closedObject, count, type FromSchema, object, type Schema, string } from "../contract/schema.ts";
import { AnyJson } from "../contract/schemas.ts";
import { MAX_KEPT_BODY } from "../journal/exchange.ts";
import { MAX_CHANGES } from "../journal/history.ts";
import { OperationName } from "../matching/match.ts";
import { ArchiveSource } from "../projects/archive-source.ts";
import { LAST_INSTANT } from "../projects/clock.ts";
import { MAX_PROJECT_KEY } from "../projects/projects.ts";
import { Counter, SavedRules, SavedUses } from "../scenarios/saved-rules.ts";
import { RequestSettings } from "../scenarios/scenario.ts";
import { SettingsSchema } from "../settings/settings.ts";
import { ImageDocument, StateDocument } from "../state/document.ts";
import { MAX_NAME, RecordDraft } from "../state/record.ts";

/** The format of archives, with its version. A change that older versions cannot read gets a new number. */
export const ARCHIVE_FORMAT = "resource-mock-archive/1";

/** A time in milliseconds since 1970, as far as dates go. */
const instant = { type: "number", minimum: -8.64e15, maximum: 8.64e15 } as const satisfies Schema;
const milliseconds = { type: "number", minimum: 0, maximum: 8.64e15 } as const satisfies Schema;
const int32 = { type: "integer", minimum: -2147483648, maximum: 2147483647 } as const satisfies Schema;
const strings = { type: "array", items: string } as const satisfies Schema;
const textByName = { type: "object", additionalProperties: string } as const satisfies Schema;
const countByName = {
  type: "object",
  additionalProperties: Counter,
  maxProperties: 1000,
  propertyNames: { maxLength: 256 },
} as const satisfies Schema;
/** A short text that the server itself has created. */
const label = { type: "string", maxLength: 1000 } as const satisfies Schema;

const ArchivedCore = closedObject(
  ["origin", "clock", "requests", "errors", "violations", "stubbed", "requestIds", "forgotten", "uses"],
  {
    origin: {
      ...closedObject(["seed", "projectKey"], {
        seed: { type: "string", maxLength: 100 },
        projectKey: { type: "string", maxLength: MAX_PROJECT_KEY },
      }),
      description: "The seed and the project key that ids, random numbers and generated data come from.",
    },
    clock: {
      ...closedObject(["offset"], {
        offset: {
          ...instant,
          description: "The difference to the server's clock.",
        },
        frozenAt: {
          type: "number",
          minimum: 0,
          maximum: LAST_INSTANT,
          description: "The time of a frozen clock, since 1970.",
        },
      }),
      description: "The clock of the project, in milliseconds.",
    },
    random: {
      type: "array",
      minItems: 4,
      maxItems: 4,
      items: int32,
      description: "The position in the sequence of random numbers. Absent before the first one.",
    },
    rateWindow: {
      ...closedObject(["start", "requests"], { start: instant, requests: Counter }),
      description:
        "The requests in the current window of the setting rateLimit, which starts at a time of the project.",
    },
    requests: Counter,
    errors: Counter,
    violations: Counter,
    lastRequestAt: { ...instant, description: "The arrival of the last request by the server's clock." },
    stubbed: { ...Counter, description: "The number of ids that stubbed responses have used." },
    requestIds: { ...Counter, description: "The number of the last request id." },
    moment: { ...Counter, description: "The number of sets of changes that the state has had." },
    forgotten: { ...Counter, description: "The number of requests that the journal has dropped." },
    uses: {
      type: "array",
      maxItems: 3000,
      items: SavedUses,
      description: "The uses of the scenarios and rules, including scenarios that are active for all projects.",
    },
  },
);

const ArchivedCoverage = closedObject(["operations", "violations", "otherViolations"], {
  operations: {
    type: "array",
    maxItems: 1000,
    description: "Without `operation`, the requests that match no operation.",
    items: closedObject(["requests", "offContract"], {
      operation: OperationName,
      requests: Counter,
      offContract: Counter,
      failures: countByName,
      statuses: { ...countByName, propertyNames: { pattern: "^[0-9]{1,3}$" } },
      actions: countByName,
      errorCodes: countByName,
    }),
  },
  violations: {
    type: "array",
    maxItems: 1000,
    items: closedObject(["operation", "code", "message", "count"], {
      operation: string,
      code: string,
      field: string,
      message: string,
      count: Counter,
    }),
  },
  otherViolations: Counter,
});

const { resources: _resources, namespaceAction: _action, $schema: _schema, ...stateParts } = StateDocument.properties;

/** A resource as the store has it. With the setting `validation`, its content can violate the contract. */
const ArchivedResource = object(["id", "version", "createdAt", "lastModifiedAt", "objectTypeProperty"], {
  ...RecordDraft.properties,
  objectTypeProperty: { type: "object" },
});

const ArchivedState = closedObject(["resources", "deleted", "images", "numbered"], {
  resources: { type: "array", items: ArchivedResource, description: "In the order of creation." },
  ...stateParts,
  namespaceAction: {
    type: "array",
    maxItems: 1,
    items: AnyJson,
    description: "The last body of writeNamespaceAction, in a list, as the body can be null.",
  },
  created: { ...Counter, description: "The number of resources that the project has created." },
  numbers: {
    ...closedObject([], { resources: { type: "array", items: Counter }, images: { type: "array", items: Counter } }),
    description: "The numbers in the order of creation and of upload, if some were deleted.",
  },
});
export type ArchivedState = FromSchema<typeof ArchivedState>;

const ArchivedBody = {
  description: "A text, or bytes that are not UTF-8.",
  anyOf: [string, closedObject(["base64"], { base64: string })],
} as const satisfies Schema;

const headers = {
  type: "object",
  additionalProperties: { anyOf: [string, strings] },
} as const satisfies Schema;

const violations = {
  type: "array",
  items: closedObject(["code", "message"], { code: label, message: string, field: string }),
} as const satisfies Schema;

const sizes = closedObject([], { request: count, response: count });

const id = { type: "string", maxLength: MAX_NAME } as const satisfies Schema;
const versionOrNull = { anyOf: [{ type: "integer" }, { type: "null" }] } as const satisfies Schema;
const authorFacts = { request: label, method: label, path: string, client: label } as const;

const CutValue = closedObject(["cut", "start"], {
  cut: Counter,
  start: { type: "string", maxLength: MAX_KEPT_BODY },
  version: Counter,
});
/** A value of a table (see TableValues), or a cut value. */
const kept = (value: Schema) => ({ anyOf: [CutValue, value] }) as const;
const placed = (value: Schema) =>
  ({ type: "array", minItems: 2, maxItems: 2, prefixItems: [Counter, value], items: AnyJson }) as const;
const changeOf = (table: string, value: Schema) =>
  closedObject(["table", "id"], { table: { const: table }, id, before: kept(value), after: kept(value) });

/** A set of changes of the state (see ChangeSet). */
const ArchivedChanges = closedObject(["number", "at", "author", "changes"], {
  number: Counter,
  at: instant,
  author: closedObject(["by"], {
    by: { enum: ["request", "control"] },
    ...authorFacts,
    before: Counter,
    after: Counter,
  }),
  changes: {
    type: "array",
    maxItems: MAX_CHANGES,
    items: {
      anyOf: [
        changeOf("resource", placed(ArchivedResource)),
        changeOf("image", placed(ImageDocument)),
        changeOf("deletedId", { const: true }),
        changeOf("deletedKey", { const: true }),
        changeOf("action", closedObject(["body"], { body: AnyJson })),
        changeOf(
          "facts",
          closedObject(["created", "numbered"], { lastWritten: id, created: Counter, numbered: Counter }),
        ),
      ],
    },
  },
  problem: label,
});

const ArchivedRequest = closedObject(
  [
    "id",
    "receivedAt",
    "serverTime",
    "arrival",
    "duration",
    "method",
    "origin",
    "path",
    "query",
    "headers",
    "pathParameters",
    "actions",
    "status",
    "isBroken",
    "responseHeaders",
    "responseBody",
    "source",
    "decisions",
    "effects",
    "violations",
    "unnamed",
  ],
  {
    id: { type: "string", pattern: "^[0-9a-f]{8}-[0-9]{1,16}$" },
    receivedAt: instant,
    serverTime: instant,
    arrival: {
      ...Counter,
      description: "The position in the order of arrival. The list is in the order of the responses.",
    },
    duration: milliseconds,
    delayed: milliseconds,
    method: string,
    origin: string,
    path: string,
    query: string,
    headers,
    requestBody: ArchivedBody,
    operationId: OperationName,
    pathParameters: textByName,
    actions: { type: "array", maxItems: 100, items: label },
    status: { type: "integer", minimum: 0, maximum: 999 },
    isBroken: { type: "boolean" },
    responseHeaders: headers,
    responseBody: { anyOf: [{ type: "null" }, ...ArchivedBody.anyOf], description: ArchivedBody.description },
    source: string,
    offContract: { type: "boolean" },
    evolved: { type: "boolean" },
    decisions: strings,
    effects: {
      type: "array",
      maxItems: 10,
      items: closedObject(["source", "effect"], {
        source: string,
        effect: label,
        fault: label,
        settings: RequestSettings,
      }),
    },
    forcedBy: label,
    violations,
    upstream: closedObject(["url", "requestHeaders", "ms", "violations"], {
      url: string,
      requestHeaders: headers,
      status: { type: "integer", minimum: 0, maximum: 999 },
      responseHeaders: headers,
      ms: milliseconds,
      violations,
      error: string,
      recorded: label,
    }),
    changes: {
      type: "array",
      maxItems: 10_000,
      items: closedObject([], {
        resource: id,
        from: versionOrNull,
        to: versionOrNull,
        image: id,
        namespaceAction: { const: true },
      }),
    },
    moments: { type: "array", minItems: 2, maxItems: 2, items: Counter },
    conflict: closedObject(["sent", "stored"], {
      sent: { type: "number" },
      stored: Counter,
      writer: closedObject(["by", "earlier"], {
        by: { enum: ["request", "control", "effect"] },
        ...authorFacts,
        earlier: milliseconds,
      }),
    }),
    unnamed: strings,
    cut: { ...sizes, description: "The original sizes of bodies that were cut, in bytes." },
    sizes: { ...sizes, description: "The original sizes of bodies whose secrets were removed, in bytes." },
  },
);
export type ArchivedRequest = FromSchema<typeof ArchivedRequest>;

/** A whole project as one JSON value. A restored project continues as the archived one would have continued. */
export const ArchiveDocument = closedObject(
  ["format", "core", "settings", "rules", "coverage", "state", "snapshots", "journal"],
  {
    $schema: string,
    format: { const: ARCHIVE_FORMAT, description: "The format with its version." },
    source: ArchiveSource,
    core: {
      ...ArchivedCore,
      description: "The clock, the positions in sequences, the counters, and the uses of scenarios and rules.",
    },
    settings: { ...SettingsSchema, description: "The settings. Absent ones have the values of the server." },
    rules: { ...SavedRules, description: "The active scenarios and rules. Functions of tests are left out." },
    coverage: ArchivedCoverage,
    state: ArchivedState,
    snapshots: {
      type: "array",
      maxItems: 100,
      description: "Oldest first.",
      items: closedObject(["name", "takenAt", "state"], {
        name: { type: "string", minLength: 1, maxLength: 100 },
        takenAt: { type: "string", format: "date-time" },
        state: ArchivedState,
      }),
    },
    history: {
      type: "array",
      maxItems: 100_000,
      items: ArchivedChanges,
      description: "The last changes of the state, oldest first.",
    },
    journal: {
      type: "array",
      maxItems: 100_000,
      items: ArchivedRequest,
      description: "The requests with their responses, oldest response first, without credentials and tokens.",
    },
  },
);
export type ArchiveDocument = FromSchema<typeof ArchiveDocument>;

/** The largest size of an image in base64 with its metadata, in bytes. */
const MAX_IMAGE_TEXT = Math.ceil(SettingsSchema.properties.maxImageBytes.maximum / 3) * 4 + 64 * 1024;

const listsOfState = (pointer: string) => ({
  [`${pointer}/resources`]: MAX_JSON_BYTES,
  [`${pointer}/deleted/ids`]: MAX_JSON_BYTES,
  [`${pointer}/deleted/keys`]: MAX_JSON_BYTES,
  [`${pointer}/namespaceAction`]: MAX_JSON_BYTES,
  [`${pointer}/images`]: MAX_IMAGE_TEXT,
});

/** The long lists of an archive: the largest size of an item in bytes, by the pointer of the list. */
export const archiveLists: Readonly<Record<string, number>> = {
  "/rules/scenarios": 2 * MAX_JSON_BYTES,
  "/rules/rules": 2 * MAX_JSON_BYTES,
  ...listsOfState("/state"),
  ...listsOfState("/snapshots/*/state"),
  "/history": 2 * MAX_JSON_BYTES,
  "/journal": MAX_JSON_BYTES,
};
