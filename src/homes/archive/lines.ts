import { Buffer } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import { type ErrorDetail, isObject } from "../../contract/index.ts";
import {
  type ChangeSet,
  type Coverage,
  type Exchange,
  isCut,
  type KeptChange,
  Log,
  noCoverage,
  sizedExchange,
  withoutSecrets,
  withoutSecretValues,
} from "../../journal/index.ts";
import { coverageOf, type ProjectValue, type Snapshot } from "../../project/index.ts";
import { type ActiveItem, type ActiveRules, savedRule, savedScenario, savedUses } from "../../rules/index.ts";
import {
  type Collection,
  type CollectionName,
  changedCollections,
  emptyCollection,
  emptyState,
  factsOf,
  type Item,
  type Placed,
  placedIn,
  type State,
  visitDifferences,
} from "../../state/index.ts";
import { NOT_THERE, type SavedCore } from "./line-schemas.ts";

/*
 * A project as lines: named JSON values. An archive, a file of `--projects` and the parts of a project in a shared store are
 * the same lines. A line replaces an earlier one of the same name. `line-schemas.ts` describes the values.
 */

/** The value is undefined for a line that is no longer there. */
export type Line = readonly [name: string, value: unknown];

export interface LineOptions {
  /** The scenarios that are active for all projects, for their uses. */
  readonly activeForAll: ActiveRules;
  /** Whether the lines leave the server, so that they must not contain credentials. */
  readonly isPublic?: boolean;
}

/** Returns the lines of a project that differ from those of `before`; all lines without `before`. */
export function* linesOf(value: ProjectValue, options: LineOptions, before?: ProjectValue): Generator<Line> {
  const { settings, coverage, copiedCoverage, activeRules } = value;
  if (value !== before) yield ["core", savedCore(value, options.activeForAll)];
  if (settings !== before?.settings) yield ["settings", settings];
  yield* coverageLines(["coverage", "violations"], coverage, before?.coverage);
  yield* coverageLines(["copiedCoverage", "copiedViolations"], copiedCoverage, before?.copiedCoverage);
  if (activeRules !== before?.activeRules) yield* ruleLines(activeRules, before?.activeRules);
  yield* stateLines(value.state, before?.state);
  if (value.snapshots !== before?.snapshots) yield* snapshotLines(value.snapshots, before?.snapshots);
  const { verifications } = value;
  if (verifications !== before?.verifications && (before || verifications.length > 0))
    yield ["verifications", verifications];
  yield* logLines("change", value.history, before?.history, (set) =>
    savedChanges(options.isPublic ? withoutSecretValues(set) : set),
  );
  yield* logLines("request", value.journal, before?.journal, (exchange) =>
    savedExchange(options.isPublic ? withoutSecrets(exchange) : exchange),
  );
}

const noCopy: Pick<ProjectValue, "copiedCoverage"> = { copiedCoverage: noCoverage };

function savedCore(value: ProjectValue, activeForAll: ActiveRules): SavedCore {
  const { origin, counts, clock, random, rateWindow, state, history, journal, archive, activeRules, uses } = value;
  const { last, forgotten } = journal;
  return {
    origin,
    counts,
    clock: clock.position,
    ...(random && { random: [...random] }),
    ...(rateWindow && { rateWindow }),
    facts: factsOf(state),
    ...(history.last > 0 && { moment: history.last }),
    ...(last > 0 && { journal: { last, forgotten } }),
    ...(archive && { archive }),
    uses: savedUses(activeRules, uses, activeForAll),
  };
}

function* coverageLines([counts, others]: [string, string], coverage: Coverage, before = noCoverage): Generator<Line> {
  if (coverage === before) return;
  const { violations, otherViolations } = coverage;
  const changed: string[] = [];
  visitDifferences(before.operations, coverage.operations, (operation) => changed.push(operation) < 0);
  for (const operation of changed.sort()) yield [`${counts}/${operation}`, coverage.operations.get(operation)];
  if (violations !== before.violations) yield [others, { locations: violations, others: otherViolations }];
}

function* ruleLines(rules: ActiveRules, before?: ActiveRules): Generator<Line> {
  const { scenarios, added, periods } = rules;
  const ids = rules.rules.map(({ name }) => name);
  yield ["rules", { scenarios: scenarios.length, rules: ids, added, periods }];
  for (const [index, scenario] of scenarios.entries()) {
    if (scenario !== before?.scenarios[index]) yield [`scenario/${index}`, savedScenario(scenario)];
  }
  for (let index = scenarios.length; index < (before?.scenarios.length ?? 0); index++) {
    yield [`scenario/${index}`, undefined];
  }
  const known = new Map(before?.rules.map((item) => [item.name, item]));
  for (const item of rules.rules) {
    if (known.get(item.name) !== item) yield [`rule/${item.name}`, savedRule(item)];
    known.delete(item.name);
  }
  for (const id of known.keys()) yield [`rule/${id}`, undefined];
}

