import {
  AnyJson,
  closedObject,
  count,
  MAX_CHANGES,
  MAX_CLOCK_CHANGES,
  MAX_HEADER_VALUE,
  MAX_HEADERS,
  MAX_ID,
  MAX_INT32,
  MAX_KEPT_BODY,
  MAX_KEPT_ITEMS,
  MAX_KEPT_TARGET,
  MAX_KEPT_TEXT,
  MAX_NAME,
  MAX_PROBLEMS,
  MAX_RULES,
  MAX_SNAPSHOTS,
  MAX_TEXT,
  MAX_VIOLATION_LOCATIONS,
  object,
  type Schema,
  string,
} from "../../contract/index.ts";
import { ArchiveSource, LAST_INSTANT } from "../../project/index.ts";
import {
  Counter,
  OperationName,
  RequestSettings,
  SavedRule,
  SavedRulesHeader,
  SavedScenario,
  SavedUses,
} from "../../rules/index.ts";
import { ImageDocument, RecordDraft, SettingsSchema } from "../../state/index.ts";

/** The format of archives, with its version. A change that older versions cannot read gets a new number. */
export const ARCHIVE_FORMAT = "resource-mock-archive/2";

/** A time in milliseconds since 1970, as far as dates go. */
const instant = { type: "number", minimum: -8.64e15, maximum: 8.64e15 } as const satisfies Schema;
const milliseconds = { type: "number", minimum: 0, maximum: 8.64e15 } as const satisfies Schema;
const int32 = { type: "integer", minimum: -MAX_INT32 - 1, maximum: MAX_INT32 } as const satisfies Schema;
const countByName = {
  type: "object",
  additionalProperties: Counter,
  maxProperties: 1000,
  propertyNames: { maxLength: MAX_ID },
} as const satisfies Schema;
/** A text of a violation, which ends with `…` if it was cut. */
const text = { type: "string", maxLength: MAX_TEXT + 1 } as const satisfies Schema;
const id = { type: "string", maxLength: MAX_ID } as const satisfies Schema;
const placed = (value: Schema) =>
  ({ type: "array", minItems: 2, maxItems: 2, prefixItems: [Counter, value], items: AnyJson }) as const;
const facts = closedObject(["created", "numbered"], { lastWritten: id, created: Counter, numbered: Counter });
const label = { type: "string", maxLength: MAX_KEPT_TEXT } as const satisfies Schema;
const labels = { type: "array", maxItems: MAX_KEPT_ITEMS, items: label } as const satisfies Schema;
/** A path or a query. */
const target = { type: "string", maxLength: MAX_KEPT_TARGET } as const satisfies Schema;

const clockSetting = {
  offset: { ...instant, description: "The difference to the server's clock." },
  frozenAt: {
    type: "number",
    minimum: 0,
    maximum: LAST_INSTANT,
    description: "The time of a frozen clock, since 1970.",
  },
} as const satisfies Record<string, Schema>;

