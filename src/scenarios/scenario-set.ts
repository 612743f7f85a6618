import type { CompiledRule } from "./compile.ts";

/** A scenario that fits the contract, ready to be turned on. */
export interface CompiledScenario {
  readonly name: string;
  /** Every file has one; a scenario written on the spot may go without. */
  readonly description?: string;
  readonly rules: readonly CompiledRule[];
}

/** The scenarios that can be turned on by their names. */
export interface ScenarioSet {
  get(name: string): CompiledScenario | undefined;
  /** In alphabetical order. */
  names(): string[];
  all(): Iterable<CompiledScenario>;
}

/** A set out of scenarios; of two with one name the later stands. */
export function createScenarioSet(scenarios: Iterable<CompiledScenario>): ScenarioSet {
  const byName = new Map<string, CompiledScenario>();
  for (const scenario of scenarios) byName.set(scenario.name, scenario);
  const sorted = new Map([...byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { get: (name) => sorted.get(name), names: () => [...sorted.keys()], all: () => sorted.values() };
}
