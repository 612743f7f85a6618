import type { CompiledRule } from "./compile.ts";
import type { Rule } from "./scenario.ts";
import type { CompiledScenario } from "./scenario-set.ts";

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

/**
 * What is switched on, in a project or for all of them. Counts, and with them the places in sequences, are a project's
 * own: what is on for all projects is counted by each project's switches.
 *
 * This is the plain mechanism; `switch-on.ts` holds what a user sends against the contract first.
 */
export interface Switches {
  /** Whether there is nothing on: then no request is looked at. */
  readonly isEmpty: boolean;
  /** The scenarios that are on, newest first. */
  scenarios(): ActiveScenario[];
  /** Turns the scenario on as the newest; one of the same name that is on begins anew. */
  turnOn(scenario: ScenarioSource, limits?: Limits): ActiveScenario;
  /** Whether it was on. */
  turnOff(name: string): boolean;
  turnAllOff(): void;
  /** The rules that were added on their own, newest first. */
  rules(): AddedRule[];
  addRule(rule: CompiledRule): AddedRule;
  /** Whether there was such a rule. */
  removeRule(id: string): boolean;
  clearRules(): void;
  /** Everything that is on, in the order of precedence: rules before scenarios, newest first. */
  readonly active: readonly Switch[];
  /** How often something has taken effect here, whether it is switched on here or for all. */
  usesOf(active: Switch): Uses;
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

/** How often a scenario or rule has taken effect, and each of its rules. */
export interface Uses {
  count: number;
  ofRule(rule: CompiledRule): RuleUses;
}

export interface RuleUses {
  /** Requests that were let through because of `after`. */
  passed: number;
  /** Requests that it has taken effect on. */
  count: number;
}

/** Switches with nothing on. */
export function createSwitches(): Switches {
  let scenarios: (Switch & { source: ScenarioSource })[] = [];
  let rules: (Switch & { rule: CompiledRule })[] = [];
  let active: readonly Switch[] = [];
  let added = 0;
  const uses = new WeakMap<Switch, Uses>();

  const order = () => {
    active = [...rules, ...scenarios];
  };
  const usesOf = (one: Switch): Uses => {
    const known = uses.get(one) ?? createUses();
    uses.set(one, known);
    return known;
  };
  const shownScenario = (one: (typeof scenarios)[number]): ActiveScenario => ({
    name: one.name,
    description: one.source.find()?.description,
    times: one.times,
    probability: one.probability,
    used: usesOf(one).count,
    inline: one.source.inline,
    rules: one.rules().map(({ source }) => source),
  });
  const shownRule = (one: (typeof rules)[number]): AddedRule => ({
    id: one.name,
    used: usesOf(one).count,
    rule: one.rule.source,
  });

  return {
    get isEmpty() {
      return active.length === 0;
    },
    get active() {
      return active;
    },
    usesOf,
    scenarios: () => scenarios.map(shownScenario),
    turnOn(source, { times, probability } = {}) {
      const { name } = source;
      const one = {
        kind: "scenario",
        name,
        times,
        probability,
        source,
        rules: () => source.find()?.rules ?? [],
      } as const;
      scenarios = [one, ...scenarios.filter((other) => other.name !== name)];
      order();
      return shownScenario(one);
    },
    turnOff(name) {
      const before = scenarios.length;
      scenarios = scenarios.filter((one) => one.name !== name);
      order();
      return scenarios.length < before;
    },
    turnAllOff() {
      scenarios = [];
      order();
    },
    rules: () => rules.map(shownRule),
    addRule(rule) {
      const one = { kind: "rule", name: `r-${++added}`, rule, rules: () => [rule] } as const;
      rules = [one, ...rules];
      order();
      return shownRule(one);
    },
    removeRule(id) {
      const before = rules.length;
      rules = rules.filter((one) => one.name !== id);
      order();
      return rules.length < before;
    },
    clearRules() {
      rules = [];
      order();
    },
  };
}

function createUses(): Uses {
  const ofRules = new WeakMap<CompiledRule, RuleUses>();
  return {
    count: 0,
    ofRule(rule) {
      const known = ofRules.get(rule) ?? { passed: 0, count: 0 };
      ofRules.set(rule, known);
      return known;
    },
  };
}
