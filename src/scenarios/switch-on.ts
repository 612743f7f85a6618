import type { Problem } from "../contract/problems.ts";
import { invalidField, ServiceError } from "../contract/service-error.ts";
import { scenarioName } from "../matching/match.ts";
import { didYouMean } from "../text/nearest.ts";
import { compileRule, compileRules, type RuleContext, type ScenarioSet } from "./compile.ts";
import type { Activation, Rule } from "./scenario.ts";
import type { ActiveScenario, AddedRule, ScenarioSource, Switches } from "./switches.ts";

/** What scenarios and rules refer to; an engine has it. */
export interface Known extends RuleContext {
  readonly scenarios: ScenarioSet;
}

/**
 * Turns a scenario on, in a project (`project.switches`) or for all (`engine.switches`): the one that has this name, or
 * with `rules` in `how` one written on the spot, which has this name with these switches only. `how` fits its schema.
 * Throws ResourceNotFound for a name that no scenario has, InvalidField for what breaks the contract (`field` is the
 * pointer into `how`), and LimitReached.
 */
export async function turnOnScenario(
  switches: Switches,
  name: string,
  how: Activation,
  known: Known,
): Promise<ActiveScenario> {
  const { times, probability, description, rules } = how;
  if (!rules) return switches.turnOn(namedScenario(name, known), { times, probability });
  if (!scenarioName.test(name)) {
    throw invalid([{ pointer: "name", message: "expected up to 100 letters, digits, _ and -" }]);
  }
  const problems: Problem[] = [];
  const compiled = await compileRules(rules, "/rules", known, problems);
  if (problems.length > 0) throw invalid(problems);
  const scenario = { name, description, rules: compiled };
  return switches.turnOn({ name, inline: true, find: () => scenario }, { times, probability });
}

/** The scenario of this name, whatever its file holds by then. Throws ResourceNotFound, naming the nearest. */
export function namedScenario(name: string, known: Pick<Known, "scenarios">): ScenarioSource {
  if (!known.scenarios.get(name)) {
    throw new ServiceError({
      code: "ResourceNotFound",
      message: unknownScenario(name, known.scenarios),
      field: "name",
    });
  }
  return { name, inline: false, find: () => known.scenarios.get(name) };
}

/** Says that no scenario has the name, and which one may have been meant. */
export function unknownScenario(name: string, scenarios: ScenarioSet): string {
  const names = [...scenarios.keys()];
  const hint = didYouMean(name, names) || ` The scenarios are: ${names.join(", ") || "none"}.`;
  return `there is no scenario "${name.slice(0, 100)}".${hint}`;
}

/**
 * Adds a rule that fits its schema to a project. Throws InvalidField for what breaks the contract (`field` is the
 * pointer into the rule), and LimitReached.
 */
export async function addRule(switches: Switches, rule: Rule, known: RuleContext): Promise<AddedRule> {
  const problems: Problem[] = [];
  const compiled = await compileRule(rule, known, problems);
  if (!compiled) throw invalid(problems);
  return switches.addRule(compiled);
}

function invalid(problems: readonly Problem[]): ServiceError {
  return new ServiceError(problems.map(({ pointer, message }) => invalidField(pointer, message)));
}
