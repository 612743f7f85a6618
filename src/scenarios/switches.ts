import { ServiceError } from "../contract/service-error.ts";
import { MAX_PATTERNS_SIZE } from "../matching/pattern.ts";
import { type CompiledRule, type CompiledScenario, MAX_RULE_BYTES } from "./compile.ts";
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

/**
 * How many rules a project may have, and how many rules its active scenarios may have together. Each request is
 * compared with all of them.
 */
export const MAX_RULES = 1000;

/**
 * The active scenarios and rules of a project, or those for all projects. Each project counts their uses, and with them
 * the positions in sequences, by itself, also for scenarios that are active for all projects.
 *
 * This is the mechanism only; `switch-on.ts` validates what a user sends.
 */
export class Switches {
  /** Oldest first, as are the rules. */
  #scenarios: readonly ScenarioSwitch[] = [];
  #rules: readonly RuleSwitch[] = [];
  /** Built again by the first request after a change. */
  #active: readonly Switch[] | undefined;
  #added = 0;
  #paid = 0;
  #pay: ((by: number) => void) | undefined;
  #uses: WeakMap<Switch, Uses> | undefined;

  /** `pay` is called before the rules and inline scenarios take so many bytes more, or less. It throws to refuse them. */
  constructor(pay?: (by: number) => void) {
    this.#pay = pay;
  }

  /** All scenarios and rules in the order of precedence: rules before scenarios, newest first. */
  get active(): readonly Switch[] {
    this.#active ??= [...this.#rules.toReversed(), ...this.#scenarios.toReversed()];
    return this.#active;
  }

  /** About how much memory the rules and inline scenarios hold, in bytes. Scenarios of files are shared. */
  get bytes(): number {
    return bytesOf(this.#rules) + bytesOf(this.#scenarios.filter(({ source }) => source.inline));
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
    return this.#scenarios.toReversed().map((scenario) => this.#shown(scenario));
  }

  /**
   * Activates the scenario as the newest; an active one of the same name starts again. Throws LimitReached when the
   * active scenarios would have too many rules, or too large ones.
   */
  turnOn(source: ScenarioSource, { times, probability }: Limits = {}): ActiveScenario {
    const { name } = source;
    const rules = () => source.find()?.rules ?? [];
    const scenario = { kind: "scenario", name, times, probability, source, rules } as const;
    const others = this.#scenarios.filter((other) => other.name !== name);
    const count = [...others, scenario].reduce((sum, each) => sum + each.rules().length, 0);
    if (count > MAX_RULES) throw tooMany("rules of active scenarios", count, "Turn a scenario off first.");
    checkPatterns([...this.#rules, ...others], scenario);
    if (source.inline) {
      checkBytes(bytesOf(this.#rules) + bytesOf(others.filter((other) => other.source.inline)), bytesOf([scenario]));
    }
    this.#change(this.#rules, [...others, scenario]);
    return this.#shown(scenario);
  }

  /** Returns whether the scenario was active. */
  turnOff(name: string): boolean {
    const others = this.#scenarios.filter((scenario) => scenario.name !== name);
    const wasActive = others.length < this.#scenarios.length;
    this.#change(this.#rules, others);
    return wasActive;
  }

  turnAllOff(): void {
    this.#change(this.#rules, []);
  }

  /** The rules that were added one by one, newest first. */
  rules(): AddedRule[] {
    return this.#rules.toReversed().map((added) => this.#shownRule(added));
  }

  /** Adds the rule as the newest. Throws LimitReached when there are too many, or too large ones. */
  addRule(rule: CompiledRule): AddedRule {
    const count = this.#rules.length + 1;
    if (count > MAX_RULES) throw tooMany("rules", count, "Remove a rule first.");
    checkBytes(this.bytes, rule.bytes);
    checkPatterns(this.active, { rules: () => [rule] });
    const added = { kind: "rule", name: `r-${this.#added + 1}`, rule, rules: () => [rule] } as const;
    this.#change([...this.#rules, added], this.#scenarios);
    this.#added++;
    return this.#shownRule(added);
  }

  /** Returns whether there was such a rule. */
  removeRule(id: string): boolean {
    const others = this.#rules.filter(({ name }) => name !== id);
    const existed = others.length < this.#rules.length;
    this.#change(others, this.#scenarios);
    return existed;
  }

  clearRules(): void {
    this.#change([], this.#scenarios);
  }

  /** Gives the bytes back. What late requests activate is not counted. */
  end(): void {
    this.#pay?.(-this.#paid);
    this.#pay = undefined;
  }

  #change(rules: readonly RuleSwitch[], scenarios: readonly ScenarioSwitch[]): void {
    const bytes = bytesOf(rules) + bytesOf(scenarios.filter(({ source }) => source.inline));
    this.#pay?.(bytes - this.#paid);
    this.#paid = bytes;
    this.#rules = rules;
    this.#scenarios = scenarios;
    this.#active = undefined;
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

function bytesOf(switches: readonly Switch[]): number {
  return switches.reduce((sum, each) => each.rules().reduce((all, { bytes }) => all + bytes, sum), 0);
}

function checkBytes(held: number, more: number): void {
  if (held + more <= MAX_RULE_BYTES) return;
  const message = `rules: expected at most ${MAX_RULE_BYTES} bytes of rules and inline scenarios in memory, found ${held + more}. Use fixtures for large bodies, or remove rules first.`;
  throw new ServiceError({ code: "LimitReached", message });
}

/** Throws LimitReached when comparing a request with the patterns of all these would take too long. */
function checkPatterns(active: readonly Pick<Switch, "rules">[], added: Pick<Switch, "rules">): void {
  const more = patternsSize([added]);
  const size = patternsSize(active) + more;
  if (more === 0 || size <= MAX_PATTERNS_SIZE) return;
  const message = `matches: expected the patterns of all active rules to have at most ${MAX_PATTERNS_SIZE} instructions together, found ${size}. Remove rules, or shorten their patterns.`;
  throw new ServiceError({ code: "LimitReached", message });
}

function patternsSize(switches: readonly Pick<Switch, "rules">[]): number {
  return switches.reduce((sum, each) => each.rules().reduce((all, { matcher }) => all + matcher.size, sum), 0);
}

function tooMany(what: string, found: number, hint: string): ServiceError {
  return new ServiceError({
    code: "LimitReached",
    message: `${what}: expected at most ${MAX_RULES}, found ${found}. ${hint}`,
  });
}
