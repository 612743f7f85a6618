import { isDeepStrictEqual } from "node:util";
import { type ErrorDetail, invalidField, join, ServiceError, TimeSlice } from "../../contract/index.ts";
import {
  type ChangeSet,
  type Coverage,
  type Exchange,
  withStoredExchanges,
  withStoredSets,
} from "../../journal/index.ts";
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
  emptyState,
  type Facts,
  type Settings,
  type State,
  StateDraft,
  type TableValues,
  valueIn,
} from "../../state/index.ts";
import { type Line, NOT_THERE, type SavedCore } from "./lines.ts";
import { changesOf, exchangeOf, imageOf, type SavedChanges, type SavedExchange, type SavedImage } from "./saved.ts";
import type { Table } from "./schema.ts";

/** What reading a project needs of its server. */
export interface BuildContext extends ActivationContext {
  readonly now: () => number;
  /** The settings of the server, for those that a line leaves out. */
  readonly settings: Settings;
  readonly activeForAll: { readonly activeRules: ActiveRules };
  /** Called for a line that is missing or that cannot be used, with its name; then the rest is built. Throws by default. */
  readonly onProblem?: (line: string, error: unknown) => void;
}

/** The lines of a snapshot, in any order. */
interface SavedSnapshot {
  header?: { readonly takenAt: string; readonly facts: Facts };
  /** By the end of the name of the line: `resource/{id}`. */
  readonly values: Map<string, unknown>;
}

/** Builds the value of a project from its lines, which must be valid by their schemas (see lines.ts). */
export class ProjectBuilder {
  readonly #start: ProjectValue;
  readonly #context: BuildContext;
  readonly #state: StateDraft;
  readonly #scenarios = new Map<string, SavedScenario | undefined>();
  readonly #rules = new Map<string, SavedRule | undefined>();
  readonly #sets = new Map<number, ChangeSet | undefined>();
  readonly #requests = new Map<number, Exchange | undefined>();
  readonly #snapshots = new Map<string, SavedSnapshot>();
  #core: SavedCore | undefined;
  #settings: Settings | undefined;
  #coverage: Coverage | undefined;
  #header: SavedRulesHeader | undefined;
  #names: readonly string[] | undefined;

  /** Starts from the value of the lines before; for all lines, from that of a new project without a state. */
  constructor(start: ProjectValue, context: BuildContext) {
    this.#start = start;
    this.#context = context;
    this.#state = new StateDraft(start.state);
  }

  /** Takes over a line. */
  put([name, value]: Line): void {
    const [table, id] = nameParts(name);
    switch (table) {
      case "core":
        this.#core = value as SavedCore;
        break;
      case "settings":
        this.#settings = Object.freeze({ ...this.#context.settings, ...(value as Settings) });
        break;
      case "coverage":
        this.#coverage = value as Coverage;
        break;
      case "rules":
        this.#header = value as SavedRulesHeader;
        break;
      case "scenario":
        this.#scenarios.set(id, value as SavedScenario | undefined);
        break;
      case "rule":
        this.#rules.set(id, value as SavedRule | undefined);
        break;
      case "snapshots":
        this.#names = value as readonly string[];
        break;
      case "snapshot":
        this.#putSnapshot(id, value);
        break;
      case "change":
        this.#sets.set(Number(id), value ? changesOf(value as SavedChanges) : undefined);
        break;
      case "request":
        this.#requests.set(Number(id), value ? exchangeOf(value as SavedExchange) : undefined);
        break;
      default:
        putState(this.#state, table as keyof TableValues, id, value);
    }
  }

  #putSnapshot(path: string, value: unknown): void {
    const [encoded, rest] = splitAt(path);
    const name = encoded.replaceAll("%2F", "/").replaceAll("%25", "%");
    const saved: SavedSnapshot = this.#snapshots.get(name) ?? { values: new Map() };
    this.#snapshots.set(name, saved);
    if (rest === undefined) saved.header = value as SavedSnapshot["header"];
    else if (value === undefined) saved.values.delete(rest);
    else saved.values.set(rest, value);
  }

