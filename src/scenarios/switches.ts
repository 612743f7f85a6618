import type { CompiledRule, CompiledScenario } from "./compile.ts";
import type { Rule } from "./scenario.ts";

/** A scenario that is on, as the control API shows it. */
export interface ActiveScenario {
  readonly name: string;
  readonly description?: string;
  /** Takes effect on this many requests, then no more. */
  readonly times?: number;
  readonly probability?: number;
  /** How many requests it has taken effect on. Of a scenario on for all projects this is counted in each of them. */
  readonly used: number;
  /** Whether its rules came with the call that turned it on, and what they are. */
  readonly inline: boolean;
  readonly rules: readonly Rule[];
}

/** A rule that was added on its own, as the control API shows it. */
export interface AddedRule {
  /** `r-1`, `r-2`, … in the order of adding; not used again. */
  readonly id: string;
  readonly used: number;
  readonly rule: Rule;
}

export interface Limits {
  readonly times?: number;
  readonly probability?: number;
}

/** Where an active scenario's rules come from: looked up each time, so that a changed file takes effect at once. */
export interface ScenarioSource {
  readonly name: string;
  readonly inline: boolean;
  find(): CompiledScenario | undefined;
}

/** One thing that is on. */
export interface Switch extends Limits {
  readonly kind: "rule" | "scenario";
  /** The scenario's name, or the rule's id. */
  readonly name: string;
  rules(): readonly CompiledRule[];
}

interface ScenarioSwitch extends Switch {
  readonly source: ScenarioSource;
}

interface RuleSwitch extends Switch {
  readonly rule: CompiledRule;
}

/** How often a scenario or rule has taken effect, and each of its rules. */
export interface Uses {
  count: number;
  readonly rules: WeakMap<CompiledRule, RuleUses>;
}

export interface RuleUses {
  /** Requests that were let through because of `after`. */
  passed: number;
  /** Requests that it has taken effect on. */
  count: number;
}

const NONE: readonly never[] = [];

/**
 * The active scenarios and rules of a project, or those for all projects. Each project counts their uses, and with them
 * the positions in sequences, by itself, also for scenarios that are active for all projects.
 *
 * This is the mechanism only; `switch-on.ts` validates what a user sends.
 */
export class Switches {
  #scenarios: readonly ScenarioSwitch[] = NONE;
  #rules: readonly RuleSwitch[] = NONE;
  #active: readonly Switch[] = NONE;
  #added = 0;
  #uses: WeakMap<Switch, Uses> | undefined;

  /** All scenarios and rules in the order of precedence: rules before scenarios, newest first. */
  get active(): readonly Switch[] {
    return this.#active;
  }

  /** How often a scenario or rule has taken effect here, whether it is active here or for all projects. */
  usesOf(active: Switch): Uses {
    this.#uses ??= new WeakMap();
    let uses = this.#uses.get(active);
    if (!uses) {
      uses = { count: 0, rules: new WeakMap() };
      this.#uses.set(active, uses);
    }
    return uses;
  }

  /** The active scenarios, newest first. */
  scenarios(): ActiveScenario[] {
    return this.#scenarios.map((scenario) => this.#shown(scenario));
  }

  /** Activates the scenario as the newest; an active one of the same name starts again. */
  turnOn(source: ScenarioSource, { times, probability }: Limits = {}): ActiveScenario {
    const { name } = source;
    const rules = () => source.find()?.rules ?? [];
    const scenario = { kind: "scenario", name, times, probability, source, rules } as const;
    this.#activate(this.#rules, [scenario, ...this.#scenarios.filter((other) => other.name !== name)]);
    return this.#shown(scenario);
  }

  /** Returns whether the scenario was active. */
  turnOff(name: string): boolean {
    const before = this.#scenarios.length;
    this.#activate(
      this.#rules,
      this.#scenarios.filter((scenario) => scenario.name !== name),
    );
    return this.#scenarios.length < before;
  }

  turnAllOff(): void {
    this.#activate(this.#rules, NONE);
  }

  /** The rules that were added one by one, newest first. */
  rules(): AddedRule[] {
    return this.#rules.map((added) => this.#shownRule(added));
  }

  addRule(rule: CompiledRule): AddedRule {
    const added = { kind: "rule", name: `r-${++this.#added}`, rule, rules: () => [rule] } as const;
    this.#activate([added, ...this.#rules], this.#scenarios);
    return this.#shownRule(added);
  }

  /** Returns whether there was such a rule. */
  removeRule(id: string): boolean {
    const before = this.#rules.length;
    this.#activate(
      this.#rules.filter(({ name }) => name !== id),
      this.#scenarios,
    );
    return this.#rules.length < before;
  }

  clearRules(): void {
    this.#activate(NONE, this.#scenarios);
  }

  #activate(rules: readonly RuleSwitch[], scenarios: readonly ScenarioSwitch[]): void {
    this.#rules = rules;
    this.#scenarios = scenarios;
    this.#active = [...rules, ...scenarios];
  }

  #shown(scenario: ScenarioSwitch): ActiveScenario {
    const { name, times, probability, source } = scenario;
    const { description, rules = [] } = source.find() ?? {};
    const { count: used } = this.usesOf(scenario);
    const shownRules = rules.map((rule) => rule.source);
    return { name, description, times, probability, used, inline: source.inline, rules: shownRules };
  }

  #shownRule(added: RuleSwitch): AddedRule {
    return { id: added.name, used: this.usesOf(added).count, rule: added.rule.source };
  }
}
