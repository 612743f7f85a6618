import { MAX_PATTERNS_SIZE, MAX_RULE_BYTES, MAX_RULES, type OperationId, ServiceError } from "../contract/index.ts";
import { type CompiledRule, type CompiledScenario, ruleOfFunction } from "./compile.ts";
import type { AnyFunction } from "./function.ts";
import { periodsAfter, type ScenarioPeriod } from "./periods.ts";
import type { Rule } from "./scenario.ts";

/** An active scenario, as the control API shows it. */
export interface ActiveScenario {
  readonly name: string;
  readonly description?: string;
  /** The number of requests that the scenario takes effect on. By default, only its rules have limits. */
  readonly times?: number;
  readonly probability?: number;
  /** The number of requests that the scenario has taken effect on. Each project counts its own requests. */
  readonly used: number;
  /** Whether the activating call defined the rules. */
  readonly inline: boolean;
  readonly rules: readonly Rule[];
}

/** An added rule, as the control API shows it. */
export interface AddedRule {
  /** `r-1`, `r-2`, … in the order of adding; ids are never reused. */
  readonly id: string;
  readonly used: number;
  readonly rule: Rule;
}

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
export interface SweptExchange {
  readonly operationId: OperationId | undefined;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly requestBody: string | Uint8Array | undefined;
  readonly changes?: readonly unknown[];
  readonly decisions: readonly { readonly kind: string; readonly source?: string }[];
}

export interface ScenarioItem extends ActiveItem {
  readonly kind: "scenario";
  readonly source: ScenarioSource;
  /** Whether the scenario was active for all projects of the server that wrote the archive of this project. */
  readonly wasForAll?: boolean;
}

export interface RuleItem extends ActiveItem {
  readonly kind: "rule" | "function";
  readonly rule: CompiledRule;
}

/** The uses of a scenario or rule in a project, and of each rule in it. */
export interface Uses {
  readonly count: number;
  /** Whether a request was the last one that the scenario or rule affects. */
  readonly isUsedUp: boolean;
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

/** Returns the uses of a scenario or rule. */
export function usesOf(all: AllUses, item: ActiveItem): Uses {
  const known = all.get(item);
  const rules = item.rules();
  if (known?.rules === rules) return known;
  return { count: known?.count ?? 0, isUsedUp: known?.isUsedUp ?? false, rules, ofRules: [] };
}

export function usesOfRule({ ofRules }: Uses, index: number): RuleUses {
  return ofRules[index] ?? noUse;
}

/** Returns the uses with those of one rule replaced. */
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
  /** The rules, and the functions. Oldest first. */
  readonly #rules: readonly RuleItem[];
  /** The number of rules that were added, including removed ones. */
  readonly added: number;
  readonly #addedFunctions: number;
  /** The last periods in which scenarios were active, oldest first. */
  readonly periods: readonly ScenarioPeriod[];
  /** The approximate memory of the rules and inline scenarios, in bytes. Scenarios from files are shared and not counted. */
  readonly bytes: number;
  #active: readonly ActiveItem[] | undefined;
  /** The last result of `withForAll`, so that unchanged rules stay the same. */
  #withForAll: { readonly forAll: ActiveRules; readonly activeRules: ActiveRules } | undefined;

  private constructor({ scenarios, rules, added, addedFunctions, periods }: Parts) {
    this.scenarios = scenarios;
    this.#rules = rules;
    this.added = added;
    this.#addedFunctions = addedFunctions;
    this.periods = periods;
    this.bytes = bytesOf(rules) + bytesOf(scenarios.filter(isInline));
  }

