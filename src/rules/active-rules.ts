import { MAX_PATTERNS_SIZE, MAX_PERIODS, MAX_RULE_BYTES, MAX_RULES, ServiceError } from "../contract/index.ts";
import type { CompiledRule, CompiledScenario } from "./compile.ts";
import type { Matchable } from "./matching/matcher.ts";
import type { ActiveScenario, AddedRule, ScenarioPeriod } from "./scenario.ts";

export interface Limits {
  readonly times?: number;
  readonly probability?: number;
}

/** The source of an active scenario's rules. Every request looks the scenario up, so a changed file takes effect at once. */
export interface ScenarioSource {
  readonly name: string;
  readonly inline: boolean;
  find(): CompiledScenario | undefined;
}

/** An active scenario, or an added rule or function. */
export interface ActiveItem extends Limits {
  readonly kind: "rule" | "function" | "scenario";
  /** The scenario's name, or the id of the rule or function. */
  readonly name: string;
  rules(): readonly CompiledRule[];
  /** Returns whether the item may take effect on this request. Called last, as the item then counts as used. */
  claim?(): boolean;
}

/** One run of `resource-mock sweep`: it notes the calls, and one request of all projects and processes gets its failure. */
export interface SweepRun {
  /** The failure, until a request has got it; undefined after that, and in a run without a failure. */
  readonly failure: ActiveItem | undefined;
  /** Notes the operation of a request, and a write. */
  recorded(exchange: SweptExchange, projectKey: string): void;
}

/** The members of an exchange that a sweep notes. */
export interface SweptExchange extends Pick<Matchable, "method" | "pathParameters" | "query" | "requestBody"> {
  readonly operationId: string | undefined;
  readonly changes?: readonly unknown[];
  readonly decisions: readonly { readonly kind: string; readonly source?: string }[];
}

export interface ScenarioItem extends ActiveItem {
  readonly kind: "scenario";
  readonly source: ScenarioSource;
  /** Whether the scenario was active for all projects of the server that wrote the archive of this project. */
  readonly wasForAll?: true;
}

export interface RuleItem extends ActiveItem {
  readonly kind: "rule" | "function";
  readonly rule: CompiledRule;
}

/** The uses of a scenario or rule in a project, and of each rule in it. */
export interface Uses {
  readonly count: number;
  /** The rules that `ofRules` is about. A changed file of a scenario has other rules. */
  readonly rules: readonly CompiledRule[];
  /** The uses of each rule, in the order of `rules`. */
  readonly ofRules: readonly (RuleUses | undefined)[];
}

interface RuleUses {
  /** The number of requests skipped because of `after`. */
  readonly passed: number;
  /** The number of requests that the rule has taken effect on. */
  readonly count: number;
}

/** The uses in a project. Scenarios that are active for all projects are counted in each project by itself. */
export type AllUses = ReadonlyMap<ActiveItem, Uses>;

const noUse: RuleUses = { passed: 0, count: 0 };

export function usesOf(all: AllUses, item: ActiveItem): Uses {
  const known = all.get(item);
  const rules = item.rules();
  if (known?.rules === rules) return known;
  return { count: known?.count ?? 0, rules, ofRules: [] };
}

export function usesOfRule({ ofRules }: Uses, index: number): RuleUses {
  return ofRules[index] ?? noUse;
}

export function withRuleUses(uses: Uses, index: number, ofRule: RuleUses): Uses {
  const ofRules = [...uses.ofRules];
  ofRules[index] = ofRule;
  return { ...uses, ofRules };
}

/**
 * The active scenarios and rules of a project, or the scenarios that are active for all projects. They never change:
 * activating a scenario returns other rules. This class does not validate; `activate.ts` does.
 */
export class ActiveRules {
  /** Oldest first. */
  readonly scenarios: readonly ScenarioItem[];
  /** The last periods in which scenarios were active, oldest first. */
  readonly periods: readonly ScenarioPeriod[];
  /** The approximate memory of the rules and inline scenarios, in bytes. Scenarios from files are shared and not counted. */
  readonly bytes: number;
  /** The rules, and the functions. Oldest first. */
  readonly #rules: readonly RuleItem[];
  readonly #added: Parts["added"];
  #active: readonly ActiveItem[] | undefined;
  /** The last result of `withForAll`, so that unchanged rules stay the same. */
  #withForAll: { readonly forAll: ActiveRules; readonly activeRules: ActiveRules } | undefined;