/**
 * Returns the lines of the collections that something has changed, whole or as differences to `before`. Collections that
 * nothing has changed have no lines: they have the initial items of the server.
 */
function* stateLines(state: State, before?: State, prefix = ""): Generator<Line> {
  for (const name of before ? changedCollections(before, state) : state.collections.keys()) {
    const [old, next] = [before?.collections.get(name), state.collections.get(name)];
    const line = lineOf(prefix, name);
    if (next && !isDeepStrictEqual(next.facts, old?.facts)) yield [line("collection"), next.facts];
    if (old && !next) yield [line("collection"), undefined];
    const [from, to] = [old ?? emptyCollection, next ?? emptyCollection];
    for (const id of changedIds(from, to)) {
      const [placed, known] = [placedIn(to, id), placedIn(from, id)];
      if (!isDeepStrictEqual(placed, known)) yield [line("item", id), placed && savedItem(placed)];
    }
    const gone: string[] = [];
    visitDifferences(from.gone, to.gone, (each) => gone.push(each) < 0);
    for (const each of gone) yield [line("gone", each), to.gone.get(each)];
  }
}

/** Returns the ids of the items that differ; those of a whole collection in the order of creation. */
function changedIds(from: Collection, to: Collection): Iterable<string> {
  if (from === emptyCollection) return Iterator.from(to.items.values()).map(({ id }) => id);
  const ids = new Set<string>();
  visitDifferences(from.items, to.items, (_number, { id }) => !ids.add(id));
  return ids;
}

function lineOf(prefix: string, name: CollectionName) {
  return (table: "collection" | "item" | "gone", id?: string) =>
    `${prefix}${table}/${encodeURIComponent(name)}${id === undefined ? "" : `/${id}`}`;
}

/** Each snapshot has the differences to the one before it, as they share most of their content. */
function* snapshotLines(
  snapshots: ReadonlyMap<string, Snapshot>,
  before: ReadonlyMap<string, Snapshot> = new Map(),
): Generator<Line> {
  yield ["snapshots", [...snapshots.keys()]];
  const bases = basesOf(before);
  const current = basesOf(snapshots);
  const isSame = (name: string) => before.get(name) === snapshots.get(name) && bases.get(name) === current.get(name);
  for (const [name, snapshot] of before) {
    if (isSame(name)) continue;
    for (const [line] of linesOfSnapshot(snapshot, bases.get(name))) yield [line, undefined];
  }
  for (const [name, snapshot] of snapshots) {
    if (!isSame(name)) yield* linesOfSnapshot(snapshot, current.get(name));
  }
}

/** Returns the state that each snapshot is stored as a difference to. */
function basesOf(snapshots: ReadonlyMap<string, Snapshot>): ReadonlyMap<string, State> {
  let base = emptyState;
  const bases = new Map<string, State>();
  for (const [name, { state }] of snapshots) {
    bases.set(name, base);
    base = state;
  }
  return bases;
}

function* linesOfSnapshot({ name, takenAt, state }: Snapshot, base: State | undefined): Generator<Line> {
  const line = `snapshot/${name.replaceAll("%", "%25").replaceAll("/", "%2F")}`;
  yield [line, { takenAt, facts: factsOf(state) }];
  for (const [part, value] of stateLines(state, base, `${line}/`)) yield [part, value ?? NOT_THERE];
}

/** Returns the lines of the items of a log that differ from those of `before`. */
function* logLines<Item>(
  table: "change" | "request",
  log: Log<Item>,
  before: Log<Item> | undefined,
  saved: (item: Item) => unknown,
): Generator<Line> {
  for (const number of log === before ? [] : log.changedSince(before ?? new Log())) {
    const item = log.at(number);
    yield [`${table}/${number}`, item && saved(item)];
  }
}

/**
 * Returns a project as an archive has it: with the scenarios that are active for all projects, with one coverage, and with
 * positions of its requests that do not depend on other projects.
 */
export function portable(given: ProjectValue, activeForAll: ActiveRules): ProjectValue {
  const value = withScenariosOfAll(given, activeForAll);
  let position = 0;
  return { ...value, ...repositioned(value, () => ++position), ...noCopy, coverage: coverageOf(value) };
}