  static readonly none: ActiveRules = new ActiveRules({
    scenarios: [],
    rules: [],
    added: 0,
    addedFunctions: 0,
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

  /**
   * Returns these scenarios and rules, oldest first. Functions stay, as the newest. Throws LimitReached as `activate` and
   * `addRule` do.
   */
  replaced({ scenarios, rules, added, periods }: Omit<Parts, "addedFunctions">): ActiveRules {
    const all = [...rules, ...this.#rules.filter((item) => !isRule(item))];
    if (all.length > MAX_RULES) throw tooMany("rules", all.length, "Remove a rule first.");
    checkScenarios(scenarios);
    checkPatterns([], { rules: () => [...all, ...scenarios].flatMap((item) => [...item.rules()]) });
    checkBytes(bytesOf(all), bytesOf(scenarios.filter(isInline)));
    return this.#changed({ scenarios, rules: all, added, periods });
  }

  /**
   * Returns the rules with the scenario as the newest, from the server's time `now` on. If it is already active, its
   * counters start again. Throws LimitReached if the active scenarios exceed a limit for the number, memory or patterns of
   * rules.
   */
  activate(source: ScenarioSource, { times, probability }: Limits, now: number): ActiveRules {
    const { name } = source;
    const rules = () => source.find()?.rules ?? NO_RULES;
    const scenario: ScenarioItem = { kind: "scenario", name, times, probability, source, rules };
    const others = this.scenarios.filter((other) => other.name !== name);
    checkScenarios([...others, scenario]);
    checkPatterns([...this.#rules, ...others], scenario);
    if (source.inline) checkBytes(bytesOf(this.#rules) + bytesOf(others.filter(isInline)), bytesOf([scenario]));
    return this.#withScenarios([...others, scenario], now);
  }

  /** Returns the rules without the scenario; the same rules if it was not active. */
  deactivate(name: string, now: number): ActiveRules {
    const others = this.scenarios.filter((scenario) => scenario.name !== name);
    return others.length < this.scenarios.length ? this.#withScenarios(others, now) : this;
  }

  /** Returns the rules with a rule as the newest. Throws LimitReached if they exceed a limit for number, memory or patterns. */
  addRule(rule: CompiledRule): { readonly activeRules: ActiveRules; readonly item: RuleItem } {
    checkPatterns(this.active, { rules: () => [rule] });
    const item = itemOf("rule", `r-${this.added + 1}`, rule);
    return { activeRules: this.#withItem(item, { added: this.added + 1 }), item };
  }

  /**
   * Returns the rules with a function for the requests of one operation, as the newest of the rules and functions. Its id
   * is `f-1`, `f-2`, … Throws LimitReached as `addRule` does.
   */
  addFunction(
    operation: OperationId,
    run: AnyFunction,
  ): { readonly activeRules: ActiveRules; readonly item: RuleItem } {
    const item = itemOf("function", `f-${this.#addedFunctions + 1}`, ruleOfFunction(operation, run));
    return { activeRules: this.#withItem(item, { addedFunctions: this.#addedFunctions + 1 }), item };
  }

  /** Returns the rules without this rule or function; the same rules if it does not exist. */
  remove(kind: RuleItem["kind"], id: string): ActiveRules {
    const rules = this.#rules.filter((item) => item.kind !== kind || item.name !== id);
    return rules.length < this.#rules.length ? this.#changed({ rules }) : this;
  }

  /** Returns only the scenarios and functions. Functions stay, as only the test that has added them can add them again. */
  withoutRules(): ActiveRules {
    return this.#changed({ rules: this.#rules.filter((item) => !isRule(item)) });
  }

  /** Returns the rules with the scenarios that are active for all projects as the oldest ones of this project. */
  withForAll(forAll: ActiveRules): ActiveRules {
    if (forAll.scenarios.length === 0) return this;
    if (this.#withForAll?.forAll !== forAll) {
      const scenarios = [...forAll.scenarios.map((item) => ({ ...item, wasForAll: true })), ...this.scenarios];
      this.#withForAll = { forAll, activeRules: this.#changed({ scenarios }) };
    }
    return this.#withForAll.activeRules;
  }

  #withItem(item: RuleItem, counts: Partial<Parts>): ActiveRules {
    const count = this.#rules.length + 1;
    if (count > MAX_RULES) throw tooMany("rules", count, "Remove a rule first.");
    checkBytes(this.bytes, item.rule.bytes);
    return this.#changed({ rules: [...this.#rules, item], ...counts });
  }

  #withScenarios(scenarios: readonly ScenarioItem[], now: number): ActiveRules {
    return this.#changed({ scenarios, periods: periodsAfter(this.periods, this.scenarios, scenarios, now) });
  }

  #changed(parts: Partial<Parts>): ActiveRules {
    const { scenarios, added, periods } = this;
    return new ActiveRules({
      scenarios,
      rules: this.#rules,
      added,
      addedFunctions: this.#addedFunctions,
      periods,
      ...parts,
    });
  }
}

interface Parts {
  readonly scenarios: readonly ScenarioItem[];
  readonly rules: readonly RuleItem[];
  readonly added: number;
  readonly addedFunctions: number;
  readonly periods: readonly ScenarioPeriod[];
}

const NO_RULES: readonly CompiledRule[] = [];

/** Something that has active scenarios and rules: a project, or the engine for all projects. */
export interface RulesHolder {
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
  const { count: used } = usesOf(uses, scenario);
  const shownRules = rules.map((rule) => rule.source);
  return { name, description, times, probability, used, inline: source.inline, rules: shownRules };
}

/** Returns the added rules, newest first, with their uses. */
export function shownRules({ activeRules, uses }: Pick<RulesHolder, "activeRules" | "uses">): AddedRule[] {
  return activeRules.rules.toReversed().map((item) => shownRule(item, uses));
}

export function shownRule(item: RuleItem, uses: AllUses): AddedRule {
  return { id: item.name, used: usesOf(uses, item).count, rule: item.rule.source };
}

export function itemOf(kind: RuleItem["kind"], name: string, rule: CompiledRule): RuleItem {
  const rules = [rule];
  return { kind, name, rule, rules: () => rules };
}

function isInline({ source }: ScenarioItem): boolean {
  return source.inline;
}

function checkScenarios(scenarios: readonly ScenarioItem[]): void {
  const count = scenarios.reduce((sum, each) => sum + each.rules().length, 0);
  if (count > MAX_RULES) throw tooMany("rules of active scenarios", count, "Deactivate a scenario first.");
}

function isRule({ kind }: RuleItem): boolean {
  return kind === "rule";
}

function bytesOf(items: readonly ActiveItem[]): number {
  return items.reduce((sum, each) => each.rules().reduce((all, { bytes }) => all + bytes, sum), 0);
}

function checkBytes(current: number, added: number): void {
  if (current + added <= MAX_RULE_BYTES) return;
  const message = `rules: expected at most ${MAX_RULE_BYTES} bytes of rules and inline scenarios in memory, found ${current + added}. Use fixtures for large bodies, or remove rules first.`;
  throw new ServiceError({ code: "LimitReached", message });
}

/** Throws LimitReached if all patterns together exceed `MAX_PATTERNS_SIZE`: comparing a request would take too long. */
function checkPatterns(active: readonly Pick<ActiveItem, "rules">[], added: Pick<ActiveItem, "rules">): void {
  const more = patternsSize([added]);
  const size = patternsSize(active) + more;
  if (more === 0 || size <= MAX_PATTERNS_SIZE) return;
  const message = `matches: expected the patterns of all active rules to have at most ${MAX_PATTERNS_SIZE} instructions together, found ${size}. Remove rules, or shorten their patterns.`;
  throw new ServiceError({ code: "LimitReached", message });
}

function patternsSize(items: readonly Pick<ActiveItem, "rules">[]): number {
  return items.reduce((sum, each) => each.rules().reduce((all, { matcher }) => all + matcher.size, sum), 0);
}

function tooMany(what: string, found: number, hint: string): ServiceError {
  return new ServiceError({
    code: "LimitReached",
    message: `${what}: expected at most ${MAX_RULES}, found ${found}. ${hint}`,
  });
}
