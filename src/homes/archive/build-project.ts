import { isDeepStrictEqual } from "node:util";
import { type ErrorDetail, invalidField, join, ServiceError, splitAt, TimeSlice } from "../../contract/index.ts";
import { type Coverage, type OperationCounts, sizedExchange, sizedSet } from "../../journal/index.ts";
import { Clock, type ProjectValue, type Snapshot } from "../../project/index.ts";
import {
  type ActivationContext,
  type ActiveRules,
  rulesOf,
  type SavedRule,
  type SavedRulesHeader,
  type SavedScenario,
  savedRule,
  savedScenario,
  usesIn,
} from "../../rules/index.ts";
import {
  type CollectionFacts,
  emptyState,
  type InitialItems,
  type Settings,
  type State,
  StateDraft,
  type StateFacts,
  valueIn,
} from "../../state/index.ts";
import { NOT_THERE, nameParts, type SavedCore, type SavedViolations, stateTables, type Table } from "./line-schemas.ts";
import {
  changesOf,
  exchangeOf,
  type Line,
  placedOf,
  type SavedChanges,
  type SavedExchange,
  type SavedItem,
} from "./lines.ts";

/** What reading a project needs of its server. */
export interface BuildContext extends ActivationContext {
  readonly now: () => number;
  /** The settings of the server, for those that a line leaves out. */
  readonly settings: Settings;
  /** Returns the initial items by the value of the setting `start`. */
  readonly initial: (start: InitialItems["start"]) => InitialItems;
  readonly activeForAll: { readonly activeRules: ActiveRules };
  /** Called for a line that is missing or that cannot be used, with its name; then the rest is built. Throws by default. */
  readonly onProblem?: (line: string, error: unknown) => void;
}

/** The last value of each line of a table, by the rest of its name. */
type TableLines = ReadonlyMap<string, unknown>;
type Tables = ReadonlyMap<Table, TableLines>;

function of(tables: Tables, table: Table): TableLines {
  return tables.get(table) ?? new Map();
}

/**
 * Returns the value of a project from its lines, which must be valid by their schemas (see lines.ts). Starts from the value
 * of the lines before; for all lines, from that of a new project without a state. Works in time slices.
 *
 * @throws ServiceError InvalidField for rules that violate the contract and for lines that are missing, by the name of the
 * line; LimitReached
 */
export async function buildProject(
  start: ProjectValue,
  lines: Iterable<Line>,
  context: BuildContext,
): Promise<ProjectValue> {
  const tables = await tablesIn(lines);
  const only = <Value>(table: Table) => of(tables, table).get("") as Value | undefined;
  const core = only<SavedCore>("core");
  const settings = only<Settings>("settings");
  const header = only<SavedRulesHeader>("rules");
  const draft = new StateDraft(core ? withFacts(start.state, core.facts, context) : start.state);
  await putAll(draft, tables);
  const activeRules = header ? await rulesIn(tables, header, start.activeRules, context) : start.activeRules;
  const requests = await read(of(tables, "request"), (saved: SavedExchange) => sizedExchange(exchangeOf(saved)));
  const sets = await read(of(tables, "change"), (saved: SavedChanges) => sizedSet(changesOf(saved)));
  const journal = requests.size > 0 ? start.journal.withStored(requests) : start.journal;
  const history = sets.size > 0 ? start.history.withStored(sets) : start.history;
  const names = only<readonly string[]>("snapshots");
  const value = {
    ...start,
    state: draft.state,
    settings: settings ? Object.freeze({ ...context.settings, ...settings }) : start.settings,
    coverage: coverageIn(tables, ["coverage", "violations"], start.coverage),
    copiedCoverage: coverageIn(tables, ["copiedCoverage", "copiedViolations"], start.copiedCoverage),
    activeRules,
    snapshots: names ? await snapshotsIn(tables, names, start.snapshots, draft.state, context) : start.snapshots,
    verifications: only<ProjectValue["verifications"]>("verifications") ?? start.verifications,
    journal,
    history,
  };
  if (!core) return value;
  return {
    ...value,
    origin: core.origin,
    counts: core.counts,
    clock: new Clock(context.now, core.clock),
    random: core.random,
    rateWindow: core.rateWindow,
    archive: core.archive,
    uses: usesIn(core.uses, activeRules, context.activeForAll.activeRules),
    history: history.withTotals(core.moment ?? 0),
    journal: core.journal ? journal.withTotals(core.journal.last, core.journal.forgotten) : journal,
  };
}

async function tablesIn(lines: Iterable<Line>): Promise<Tables> {
  const slice = new TimeSlice();
  const tables = new Map<Table, Map<string, unknown>>();
  for (const [name, value] of lines) {
    const [table, id] = nameParts(name);
    tables.set(table, (tables.get(table) ?? new Map<string, unknown>()).set(id, value));
    if (slice.isOver) await slice.next();
  }
  return tables;
}

/** Returns the items of a log by number; undefined for deleted ones. */
async function read<Saved, Item>(lines: TableLines, itemOf: (saved: Saved) => Item) {
  const slice = new TimeSlice();
  const items = new Map<number, Item | undefined>();
  for (const [number, saved] of lines) {
    items.set(Number(number), saved === undefined ? undefined : itemOf(saved as Saved));
    if (slice.isOver) await slice.next();
  }
  return items;
}

