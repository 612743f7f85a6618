import { didYouMean, invalidField, type Problem, ServiceError } from "../contract/index.ts";
import {
  type RuleItem,
  type RulesHolder,
  type ScenarioItem,
  type ScenarioSource,
  shownRule,
  shownScenario,
} from "./active-rules.ts";
import {
  type CompiledRule,
  type CompiledScenario,
  compileRule,
  compileRules,
  type RuleContext,
  type ScenarioSet,
} from "./compile.ts";
import { scenarioName } from "./matching/match-schema.ts";
import type { Activation, ActiveScenario, AddedRule, Rule } from "./scenario.ts";

/** The contract, fixtures and scenarios that activating needs. An engine has these members. */
export interface ActivationContext extends RuleContext {
  readonly scenarios: ScenarioSet;
}

/**
 * Activates a scenario in a project or for all projects. With `rules`, `options` defines an inline scenario of this name.
 * `options` must be valid by the schema `Activation`. Throws ResourceNotFound for an unknown name, InvalidField for a
 * contract violation (`field` is the pointer into `options`), and LimitReached.
 */
export async function activateScenario(
  holder: RulesHolder,
  name: string,
  options: Activation,
  known: ActivationContext,
): Promise<ActiveScenario> {
  const source = options.rules ? await inlineScenario(name, options, known) : namedScenario(name, known);
  holder.activeRules = holder.activeRules.activate(source, options, holder.now());
  return shownScenario(holder.activeRules.scenarios.at(-1) as ScenarioItem, holder.uses);
}

async function inlineScenario(
  name: string,
  { description, rules = [] }: Activation,
  known: ActivationContext,
): Promise<ScenarioSource> {
  if (!scenarioName.test(name)) {
    throw invalid([{ pointer: "name", message: "expected up to 100 letters, digits, _ and -" }]);
  }
  const problems: Problem[] = [];
  const compiled = await compileRules(rules, "/rules", known, problems);
  if (problems.length > 0) throw invalid(problems);
  return inlineSource({ name, description, rules: compiled });
}

export function inlineSource(scenario: CompiledScenario): ScenarioSource {
  return { name: scenario.name, inline: true, find: () => scenario };
}

/** Returns the source of a scenario by name; it follows changes of the file. Throws ResourceNotFound with the nearest name. */
export function namedScenario(name: string, known: Pick<ActivationContext, "scenarios">): ScenarioSource {
  if (!known.scenarios.get(name)) {
    throw new ServiceError({
      code: "ResourceNotFound",
      message: unknownScenario(name, known.scenarios),
      field: "name",
    });
  }
  return { name, inline: false, find: () => known.scenarios.get(name) };
}

/** Returns the message for an unknown scenario, with the nearest name or all names. */
export function unknownScenario(name: string, scenarios: ScenarioSet): string {
  const names = [...scenarios.keys()];
  const hint = didYouMean(name, names) || ` Known scenarios: ${names.join(", ") || "none"}.`;
  return `scenario "${name.slice(0, 100)}" not found.${hint}`;
}

/**
 * Returns a rule in compiled form. The rule must be valid by the schema `Rule`. Throws InvalidField for a contract
 * violation (`field` is the pointer into the rule).
 */
export async function checkRule(rule: Rule, known: RuleContext): Promise<CompiledRule> {
  const problems: Problem[] = [];
  const compiled = await compileRule(rule, "", known, problems);
  if (!compiled) throw invalid(problems);
  return compiled;
}

/** Adds a rule to a project. Throws as `checkRule`, and LimitReached. */
export async function addRule(holder: RulesHolder, rule: Rule, known: RuleContext): Promise<AddedRule> {
  const compiled = await checkRule(rule, known);
  holder.activeRules = holder.activeRules.add("rule", compiled);
  return shownRule(holder.activeRules.rules.at(-1) as RuleItem, holder.uses);
}

/** Returns the error of rules that violate the contract. */
export function invalid(problems: readonly Problem[]): ServiceError {
  return new ServiceError(problems.map(({ pointer, message }) => invalidField(pointer, message)));
}