/** Returns a project with the scenarios that are active for all projects as its own. */
export function withScenariosOfAll(value: ProjectValue, activeForAll: ActiveRules): ProjectValue {
  if (activeForAll.scenarios.length === 0) return value;
  const activeRules = value.activeRules.withForAll(activeForAll);
  const uses = new Map(value.uses);
  for (const [index, item] of activeForAll.scenarios.entries()) {
    const own = uses.get(item);
    if (own) uses.set(activeRules.scenarios[index] as ActiveItem, own);
  }
  return { ...value, activeRules, uses };
}

/** Returns the requests of a project with other positions in the orders of arrivals and of responses. */
export function repositioned({ journal, counts }: ProjectValue, next: () => number) {
  const requests = journal.numbers().map((number) => [number, journal.at(number) as Exchange] as const);
  const arrivals = new Map<number, number>();
  for (const [number] of requests.toSorted(([, a], [, b]) => a.arrival - b.arrival)) arrivals.set(number, next());
  const moved = requests.map(([number, exchange]) => {
    const item = { ...exchange, arrival: arrivals.get(number) as number, serial: next() };
    return [number, sizedExchange(item)] as const;
  });
  const lastSerial = moved.at(-1)?.[1].item.serial ?? 0;
  return { journal: journal.withStored(new Map(moved)), counts: { ...counts, lastSerial } };
}

/** Bytes, which JSON cannot represent. */
interface SavedBytes {
  readonly base64: string;
}

/** Returns bytes in base64. Texts stay texts, as coverage and reports distinguish them. */
function inBase64<Other>(body: Uint8Array | Other): SavedBytes | Other {
  return body instanceof Uint8Array ? toSaved(body) : body;
}

function toSaved(bytes: Uint8Array): SavedBytes {
  return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64") };
}

/** Returns the bytes of a body, in a buffer of their own: the shared pool of Node would stay in memory. */
function inBytes<Other extends string | null | undefined>(saved: SavedBytes | Other): Uint8Array | Other {
  return isObject(saved) ? new Uint8Array(Buffer.from(saved.base64 as string, "base64")) : (saved as Other);
}

/** Returns a request with its response as JSON. Members can be `undefined`, which `JSON.stringify` leaves out. */
export function savedExchange(exchange: Exchange) {
  const { requestBody, responseBody, violations, upstream } = exchange;
  return {
    ...exchange,
    violations: shown(violations),
    ...(upstream && { upstream: { ...upstream, violations: shown(upstream.violations) } }),
    requestBody: inBase64(requestBody),
    responseBody: inBase64(responseBody),
  };
}

/** Returns violations with the members that the journal shows. */
function shown(violations: readonly ErrorDetail[]): ErrorDetail[] {
  return violations.map(({ code, message, field }) => ({ code, message, ...(field !== undefined && { field }) }));
}

export type SavedExchange = ReturnType<typeof savedExchange>;

/** Returns the request of `saved`, which must be valid. */
export function exchangeOf(saved: SavedExchange): Exchange {
  return { ...saved, requestBody: inBytes(saved.requestBody), responseBody: inBytes(saved.responseBody) };
}

export type SavedChanges = Omit<ChangeSet, "changes"> & { readonly changes: readonly SavedChange[] };
type SavedChange = Omit<KeptChange, "before" | "after"> & { readonly before?: unknown; readonly after?: unknown };

export function savedChanges({ changes, ...facts }: ChangeSet): SavedChanges {
  return { ...facts, changes: withItems(changes, savedItem) };
}

/** Returns the set of changes of `saved`, which must be valid. */
export function changesOf({ changes, ...facts }: SavedChanges): ChangeSet {
  return { ...facts, changes: withItems(changes, placedOf) as KeptChange[] };
}

function withItems<Value>(changes: readonly SavedChange[], formed: (item: Value) => unknown): SavedChange[] {
  const value = (kept: unknown) => (kept === undefined || isCut(kept) ? kept : formed(kept as Value));
  return changes.map((change) =>
    change.table === "item" ? { ...change, before: value(change.before), after: value(change.after) } : change,
  );
}

/** An item with its number in the order of creation. */
export type SavedItem = readonly [number: number, item: Omit<Item, "bytes"> & Partial<SavedBytes>];

export function savedItem([number, { bytes, ...item }]: Placed): SavedItem {
  return [number, { ...item, ...(bytes && toSaved(bytes)) }];
}

export function placedOf([number, { base64, ...item }]: SavedItem): Placed {
  return [number, { ...item, ...(base64 !== undefined && { bytes: inBytes({ base64 }) as Uint8Array }) }];
}