function coverageIn(tables: Tables, names: readonly [Table, Table], before: Coverage): Coverage {
  const [counts, others] = [of(tables, names[0]), of(tables, names[1])];
  const saved = others.get("") as SavedViolations | undefined;
  if (counts.size === 0 && !saved) return before;
  const operations = before.operations.clone();
  for (const [operation, each] of counts) {
    if (each === undefined) operations.delete(operation);
    else operations.set(operation, each as OperationCounts);
  }
  const violations = saved ? { violations: saved.locations, otherViolations: saved.others } : {};
  return { ...before, operations, ...violations };
}

function miss({ onProblem }: BuildContext, line: string): void {
  const error = new ServiceError(invalidField(join("", line), "expected this line, found none"));
  if (!onProblem) throw error;
  onProblem(line, error);
}

async function rulesIn(tables: Tables, header: SavedRulesHeader, current: ActiveRules, context: BuildContext) {
  const known = new Map(current.rules.map((item) => [item.name, item]));
  const scenarios: SavedScenario[] = [];
  const rules: SavedRule[] = [];
  for (let index = 0; index < header.scenarios; index++) {
    const before = current.scenarios[index];
    const scenario = of(tables, "scenario").get(String(index)) ?? (before && savedScenario(before));
    if (scenario) scenarios.push(scenario as SavedScenario);
    else miss(context, `scenario/${index}`);
  }
  for (const id of header.rules) {
    const before = known.get(id);
    const rule = of(tables, "rule").get(id) ?? (before && savedRule(before));
    if (rule) rules.push(rule as SavedRule);
    else miss(context, `rule/${id}`);
  }
  const { added, periods } = header;
  try {
    return await rulesOf({ scenarios, rules, added, periods }, current, context, context.activeForAll.activeRules);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const located = inLines(error, header);
    if (!context.onProblem) throw located;
    context.onProblem("rules", located);
    return current;
  }
}

/** Returns the snapshots. A value that `state` has too is shared, as it was when it was saved. */
async function snapshotsIn(
  tables: Tables,
  names: readonly string[],
  before: ReadonlyMap<string, Snapshot>,
  state: State,
  context: BuildContext,
): Promise<ReadonlyMap<string, Snapshot>> {
  const headers = new Map<string, unknown>();
  const differences = new Map<string, Line[]>();
  for (const [path, value] of of(tables, "snapshot")) {
    const [encoded, line] = splitAt(path);
    const name = encoded.replaceAll("%2F", "/").replaceAll("%25", "%");
    if (line === undefined) headers.set(name, value);
    else if (value !== undefined) {
      const own = differences.get(name) ?? [];
      own.push([line, value]);
      differences.set(name, own);
    }
  }
  const snapshots = new Map<string, Snapshot>();
  let base: State = emptyState;
  for (const name of names) {
    const header = headers.get(name) as { readonly takenAt: string; readonly facts: StateFacts } | undefined;
    let snapshot = before.get(name);
    if (header) {
      const draft = new StateDraft(withFacts(base, header.facts, context));
      await putAll(draft, await tablesIn(differences.get(name) ?? []), state);
      snapshot = { name, takenAt: header.takenAt, state: draft.state };
    }
    if (snapshot) snapshots.set(name, snapshot);
    else miss(context, `snapshot/${name}`);
    base = snapshot?.state ?? base;
  }
  return snapshots;
}

function withFacts(state: State, { numbered, start }: StateFacts, { initial }: BuildContext): State {
  return { ...state, initial: initial(start), numbered };
}

/**
 * Sets the values of collections. The first line of a collection begins it, without its initial items. If `other` has the
 * same value, both states share it.
 */
async function putAll(draft: StateDraft, tables: Tables, other?: State): Promise<void> {
  const slice = new TimeSlice();
  const { collections } = draft.state;
  const touched = new Set(collections.keys());
  for (const table of stateTables) {
    for (const [path, saved] of of(tables, table)) {
      const [encoded, id = ""] = splitAt(path);
      const name = decodeURIComponent(encoded);
      const isThere = saved !== undefined && saved !== NOT_THERE;
      if (isThere && !touched.has(name)) draft.reset(name, "empty");
      if (isThere) touched.add(name);
      if (table === "collection") {
        if (isThere) draft.set("facts", name, "", saved as CollectionFacts);
        else if (touched.delete(name)) draft.reset(name, "initial");
      } else if (touched.has(name)) {
        const value = !isThere ? undefined : table === "item" ? placedOf(saved as SavedItem) : true;
        const known = other && valueIn(other, table, name, id);
        const isKnown = known !== undefined && isDeepStrictEqual(known, value);
        draft.set(table, name, id, (isKnown ? known : value) as undefined);
      }
      if (slice.isOver) await slice.next();
    }
  }
  for (const name of touched) {
    const { items, facts } = draft.in(name);
    // Otherwise, the next created item would replace another one.
    draft.setFacts(name, { created: Math.max(items.maxKey() ?? 0, facts.created) });
  }
}

/** Returns the error of the rules with the locations in their lines. */
function inLines({ details, headers }: ServiceError, { rules }: SavedRulesHeader): ServiceError {
  const located = details.map((detail): ErrorDetail => {
    const [, list, index = "", ...rest] = (detail.field ?? "").split("/");
    if (list !== "scenarios" && list !== "rules") return detail;
    const line = list === "scenarios" ? `scenario/${index}` : `rule/${rules[Number(index)]}`;
    return invalidField([join("", line), ...rest].join("/"), detail.message.slice(`${detail.field}: `.length));
  });
  return new ServiceError(located, headers);
}