  /**
   * Returns the value.
   *
   * @throws ServiceError InvalidField for rules that violate the contract and for lines that are missing, by the name of the
   * line; LimitReached
   */
  async value(): Promise<ProjectValue> {
    const start = this.#start;
    const core = this.#core;
    if (core) setFacts(this.#state, core.facts);
    const activeForAll = this.#context.activeForAll.activeRules;
    const activeRules = this.#header ? await this.#activeRules(this.#header, activeForAll) : start.activeRules;
    const journal = this.#requests.size > 0 ? withStoredExchanges(start.journal, this.#requests) : start.journal;
    const history = this.#sets.size > 0 ? withStoredSets(start.history, this.#sets) : start.history;
    const value = {
      ...start,
      state: this.#state.state,
      settings: this.#settings ?? start.settings,
      coverage: this.#coverage ?? start.coverage,
      activeRules,
      snapshots: await this.#allSnapshots(),
      journal,
      history,
    };
    if (!core) return value;
    return {
      ...value,
      origin: core.origin,
      counts: core.counts,
      clock: new Clock(this.#context.now, core.clock),
      random: core.random,
      rateWindow: core.rateWindow,
      archive: core.archive,
      uses: usesIn(core.uses, activeRules, activeForAll),
      history: history.withTotals(core.moment ?? 0),
      journal: core.journal ? journal.withTotals(core.journal.last, core.journal.forgotten) : journal,
    };
  }

  #miss(line: string): void {
    const error = new ServiceError(invalidField(join("", line), "expected this line, found none"));
    if (!this.#context.onProblem) throw error;
    this.#context.onProblem(line, error);
  }

  async #activeRules(header: SavedRulesHeader, activeForAll: ActiveRules): Promise<ActiveRules> {
    const current = this.#start.activeRules;
    const known = new Map(current.rules.map((item) => [item.name, item]));
    const scenarios: SavedScenario[] = [];
    const rules: SavedRule[] = [];
    for (let index = 0; index < header.scenarios; index++) {
      const before = current.scenarios[index];
      const scenario = this.#scenarios.get(String(index)) ?? (before && savedScenario(before));
      if (scenario) scenarios.push(scenario);
      else this.#miss(`scenario/${index}`);
    }
    for (const id of header.rules) {
      const before = known.get(id);
      const rule = this.#rules.get(id) ?? (before && savedRule(before));
      if (rule) rules.push(rule);
      else this.#miss(`rule/${id}`);
    }
    const { added, periods } = header;
    try {
      return await rulesOf({ scenarios, rules, added, periods }, current, this.#context, activeForAll);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const located = inLines(error, header);
      if (!this.#context.onProblem) throw located;
      this.#context.onProblem("rules", located);
      return current;
    }
  }

  async #allSnapshots(): Promise<ReadonlyMap<string, Snapshot>> {
    const before = this.#start.snapshots;
    if (!this.#names) return before;
    const slice = new TimeSlice();
    const snapshots = new Map<string, Snapshot>();
    let base: State = emptyState;
    for (const name of this.#names) {
      const { header, values }: Partial<SavedSnapshot> = this.#snapshots.get(name) ?? {};
      let snapshot = before.get(name);
      if (header && values) {
        const draft = new StateDraft(base);
        for (const [rest, value] of values) {
          const [table, id = ""] = splitAt(rest);
          putState(draft, table as keyof TableValues, id, value === NOT_THERE ? undefined : value, this.#state.state);
          if (slice.isOver) await slice.next();
        }
        setFacts(draft, header.facts);
        snapshot = { name, takenAt: header.takenAt, state: draft.state };
      }
      if (!snapshot) {
        this.#miss(`snapshot/${name}`);
        continue;
      }
      snapshots.set(name, snapshot);
      base = snapshot.state;
    }
    return snapshots;
  }
}

function setFacts(draft: StateDraft, facts: Facts): void {
  const created = Math.max(draft.state.resources.maxKey() ?? 0, facts.created);
  draft.setFacts({ lastWritten: undefined, ...facts, created });
}

/** Returns the table and the id in the name of a line. */
export function nameParts(name: string): [table: Table, id: string] {
  const [table, id = ""] = splitAt(name);
  return [table as Table, id];
}

function splitAt(name: string): [start: string, rest: string | undefined] {
  const slash = name.indexOf("/");
  return slash === -1 ? [name, undefined] : [name.slice(0, slash), name.slice(slash + 1)];
}

/** Sets a value of a state. If `other` has the same value, both states share it, as they did when it was saved. */
function putState(draft: StateDraft, table: keyof TableValues, id: string, saved: unknown, other?: State): void {
  const value = saved !== undefined && table === "image" ? imageOf(saved as SavedImage) : saved;
  const known = other && valueIn(other, table, id);
  draft.set(table, id, (known !== undefined && isDeepStrictEqual(known, value) ? known : value) as undefined);
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
