import {
  AnyJson,
  closedObject,
  dateTime,
  type FromSchema,
  findProblems,
  fromBase64,
  MAX_ALTERNATES,
  MAX_CHANGES,
  MAX_COLLECTION_NAME,
  MAX_COUNT,
  MAX_FAILED_VERIFICATIONS,
  MAX_ID,
  MAX_IDENTITY,
  MAX_ITEM_DEPTH,
  MAX_ITEM_ID,
  MAX_KEPT_BODY,
  MAX_KEPT_TARGET,
  MAX_KEPT_TEXT,
  MAX_LARGE_LINE_BYTES,
  MAX_LARGE_LINE_VALUES,
  MAX_LINE_BYTES,
  MAX_LINE_DEPTH,
  MAX_LINE_VALUES,
  MAX_NAME,
  MAX_RULES,
  MAX_SNAPSHOTS,
  MAX_STATE_DEPTH,
  MAX_TEXT,
  MAX_VIOLATION_LOCATIONS,
  members,
  type Problem,
  type Schema,
  segmentsOf,
  shown,
  splitAt,
  valueAt,
} from "../../contract/index.ts";
import { type ChangeSet, FailedVerification, isCut, KeptExchange } from "../../journal/index.ts";
import {
  ArchiveSource,
  ClockPosition,
  Counts,
  Instant,
  Origin,
  RandomPosition,
  RateWindow,
  RestoredArchive,
} from "../../project/index.ts";
import { Counter, SavedRule, SavedRulesHeader, SavedScenario, SavedUses } from "../../rules/index.ts";
import { SettingsSchema } from "../../state/index.ts";

/** The format of archives, with its version. A change that older versions cannot read gets a new number. */
export const ARCHIVE_FORMAT = "resource-mock-archive/4";

const countByName = {
  type: "object",
  additionalProperties: Counter,
  maxProperties: 1000,
  propertyNames: { maxLength: MAX_ID },
} as const satisfies Schema;
/** A text of a violation, which ends with `…` if it was cut. */
const text = { type: "string", maxLength: MAX_TEXT + 1 } as const satisfies Schema;
const id = { type: "string", maxLength: MAX_ITEM_ID } as const satisfies Schema;
const start = { enum: ["sample", "empty"], description: "The initial items of collections without a line." } as const;
const facts = closedObject(["start", "numbered"], { start, numbered: Counter });
const collectionFacts = closedObject(["created"], { created: Counter, lastWritten: id });
/** The name of a collection. */
const collection = { type: "string", minLength: 1, maxLength: MAX_COLLECTION_NAME } as const satisfies Schema;
const label = { type: "string", maxLength: MAX_KEPT_TEXT } as const satisfies Schema;
/** A path or a query. */
const target = { type: "string", maxLength: MAX_KEPT_TARGET } as const satisfies Schema;

const Core = members(
  {
    origin: Origin,
    clock: ClockPosition,
    counts: Counts,
    facts: {
      ...facts,
      description: "The initial items of the state, and the number of the last generated id.",
    },
    uses: {
      type: "array",
      maxItems: 3 * MAX_RULES,
      items: SavedUses,
      description: "The uses of the scenarios and rules, including scenarios that are active for all projects.",
    },
  },
  {
    random: RandomPosition,
    rateWindow: RateWindow,
    moment: { ...Counter, description: "The number of sets of changes that the state has had." },
    journal: {
      ...closedObject(["last", "forgotten"], { last: Counter, forgotten: Counter }),
      description: "The number of the last request in the journal, and the number of requests that it has dropped.",
    },
    archive: RestoredArchive,
  },
);
export type SavedCore = FromSchema<typeof Core>;

const OperationCounts = closedObject(["requests", "offContract"], {
  requests: Counter,
  offContract: Counter,
  failures: countByName,
  statuses: { ...countByName, propertyNames: { pattern: "^s[0-9]{1,3}$" } },
  actions: countByName,
  errorCodes: countByName,
});

const Violations = closedObject(["locations", "others"], {
  locations: {
    type: "object",
    maxProperties: MAX_VIOLATION_LOCATIONS,
    propertyNames: { maxLength: 20_000 },
    additionalProperties: closedObject(["operation", "code", "message", "count"], {
      operation: label,
      code: label,
      field: text,
      message: text,
      count: Counter,
    }),
  },
  others: { ...Counter, description: "The number of violations at further locations." },
});

export type SavedViolations = FromSchema<typeof Violations>;

/** An item as the store has it. What its content may be depends on the contract, and with `validation` on nothing. */
const StoredItem = closedObject(["id", "version", "createdAt", "lastModifiedAt", "content"], {
  id,
  version: { type: "integer", minimum: 1, maximum: MAX_COUNT },
  createdAt: dateTime,
  lastModifiedAt: dateTime,
  createdBy: { type: "string" },
  alternates: {
    type: "object",
    additionalProperties: { type: "string", minLength: 1, maxLength: MAX_ID },
    maxProperties: MAX_ALTERNATES,
    propertyNames: { pattern: "^[^=]{1,100}$" },
    description: "Further values that identify the item, by the name of the member.",
  },
  content: { ...AnyJson, description: "What the service returns for the item; what is known about a file." },
  hidden: { type: "object", description: "What clients have sent and the service does not return." },
  base64: { type: "string", description: "The bytes of a file (RFC 4648, section 4)." },
});

