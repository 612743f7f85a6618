import type { OperationId } from "../contract/contract.ts";
import { ServiceError } from "../contract/service-error.ts";
import { MAX_PATTERNS_SIZE } from "../matching/pattern.ts";
import { type CompiledRule, type CompiledScenario, MAX_RULE_BYTES, ruleOfFunction } from "./compile.ts";
import type { AnyFunction } from "./function.ts";
import { periodsAfter, type ScenarioPeriod } from "./periods.ts";
import type { Rule } from "./scenario.ts";

/** An active scenario, as the control API shows it. */
export interface ActiveScenario {
  readonly name: string;
  readonly description?: string;
  /** The number of requests that the scenario takes effect on; unlimited by default. */
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
  /** Notes that a project received a request to the operation. */
  called(operation: OperationId, projectKey: string): void;
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

/** The uses of a scenario or rule, and of each rule in it. */
export interface Uses {
  count: number;
  /** Whether a request was the last one that the scenario or rule affects. */
  isUsedUp: boolean;
  readonly rules: WeakMap<CompiledRule, RuleUses>;
}

export interface RuleUses {
  /** The number of requests skipped because of `after`. */
  passed: number;
  /** The number of requests that the rule has taken effect on. */
  count: number;
}

/**
 * The most rules and functions in a project, and the most rules in its active scenarios together. The limit exists because the server
 * compares each request with all of them.
 */
export const MAX_RULES = 1000;

/**
 * The active scenarios and rules of a project, or the scenarios that are active for all projects. Each project counts
 * uses and positions in sequences by itself, also for scenarios that are active for all projects.
 *
 * This class does not validate; `activate.ts` does.
 */
export class ActiveRules {
  /** Scenarios, and rules with functions: oldest first. */
  #scenarios: readonly ScenarioItem[] = [];
  #rules: readonly RuleItem[] = [];
  /** A cache: a change clears it, and the next request fills it. */
  #active: readonly ActiveItem[] | undefined;
  #added = 0;
  #addedFunctions = 0;
  #reserved = 0;
  #reserve: ((by: number) => void) | undefined;
  #uses: WeakMap<ActiveItem, Uses> | undefined;
  readonly #now: () => number;
  /** Undefined until the first scenario, as most projects have none. */
  #periods: readonly ScenarioPeriod[] | undefined;

  /**
   * `now` returns the server's time in milliseconds. Before rules and inline scenarios change, calls `reserve` with the
   * change in bytes. `reserve` can throw to reject it.
   */
  constructor(now: () => number = Date.now, reserve?: (by: number) => void) {
    this.#now = now;
    this.#reserve = reserve;
  }

  /** The last periods in which scenarios were active, oldest first. */
  get periods(): readonly ScenarioPeriod[] {
    return this.#periods ?? [];
  }

  /** All scenarios and rules, highest precedence first: rules before scenarios, newest first. */
  get active(): readonly ActiveItem[] {
    this.#active ??= [...this.#rules.toReversed(), ...this.#scenarios.toReversed()];
    return this.#active;
  }