  private constructor({ scenarios, rules, added, periods }: Parts) {
    this.scenarios = scenarios;
    this.periods = periods;
    this.#rules = rules;
    this.#added = added;
    const inline = scenarios.filter(({ source }) => source.inline);
    this.bytes = sumOf([...rules, ...inline], ({ bytes }) => bytes);
  }

  static readonly none: ActiveRules = new ActiveRules({
    scenarios: [],
    rules: [],
    added: { rule: 0, function: 0 },
    periods: [],
  });

  /** All scenarios and rules, highest precedence first: rules before scenarios, newest first. */
  get active(): readonly ActiveItem[] {
    this.#active ??= [...this.#rules.toReversed(), ...this.scenarios.toReversed()];
    return this.#active;
  }

  /** The added rules without functions, oldest first. */
  get rules(): readonly RuleItem[] {
    return this.#rules.filter(isRule);
  }

  /** The number of rules that were added, including removed ones. */
  get added(): number {
    return this.#added.rule;
  }

  /** Returns these scenarios and rules, oldest first. Functions stay, as the newest. Throws LimitReached as `activate` does. */
  replaced({ rules, added, ...parts }: Omit<Parts, "added"> & { readonly added: number }): ActiveRules {
    const all = [...rules, ...this.#rules.filter((item) => !isRule(item))];
    return this.#with({ ...parts, rules: all, added: { ...this.#added, rule: added } }).#checked();
  }

  /**
   * Returns the rules with the scenario as the newest, from the server's time `now` on. If it is already active, its
   * counters start again. Throws LimitReached if the scenarios and rules exceed a limit for number, memory or patterns.
   */
  activate(source: ScenarioSource, limits: Limits, now: number): ActiveRules {
    const others = this.scenarios.filter(({ name }) => name !== source.name);
    return this.#withScenarios([...others, scenarioItem(source, limits)], now).#checked();
  }

  /** Returns the rules without the scenario; the same rules if it was not active. */
  deactivate(name: string, now: number): ActiveRules {
    const others = this.scenarios.filter((scenario) => scenario.name !== name);
    return others.length < this.scenarios.length ? this.#withScenarios(others, now) : this;
  }

  /**
   * Returns the rules with a rule or function as the newest: the first in `active`. The ids are `r-1`, `r-2`, …, and `f-1`,
   * `f-2`, … Throws LimitReached as `activate` does.
   */
  add(kind: RuleItem["kind"], rule: CompiledRule): ActiveRules {
    const added = { ...this.#added, [kind]: this.#added[kind] + 1 };
    const item = ruleItem(kind, `${kind.charAt(0)}-${added[kind]}`, rule);
    return this.#with({ rules: [...this.#rules, item], added }).#checked();
  }

  /** Returns the rules without this rule or function; the same rules if it does not exist. */
  remove(kind: RuleItem["kind"], id: string): ActiveRules {
    const rules = this.#rules.filter((item) => item.kind !== kind || item.name !== id);
    return rules.length < this.#rules.length ? this.#with({ rules }) : this;
  }

  /** Returns only the scenarios and functions. Functions stay, as only the test that has added them can add them again. */
  withoutRules(): ActiveRules {
    return this.#with({ rules: this.#rules.filter((item) => !isRule(item)) });
  }

  /** Returns the rules with the scenarios that are active for all projects as the oldest ones of this project. */
  withForAll(forAll: ActiveRules): ActiveRules {
    if (forAll.scenarios.length === 0) return this;
    if (this.#withForAll?.forAll !== forAll) {
      const scenarios = [...forAll.scenarios.map((item) => ({ ...item, wasForAll: true as const })), ...this.scenarios];
      this.#withForAll = { forAll, activeRules: this.#with({ scenarios }) };
    }
    return this.#withForAll.activeRules;
  }

  #withScenarios(scenarios: readonly ScenarioItem[], now: number): ActiveRules {
    return this.#with({ scenarios, periods: periodsAfter(this.periods, this.scenarios, scenarios, now) });
  }

  #with(parts: Partial<Parts>): ActiveRules {
    const { scenarios, periods } = this;
    return new ActiveRules({ scenarios, periods, rules: this.#rules, added: this.#added, ...parts });
  }

  /** Returns these rules. Throws LimitReached if they exceed a limit; comparing a request would take too long otherwise. */
  #checked(): this {
    const inScenarios = sumOf(this.scenarios, () => 1);
    const patterns = sumOf(this.active, ({ matcher }) => matcher.size);
    const memory = " bytes of rules and inline scenarios in memory";
    check("rules", this.#rules.length, MAX_RULES, "", "Remove a rule first");
    check("rules of active scenarios", inScenarios, MAX_RULES, "", "Deactivate a scenario first");
    check("rules", this.bytes, MAX_RULE_BYTES, memory, "Use fixtures for large bodies, or remove rules first");
    check(
      "patterns of all active rules",
      patterns,
      MAX_PATTERNS_SIZE,
      " instructions together",
      "Remove rules, or shorten their patterns",
    );
    return this;
  }
}

interface Parts {
  readonly scenarios: readonly ScenarioItem[];
  readonly rules: readonly RuleItem[];
  readonly added: Readonly<Record<RuleItem["kind"], number>>;
  readonly periods: readonly ScenarioPeriod[];
}

const NO_RULES: readonly CompiledRule[] = [];

/** Something that has active scenarios and rules: a project, or the engine for all projects. */
export interface RulesHolder {
  /** The key of the project; undefined for all projects. */
  readonly key?: string;
  activeRules: ActiveRules;
  /** The uses of the scenarios and rules; none for all projects together. */
  readonly uses: AllUses;
  /** Returns the time by the server's clock, in milliseconds. */
  readonly now: () => number;
}

/** Returns the active scenarios, newest first, with their uses. */
export function shownScenarios(scenarios: readonly ScenarioItem[], uses: AllUses): ActiveScenario[] {
  return scenarios.toReversed().map((scenario) => shownScenario(scenario, uses));
}

export function shownScenario(scenario: ScenarioItem, uses: AllUses): ActiveScenario {
  const { name, times, probability, source } = scenario;
  const { description, rules = [] } = source.find() ?? {};
  const shown = { name, description, times, probability, used: usesOf(uses, scenario).count };
  return { ...shown, inline: source.inline, rules: rules.map((rule) => rule.source) };
}

export function shownRule(item: RuleItem, uses: AllUses): AddedRule {
  return { id: item.name, used: usesOf(uses, item).count, rule: item.rule.source };
}

export function scenarioItem(source: ScenarioSource, { times, probability }: Limits, wasForAll?: true): ScenarioItem {
  const rules = () => source.find()?.rules ?? NO_RULES;
  return { kind: "scenario", name: source.name, times, probability, source, rules, ...(wasForAll && { wasForAll }) };
}

export function ruleItem(kind: RuleItem["kind"], name: string, rule: CompiledRule): RuleItem {
  const rules = [rule];
  return { kind, name, rule, rules: () => rules };
}

function isRule({ kind }: RuleItem): boolean {
  return kind === "rule";
}

function sumOf(items: readonly ActiveItem[], numberOf: (rule: CompiledRule) => number): number {
  return items.reduce((sum, item) => item.rules().reduce((all, rule) => all + numberOf(rule), sum), 0);
}

/** Throws LimitReached if more was found than the limit allows. */
function check(place: string, found: number, limit: number, unit: string, hint: string): void {
  if (found <= limit) return;
  const message = `${place}: expected at most ${limit}${unit}, found ${found}. ${hint}.`;
  throw new ServiceError({ code: "LimitReached", message });
}

/** Returns the periods after a change of the active scenarios at the time `now`. Drops the oldest periods above the limit. */
function periodsAfter(
  periods: readonly ScenarioPeriod[],
  before: readonly ScenarioItem[],
  after: readonly ScenarioItem[],
  now: number,
): readonly ScenarioPeriod[] {
  const active = new Set(after.map(({ name }) => name));
  const wasActive = new Set(before.map(({ name }) => name));
  const started = after.filter(({ name }) => !wasActive.has(name)).map(({ name }) => ({ name, from: now }));
  const earlier = periods.map((each) =>
    each.to === undefined && !active.has(each.name) ? { ...each, to: now } : each,
  );
  return [...earlier, ...started].slice(-MAX_PERIODS);
}