const Core = closedObject(["origin", "clock", "counts", "facts", "uses"], {
  origin: {
    ...closedObject(["seed", "projectKey"], {
      seed: { type: "string", maxLength: 100 },
      projectKey: { type: "string", maxLength: MAX_ID },
    }),
    description: "The seed and the project key that ids, random numbers and generated data come from.",
  },
  clock: {
    ...closedObject(["offset"], {
      ...clockSetting,
      earlier: {
        type: "array",
        maxItems: MAX_CLOCK_CHANGES,
        items: closedObject(["offset", "until"], { ...clockSetting, until: instant }),
        description: "The clock before each of its changes, and the time of the change by the server's clock.",
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
    description: "The requests in the current window of the setting rateLimit, which starts at a time of the project.",
  },
  counts: {
    ...closedObject(["requests", "errors", "violations", "stubbed", "requestIds", "lastSerial"], {
      requests: Counter,
      errors: Counter,
      violations: Counter,
      lastRequestAt: { ...instant, description: "The arrival of the last request by the server's clock." },
      stubbed: { ...Counter, description: "The number of ids that stubbed responses have used." },
      requestIds: { ...Counter, description: "The number of the last request id." },
      lastSerial: { ...Counter, description: "The position of the last response in the order of all responses." },
    }),
    description: "The numbers that change with nearly every request.",
  },
  facts: {
    ...facts,
    description:
      "The numbers of the last created resource and of the last generated id, and the last written resource.",
  },
  moment: { ...Counter, description: "The number of sets of changes that the state has had." },
  journal: {
    ...closedObject(["last", "forgotten"], { last: Counter, forgotten: Counter }),
    description: "The number of the last request in the journal, and the number of requests that it has dropped.",
  },
  archive: {
    ...closedObject([], { source: ArchiveSource, file: string, restoredAt: instant }),
    description: "The archive that the project was restored from.",
  },
  uses: {
    type: "array",
    maxItems: 3 * MAX_RULES,
    items: SavedUses,
    description: "The uses of the scenarios and rules, including scenarios that are active for all projects.",
  },
});

const Coverage = closedObject(["operations", "violations", "otherViolations"], {
  operations: {
    type: "object",
    maxProperties: 1000,
    propertyNames: { anyOf: [OperationName, { const: "" }] },
    description: "By operation. The empty name is for requests that match no operation.",
    additionalProperties: closedObject(["requests", "offContract"], {
      requests: Counter,
      offContract: Counter,
      failures: countByName,
      statuses: { ...countByName, propertyNames: { pattern: "^s[0-9]{1,3}$" } },
      actions: countByName,
      errorCodes: countByName,
    }),
  },
  violations: {
    type: "object",
    maxProperties: MAX_VIOLATION_LOCATIONS,
    propertyNames: { maxLength: 20_000 },
    description: "By location.",
    additionalProperties: closedObject(["operation", "code", "message", "count"], {
      operation: label,
      code: label,
      field: text,
      message: text,
      count: Counter,
    }),
  },
  otherViolations: Counter,
});

/** A resource as the store has it. With the setting `validation`, its content can violate the contract. */
const Resource = object(["id", "version", "createdAt", "lastModifiedAt", "objectTypeProperty"], {
  ...RecordDraft.properties,
  objectTypeProperty: { type: "object" },
});

const Body = {
  description: "A text, or bytes that are not UTF-8.",
  anyOf: [
    { type: "string", maxLength: MAX_KEPT_BODY },
    closedObject(["base64"], { base64: { type: "string", maxLength: 4 * Math.ceil(MAX_KEPT_BODY / 3) } }),
  ],
} as const satisfies Schema;

const headerValue = { type: "string", maxLength: MAX_HEADER_VALUE } as const satisfies Schema;
const byName = (value: Schema) =>
  ({
    type: "object",
    maxProperties: MAX_HEADERS,
    propertyNames: { maxLength: MAX_ID },
    additionalProperties: value,
  }) as const;
const headers = byName({ anyOf: [headerValue, { type: "array", maxItems: MAX_HEADERS, items: headerValue }] });

const violations = {
  type: "array",
  maxItems: MAX_PROBLEMS,
  items: closedObject(["code", "message"], { code: label, message: label, field: label }),
} as const satisfies Schema;

const sizes = closedObject([], { request: count, response: count });

const versionOrNull = { anyOf: [{ type: "integer" }, { type: "null" }] } as const satisfies Schema;
const authorFacts = { request: label, method: label, path: target, client: label } as const;

const CutValue = closedObject(["cut", "start"], {
  cut: Counter,
  start: { type: "string", maxLength: MAX_KEPT_BODY },
  version: Counter,
});
/** A value of a table (see TableValues), or a cut value. */
const kept = (value: Schema) => ({ anyOf: [CutValue, value] }) as const;
const changeOf = (table: string, value: Schema) =>
  closedObject(["table", "id"], { table: { const: table }, id, before: kept(value), after: kept(value) });

/** A set of changes of the state (see ChangeSet). */
const Changes = closedObject(["number", "at", "author", "changes"], {
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
        changeOf("resource", placed(Resource)),
        changeOf("image", placed(ImageDocument)),
        changeOf("deletedId", { const: true }),
        changeOf("deletedKey", { const: true }),
        changeOf("action", closedObject(["body"], { body: AnyJson })),
        changeOf("facts", facts),
      ],
    },
  },
  problem: label,
});