const authorFacts = { request: label, method: label, path: target, client: label } as const;

const CutValue = closedObject(["cut", "start"], {
  cut: Counter,
  start: { type: "string", maxLength: MAX_KEPT_BODY },
  version: Counter,
});
const changeOf = (table: string, value: Schema) =>
  closedObject(["table", "in", "id"], {
    table: { const: table },
    in: { ...collection, minLength: 0 },
    id: { type: "string", maxLength: MAX_IDENTITY },
    before: value,
    after: value,
  });

/** The values of the tables of a state, in the order in which they are restored. */
const stateValues = {
  collection: collectionFacts,
  item: { type: "array", minItems: 2, maxItems: 2, prefixItems: [Counter, StoredItem], items: AnyJson },
  gone: { const: true },
} as const satisfies Record<string, Schema>;
export const stateTables = Object.keys(stateValues) as (keyof typeof stateValues)[];

/** A set of changes of the state (see ChangeSet). */
const Changes = closedObject(["number", "at", "author", "changes"], {
  number: Counter,
  at: Instant,
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
        changeOf("item", { anyOf: [CutValue, stateValues.item] }),
        changeOf("gone", stateValues.gone),
        changeOf("facts", collectionFacts),
        changeOf("numbered", Counter),
      ],
    },
  },
  problem: label,
});

/** The contract of the server that wrote the archive. */
const ArchivedContract = {
  ...closedObject(["title", "fingerprint"], { title: text, version: text, fingerprint: text }),
  description: "The contract of the archive: its title and version, and a hash of its operations and types.",
} as const;
export type ArchivedContract = FromSchema<typeof ArchivedContract>;

/**
 * The schema of the value of a line, by the part of its name before the first `/`. The value `null` deletes what an earlier
 * line of the same name has set.
 */
export const lineSchemas = {
  format: { const: ARCHIVE_FORMAT, description: "The format with its version. Always the first line." },
  contract: ArchivedContract,
  key: { type: "string", maxLength: MAX_ID, description: "The key of the project." },
  source: ArchiveSource,
  core: {
    ...Core,
    description: "The clock, the positions in sequences, the counters, and the uses of scenarios and rules.",
  },
  settings: { ...SettingsSchema, description: "The settings. Absent ones have the values of the server." },
  coverage: {
    ...OperationCounts,
    description: "The requests to an operation. Without a name, those that match no operation.",
  },
  violations: { ...Violations, description: "The violations of the contract, by location." },
  copiedCoverage: {
    ...OperationCounts,
    description: "The requests in the archive that the project was restored from.",
  },
  copiedViolations: { ...Violations, description: "The violations in the archive that the project was restored from." },
  rules: SavedRulesHeader,
  scenario: SavedScenario,
  rule: SavedRule,
  collection: {
    ...stateValues.collection,
    description:
      "A collection that something has changed: the number of its last created item, and the id of the item that clients last wrote. Its items have lines. The name is that of the type, with the values of path parameters after it, in percent-encoding.",
  },
  item: { ...stateValues.item, description: "An item, after its number in the order of creation." },
  gone: {
    ...stateValues.gone,
    description: "An identity of a deleted item, or one that an item has lost: `id=42`, `key=summer`.",
  },
  snapshots: {
    type: "array",
    maxItems: MAX_SNAPSHOTS,
    items: { type: "string", minLength: 1, maxLength: MAX_NAME },
    description: "The names of the snapshots, oldest first.",
  },
  snapshot: {
    ...closedObject(["takenAt", "facts"], { takenAt: { type: "string", format: "date-time" }, facts }),
    description:
      "A snapshot. The lines `snapshot/{name}/item/{collection}/{id}` and so on are its differences to the snapshot before it, with the name in percent-encoding.",
  },
  verifications: {
    type: "array",
    maxItems: MAX_FAILED_VERIFICATIONS,
    items: FailedVerification,
    description: "The last failed verifications, oldest first.",
  },
  change: { ...Changes, description: "A set of changes of the state." },
  request: { ...KeptExchange, description: "A request with its response, without credentials and tokens." },
  end: { const: true, description: "The last line. Without it, the archive is incomplete." },
} as const satisfies Record<string, Schema>;
export type Table = keyof typeof lineSchemas;

/** The value of a line of a snapshot for something that only the snapshot before it has. */
export const NOT_THERE = false;

/** The name of a collection, percent-encoded; then the id of an item, or an identity. */
const collectionName = /^[^/]{1,2048}$/;
const inCollection = /^[^/]{1,2048}\/.{0,1100}$/s;
/** The id of an operation; empty for requests that match none. */
const anyName = /^.{0,256}$/s;
const number = /^[1-9]\d{0,14}$/;