  /** The approximate memory of the rules and inline scenarios, in bytes. Scenarios from files are shared and not counted. */
  get bytes(): number {
    return bytesOf(this.#rules) + bytesOf(this.#scenarios.filter(({ source }) => source.inline));
  }

  /** The active scenarios, and the added rules without functions, oldest first. */
  get items(): { readonly scenarios: readonly ScenarioItem[]; readonly rules: readonly RuleItem[] } {
    return { scenarios: this.#scenarios, rules: this.#rules.filter(isRule) };
  }

  /** The number of rules that were added, including removed ones. */
  get added(): number {
    return this.#added;
  }

  /**
   * Replaces the scenarios and rules, oldest first, and the history. Functions stay, as the newest. Throws LimitReached
   * as `activate` and `addRule` do.
   */
  replaceAll(
    { scenarios, rules }: ActiveRules["items"],
    { added, periods }: { readonly added: number; readonly periods: readonly ScenarioPeriod[] },
  ): void {
    const all = [...rules, ...this.#rules.filter((item) => !isRule(item))];
    if (all.length > MAX_RULES) throw tooMany("rules", all.length, "Remove a rule first.");
    const count = scenarios.reduce((sum, each) => sum + each.rules().length, 0);
    if (count > MAX_RULES) throw tooMany("rules of active scenarios", count, "Deactivate a scenario first.");
    checkPatterns([], { rules: () => [...all, ...scenarios].flatMap((item) => [...item.rules()]) });
    checkBytes(bytesOf(all), bytesOf(scenarios.filter(({ source }) => source.inline)));
    this.#change(all, scenarios);
    this.#added = added;
    this.#periods = periods.length > 0 ? periods : undefined;
  }

  /** Returns the uses of a scenario or rule in this project, if it has any. */
  findUses(active: ActiveItem): Uses | undefined {
    return this.#uses?.get(active);
  }

  /** Sets the uses of a scenario or rule in this project. */
  setUses(active: ActiveItem, uses: Uses | undefined): void {
    if (uses) {
      this.#uses ??= new WeakMap();
      this.#uses.set(active, uses);
    } else {
      this.#uses?.delete(active);
    }
  }

  /** Returns the uses of a scenario or rule in this project. It can be active here or for all projects. */
  usesOf(active: ActiveItem): Uses {
    this.#uses ??= new WeakMap();
    let uses = this.#uses.get(active);
    if (!uses) {
      uses = { count: 0, isUsedUp: false, rules: new WeakMap() };
      this.#uses.set(active, uses);
    }
    return uses;
  }

  /** Returns the active scenarios, newest first. With `others`, returns those of `others`, with the uses in this project. */
  scenarios(others: ActiveRules = this): ActiveScenario[] {
    return others.#scenarios.toReversed().map((scenario) => this.#shown(scenario));
  }

  /**
   * Activates the scenario as the newest. If it is already active, its counters start again. Throws LimitReached if the
   * active scenarios exceed a limit for the number, memory or patterns of rules.
   */
  activate(source: ScenarioSource, { times, probability }: Limits = {}): ActiveScenario {
    const { name } = source;
    const rules = () => source.find()?.rules ?? [];
    const scenario: ScenarioItem = { kind: "scenario", name, times, probability, source, rules };
    const others = this.#scenarios.filter((other) => other.name !== name);
    const count = [...others, scenario].reduce((sum, each) => sum + each.rules().length, 0);
    if (count > MAX_RULES) throw tooMany("rules of active scenarios", count, "Deactivate a scenario first.");
    checkPatterns([...this.#rules, ...others], scenario);
    if (source.inline) {
      checkBytes(bytesOf(this.#rules) + bytesOf(others.filter((other) => other.source.inline)), bytesOf([scenario]));
    }
    this.#change(this.#rules, [...others, scenario]);
    return this.#shown(scenario);
  }

  /** Deactivates the scenario. Returns whether it was active. */
  deactivate(name: string): boolean {
    const others = this.#scenarios.filter((scenario) => scenario.name !== name);
    const wasActive = others.length < this.#scenarios.length;
    this.#change(this.#rules, others);
    return wasActive;
  }

  /** Deactivates all scenarios, and forgets when they were active. */
  deactivateAll(): void {
    this.#change(this.#rules, []);
    this.#periods = undefined;
  }

  /** Returns the added rules, newest first. */
  rules(): AddedRule[] {
    return this.#rules
      .filter(isRule)
      .reverse()
      .map((added) => this.#shownRule(added));
  }

  /** Adds the rule as the newest. Throws LimitReached if the rules exceed a limit for their number, memory or patterns. */
  addRule(rule: CompiledRule): AddedRule {
    checkPatterns(this.active, { rules: () => [rule] });
    const added = this.#add("rule", `r-${this.#added + 1}`, rule);
    this.#added++;
    return this.#shownRule(added);
  }

  /**
   * Adds a function for the requests of one operation, as the newest of the rules and functions. Returns its id: `f-1`,
   * `f-2`, … Throws LimitReached as `addRule` does.
   */
  addFunction(operation: OperationId, run: AnyFunction): string {
    const { name } = this.#add("function", `f-${this.#addedFunctions + 1}`, ruleOfFunction(operation, run));
    this.#addedFunctions++;
    return name;
  }

  /** Removes the function, if it exists. */
  removeFunction(id: string): void {
    this.#remove("function", id);
  }

  /** Removes the rule. Returns whether it existed. */
  removeRule(id: string): boolean {
    return this.#remove("rule", id);
  }

  /** Removes all rules. Functions stay, as only the test that has added them can add them again. */
  clearRules(): void {
    this.#change(
      this.#rules.filter((item) => !isRule(item)),
      this.#scenarios,
    );
  }

  /** Releases the reserved bytes. Later changes reserve nothing. */
  end(): void {
    this.#reserve?.(-this.#reserved);
    this.#reserve = undefined;
  }

  #add(kind: RuleItem["kind"], name: string, rule: CompiledRule): RuleItem {
    const count = this.#rules.length + 1;
    if (count > MAX_RULES) throw tooMany("rules", count, "Remove a rule first.");
    checkBytes(this.bytes, rule.bytes);
    const added: RuleItem = { kind, name, rule, rules: () => [rule] };
    this.#change([...this.#rules, added], this.#scenarios);
    return added;
  }

  #remove(kind: RuleItem["kind"], id: string): boolean {
    const others = this.#rules.filter((item) => item.kind !== kind || item.name !== id);
    const existed = others.length < this.#rules.length;
    if (existed) this.#change(others, this.#scenarios);
    return existed;
  }

  #change(rules: readonly RuleItem[], scenarios: readonly ScenarioItem[]): void {
    const bytes = bytesOf(rules) + bytesOf(scenarios.filter(({ source }) => source.inline));
    this.#reserve?.(bytes - this.#reserved);
    this.#reserved = bytes;
    if (scenarios !== this.#scenarios) {
      this.#periods = periodsAfter(this.periods, this.#scenarios, scenarios, this.#now());
    }
    this.#rules = rules;
    this.#scenarios = scenarios;
    this.#active = undefined;
  }

  #shown(scenario: ScenarioItem): ActiveScenario {
    const { name, times, probability, source } = scenario;
    const { description, rules = [] } = source.find() ?? {};
    const { count: used } = this.usesOf(scenario);
    const shownRules = rules.map((rule) => rule.source);
    return { name, description, times, probability, used, inline: source.inline, rules: shownRules };
  }

  #shownRule(added: RuleItem): AddedRule {
    return { id: added.name, used: this.usesOf(added).count, rule: added.rule.source };
  }
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