const Request = closedObject(
  [
    "id",
    "receivedAt",
    "serverTime",
    "arrival",
    "serial",
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
    arrival: { ...Counter, description: "The position in the order of arrival." },
    serial: { ...Counter, description: "The position in the order of the responses." },
    duration: milliseconds,
    delayed: milliseconds,
    method: label,
    origin: label,
    path: target,
    query: target,
    headers,
    requestBody: Body,
    operationId: OperationName,
    pathParameters: byName(headerValue),
    actions: { type: "array", maxItems: 100, items: label },
    status: { type: "integer", minimum: 0, maximum: 999 },
    isBroken: { type: "boolean" },
    responseHeaders: headers,
    responseBody: { anyOf: [{ type: "null" }, ...Body.anyOf], description: Body.description },
    source: label,
    offContract: { type: "boolean" },
    evolved: labels,
    decisions: labels,
    effects: {
      type: "array",
      maxItems: 10,
      items: closedObject(["source", "effect"], {
        source: label,
        effect: label,
        fault: label,
        settings: RequestSettings,
      }),
    },
    forcedBy: label,
    violations,
    upstream: closedObject(["url", "requestHeaders", "ms", "violations"], {
      url: target,
      requestHeaders: headers,
      status: { type: "integer", minimum: 0, maximum: 999 },
      responseHeaders: headers,
      ms: milliseconds,
      violations,
      differs: {
        type: "array",
        maxItems: MAX_PROBLEMS,
        items: closedObject(["assumption", "message", "field"], { assumption: label, message: label, field: label }),
      },
      error: label,
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
    unnamed: labels,
    cut: {
      ...closedObject([], { request: count, response: count, texts: { const: true } }),
      description: "The original sizes of bodies that were cut, in bytes, and whether other texts or lists were cut.",
    },
    sizes: { ...sizes, description: "The original sizes of bodies whose secrets were removed, in bytes." },
  },
);
/**
 * The schema of the value of a line, by the part of its name before the first `/`. The value `null` deletes what an earlier
 * line of the same name has set.
 */
export const lineSchemas = {
  format: { const: ARCHIVE_FORMAT, description: "The format with its version. Always the first line." },
  key: { type: "string", maxLength: MAX_ID, description: "The key of the project." },
  source: ArchiveSource,
  core: {
    ...Core,
    description: "The clock, the positions in sequences, the counters, and the uses of scenarios and rules.",
  },
  settings: { ...SettingsSchema, description: "The settings. Absent ones have the values of the server." },
  coverage: Coverage,
  rules: SavedRulesHeader,
  scenario: SavedScenario,
  rule: SavedRule,
  resource: { ...placed(Resource), description: "A resource, after its number in the order of creation." },
  image: { ...placed(ImageDocument), description: "An image, after its number in the order of upload." },
  deletedId: { const: true, description: "The id of a deleted resource." },
  deletedKey: { const: true, description: "The key of a deleted resource, or one that a resource has lost." },
  action: { ...closedObject(["body"], { body: AnyJson }), description: "The last body of writeNamespaceAction." },
  snapshots: {
    type: "array",
    maxItems: MAX_SNAPSHOTS,
    items: { type: "string", minLength: 1, maxLength: MAX_NAME },
    description: "The names of the snapshots, oldest first.",
  },
  snapshot: {
    ...closedObject(["takenAt", "facts"], { takenAt: { type: "string", format: "date-time" }, facts }),
    description:
      "A snapshot. The lines `snapshot/{name}/resource/{id}` and so on are its differences to the snapshot before it, with the name in percent-encoding.",
  },
  change: { ...Changes, description: "A set of changes of the state." },
  request: { ...Request, description: "A request with its response, without credentials and tokens." },
  end: { const: true, description: "The last line. Without it, the archive is incomplete." },
} as const satisfies Record<string, Schema>;
export type Table = keyof typeof lineSchemas;

/** A line of an archive: an object with one member. */
export const ArchiveLine = {
  type: "object",
  minProperties: 1,
  maxProperties: 1,
  patternProperties: {
    ...Object.fromEntries(
      Object.entries(lineSchemas).map(([table, schema]) => [
        table === "snapshot" ? "^snapshot/[^/]*$" : `^${table}(/|$)`,
        { anyOf: [schema, { type: "null" }] },
      ]),
    ),
    ...Object.fromEntries(
      (["resource", "image", "deletedId", "deletedKey", "action"] as const).map((table) => [
        `^snapshot/[^/]+/${table}(/|$)`,
        { anyOf: [lineSchemas[table], { enum: [false, null] }] },
      ]),
    ),
  },
  additionalProperties: false,
  description: "A line of an archive: an object with one member, whose name says what its value is.",
  // Together, the smallest archive.
  examples: [
    { format: ARCHIVE_FORMAT },
    {
      core: {
        origin: { seed: "0", projectKey: "demo" },
        clock: { offset: 0 },
        counts: { requests: 0, errors: 0, violations: 0, stubbed: 0, requestIds: 0, lastSerial: 0 },
        facts: { created: 0, numbered: 0 },
        uses: [],
      },
    },
    { end: true },
  ],
} as const satisfies Schema;