/** The limits of a line: its size in bytes, and the number and nesting of its JSON values. */
interface LineBounds {
  readonly bytes: number;
  readonly values: number;
  readonly depth: number;
}

const bounds: LineBounds = { bytes: MAX_LINE_BYTES, values: MAX_LINE_VALUES, depth: MAX_STATE_DEPTH };
const largeBounds: LineBounds = { bytes: MAX_LARGE_LINE_BYTES, values: MAX_LARGE_LINE_VALUES, depth: MAX_LINE_DEPTH };

/**
 * What no schema says about lines: other limits, the pattern of the part of their names after the first `/`, the pointer to
 * it in the value, and the pointers to texts in base64.
 */
const rules: {
  readonly [Name in Table]?: {
    readonly bounds?: Partial<LineBounds>;
    readonly ids?: RegExp;
    readonly idAt?: string;
    readonly base64At?: readonly string[];
  };
} = {
  coverage: { ids: anyName },
  copiedCoverage: { ids: anyName },
  violations: { bounds: { bytes: MAX_LARGE_LINE_BYTES } },
  copiedViolations: { bounds: { bytes: MAX_LARGE_LINE_BYTES } },
  scenario: { bounds: largeBounds, ids: /^(0|[1-9]\d{0,2})$/ },
  rule: { bounds: { depth: MAX_LINE_DEPTH }, ids: /^r-/, idAt: "/id" },
  change: { bounds: largeBounds, ids: number, idAt: "/number" },
  request: { ids: number, base64At: ["/requestBody/base64", "/responseBody/base64"] },
  collection: { ids: collectionName },
  item: {
    bounds: { bytes: MAX_LARGE_LINE_BYTES, depth: MAX_ITEM_DEPTH },
    ids: inCollection,
    idAt: "/1/id",
    base64At: ["/1/base64"],
  },
  gone: { ids: inCollection },
  snapshot: { ids: /^(?:[^/%]|%25|%2F)+(?:\/(?:collection|item|gone)\/.{1,3200})?$/s },
};

export function nameParts(name: string): [table: Table, id: string] {
  const [table, id = ""] = splitAt(name);
  return [table as Table, id];
}

export function boundsOf(name: string): LineBounds {
  const [table, id] = nameParts(name);
  const [, ofSnapshot] = table === "snapshot" ? splitAt(id) : [];
  return ofSnapshot === undefined ? { ...bounds, ...rules[table]?.bounds } : boundsOf(ofSnapshot);
}

/** Returns the first problem of a line with this name, with its pointer into the value. */
export async function lineProblem(name: string, value: unknown): Promise<Problem | undefined> {
  const [table, id] = nameParts(name);
  const { ids } = rules[table] ?? {};
  if (!Object.hasOwn(lineSchemas, table) || !(ids ? ids.test(id) : name === table)) {
    return { pointer: "", message: "expected the name of a line, such as core, settings or item/{collection}/{id}" };
  }
  if (value === undefined) return undefined;
  const [, ofSnapshot] = table === "snapshot" ? splitAt(id) : [];
  if (ofSnapshot !== undefined) return value === NOT_THERE ? undefined : lineProblem(ofSnapshot, value);
  const [problem] = await findProblems(lineSchemas[table], value);
  return problem ?? contentProblem(table, table === "item" ? (splitAt(id)[1] ?? "") : id, value);
}

/** Returns what no schema says about a value: whether it has the id in the name of the line, and its base64. */
function contentProblem(table: Table, id: string, value: unknown): Problem | undefined {
  const { idAt, base64At } = rules[table] ?? {};
  const found = idAt === undefined ? id : String(valueAt(value, segmentsOf(idAt)));
  if (found !== id) {
    return { pointer: idAt ?? "", message: `expected ${shown(id)} as in the name, found ${shown(found)}` };
  }
  if (table === "rules") {
    const { rules } = value as SavedRulesHeader;
    const index = rules.findIndex((rule, at) => rules.indexOf(rule) < at);
    if (index !== -1) return { pointer: `/rules/${index}`, message: `expected a unique id, found ${rules[index]}` };
  }
  if (table === "change") return changeProblem(value as Pick<ChangeSet, "changes">);
  const pointer = base64At?.find((each) => fromBase64(String(valueAt(value, segmentsOf(each)) ?? "")) === undefined);
  return pointer === undefined ? undefined : { pointer, message: "expected base64 with padding" };
}

/** Returns the first value in a set of changes that has another id than its change, or invalid base64. */
function changeProblem({ changes }: Pick<ChangeSet, "changes">): Problem | undefined {
  for (const [index, change] of changes.entries()) {
    for (const side of ["before", "after"] as const) {
      if (change.table !== "item" || change[side] === undefined || isCut(change[side])) continue;
      const problem = contentProblem("item", change.id, change[side]);
      if (problem) return { ...problem, pointer: `/changes/${index}/${side}${problem.pointer}` };
    }
  }
  return undefined;
}

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
      stateTables.map((table) => [
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
        facts: { start: "sample", numbered: 0 },
        uses: [],
      },
    },
    { end: true },
  ],
} as const satisfies Schema;
