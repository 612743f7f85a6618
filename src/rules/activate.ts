import {
  closedObject,
  count,
  didYouMean,
  type FromSchema,
  invalidField,
  MAX_COUNT,
  MAX_ID,
  MAX_PERIODS,
  MAX_RULES,
  type Problem,
  type Schema,
  ServiceError,
} from "../contract/index.ts";
import {
  type ActiveItem,
  ActiveRules,
  type AllUses,
  type RuleItem,
  type RulesHolder,
  ruleItem,
  type ScenarioItem,
  type ScenarioSource,
  scenarioItem,
  shownRule,
  shownScenario,
  type Uses,
  usesOf,
  usesOfRule,
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
import {
  type Activation,
  type ActiveScenario,
  type AddedRule,
  Rule,
  type SavedScenario,
  ScenarioPeriod,
} from "./scenario.ts";

// Which scenarios and rules a project gets: by a call of the control API, or from the JSON of an archive.

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
  const source = options.rules
    ? await inlineScenario(name, options, contextIn(holder, known))
    : namedScenario(name, known);
  holder.activeRules = holder.activeRules.activate(source, options, holder.now());
  return shownScenario(holder.activeRules.scenarios.at(-1) as ScenarioItem, holder.uses);
}

async function inlineScenario(
  name: string,
  { description, rules = [] }: Activation,
  known: RuleContext,
): Promise<ScenarioSource> {
  const message = "expected up to 100 letters, digits, _ and -";
  if (!scenarioName.test(name)) throw invalid([{ pointer: "name", message }]);
  const problems: Problem[] = [];
  const compiled = await compileRules(rules, "/rules", known, problems);
  if (problems.length > 0) throw invalid(problems);
  return inlineSource({ name, description, rules: compiled });
}

function inlineSource(scenario: CompiledScenario): ScenarioSource {
  return { name: scenario.name, inline: true, find: () => scenario };
}

/**
 * Returns the source of a scenario by name. `find` looks up the current scenario, so a changed file takes effect. Throws
 * ResourceNotFound with the nearest name.
 */
export function namedScenario(name: string, known: Pick<ActivationContext, "scenarios">): ScenarioSource {
  if (!known.scenarios.get(name)) {
    const message = unknownScenario(name, known.scenarios);
    throw new ServiceError({ code: "ResourceNotFound", message, field: "name" });
  }
  return { name, inline: false, find: () => known.scenarios.get(name) };
}

/** Returns the message for an unknown scenario, with the nearest name or all names. */
export function unknownScenario(name: string, scenarios: ScenarioSet): string {
  const names = [...scenarios.keys()];
  const hint = didYouMean(name, names) || ` Known scenarios: ${names.join(", ") || "none"}.`;
  return `scenario "${name.slice(0, 100)}" not found.${hint}`;
}

/** Returns the context of rules that a test adds to a project, or to all projects. Archives can have rules of others. */
function contextIn({ key }: Pick<RulesHolder, "key">, { contract, fixtures }: RuleContext): RuleContext {
  return { contract, fixtures, projectKey: key };
}

/**
 * Returns a rule in compiled form. The rule must be valid by the schema `Rule`. Throws InvalidField for a contract
 * violation, and for a rule that can never take effect in the project (`field` is the pointer into the rule).
 */
export async function checkRule(
  holder: Pick<RulesHolder, "key">,
  rule: Rule,
  known: RuleContext,
): Promise<CompiledRule> {
  const problems: Problem[] = [];
  const compiled = await compileRule(rule, "", contextIn(holder, known), problems);
  if (!compiled || problems.length > 0) throw invalid(problems);
  return compiled;
}

/** Adds a rule to a project. Throws as `checkRule`, and LimitReached. */
export async function addRule(holder: RulesHolder, rule: Rule, known: RuleContext): Promise<AddedRule> {
  const compiled = await checkRule(holder, rule, known);
  holder.activeRules = holder.activeRules.add("rule", compiled);
  return shownRule(holder.activeRules.rules.at(-1) as RuleItem, holder.uses);
}

/** Returns the error of rules that violate the contract. */
function invalid(problems: readonly Problem[]): ServiceError {
  return new ServiceError(problems.map(({ pointer, message }) => invalidField(pointer, message)));
}

/*
 * Saved: the active scenarios and rules of a project as JSON: their definitions, and, apart from them, their uses. The
 * definitions change rarely, the uses with nearly every request.
 */

const ruleId = { type: "string", pattern: "^r-[1-9][0-9]{0,14}$" } as const satisfies Schema;
/** A counter. Its limit keeps sums exact. */
export const Counter = { ...count, maximum: MAX_COUNT } as const satisfies Schema;

export const SavedRule = closedObject(["id", "rule"], { id: ruleId, rule: Rule });
export type SavedRule = FromSchema<typeof SavedRule>;

/** What belongs to the scenarios and rules together. Each scenario and each rule has a definition of its own. */
export const SavedRulesHeader = closedObject(["scenarios", "rules", "added", "periods"], {
  scenarios: { ...Counter, maximum: MAX_RULES, description: "The number of active scenarios." },
  rules: { type: "array", items: ruleId, maxItems: MAX_RULES, description: "The ids of the rules, oldest first." },
  added: { ...Counter, description: "The number of rules that were added, including removed ones." },
  periods: {
    type: "array",
    items: ScenarioPeriod,
    maxItems: MAX_PERIODS,
    description:
      "The times in which scenarios were active, by the server's clock in milliseconds. Without `to`, the scenario is still active.",
  },
});
export type SavedRulesHeader = FromSchema<typeof SavedRulesHeader>;

/** The definitions of the active scenarios and rules, oldest first, without the number of their uses. */
export interface SavedRules extends Pick<SavedRulesHeader, "added" | "periods"> {
  readonly scenarios: readonly SavedScenario[];
  readonly rules: readonly SavedRule[];
}

/** The uses of one scenario or rule in a project. */
export const SavedUses = closedObject(["kind", "name", "count", "rules"], {
  kind: { type: "string", enum: ["scenario", "rule"] },
  name: { type: "string", maxLength: MAX_ID, description: "The name of the scenario, or the id of the rule." },
  forAll: { const: true, description: "Set if the scenario is active for all projects." },
  count: { ...Counter, description: "The number of requests that the scenario or rule has taken effect on." },
  rules: {
    type: "array",
    maxItems: MAX_RULES,
    description: "The uses of each rule of the scenario, in their order; of a rule, one item.",
    items: closedObject(["passed", "count"], {
      passed: { ...Counter, description: "The number of requests that the rule skipped because of `after`." },
      count: { ...Counter, description: "The number of requests that the rule has taken effect on." },
    }),
  },
});
export type SavedUses = FromSchema<typeof SavedUses>;

/** Returns the definitions of the scenarios and rules of a project. */
export function savedRules({ scenarios, rules, added, periods }: ActiveRules): SavedRules {
  const definitions = { scenarios: scenarios.map((item) => savedScenario(item)), rules: rules.map(savedRule) };
  return { ...definitions, added, periods: [...periods] };
}

export function savedScenario(
  { source, times, probability, wasForAll }: ScenarioItem,
  forAll = wasForAll,
): SavedScenario {
  const { description, rules = [] } = source.find() ?? {};
  const definitions = rules.map((rule) => rule.source);
  return { name: source.name, description, times, probability, inline: source.inline, forAll, rules: definitions };
}

export function savedRule({ name, rule }: RuleItem): SavedRule {
  return { id: name, rule: rule.source };
}

/**
 * Returns the rules for saved definitions. Scenarios and rules of `current` with the same definition stay, with their
 * uses, and functions stay too. A scenario that is neither inline nor among the server's files becomes an inline one. A
 * scenario with `forAll` becomes one of the project, unless the server has the same one for all projects.
 *
 * @throws ServiceError InvalidField for each contract violation, by JSON pointer into `saved`, and LimitReached.
 */
export async function rulesOf(
  saved: SavedRules,
  current: ActiveRules,
  context: ActivationContext,
  activeForAll: ActiveRules = ActiveRules.none,
): Promise<ActiveRules> {
  const problems: Problem[] = [];
  const scenariosOfAll = new Set(activeForAll.scenarios.map((item) => JSON.stringify(savedScenario(item, true))));
  const known = new Map(current.scenarios.map((item) => [JSON.stringify(savedScenario(item)), item]));
  const scenarios: ScenarioItem[] = [];
  for (const [index, each] of saved.scenarios.entries()) {
    const definition = JSON.stringify(each);
    if (each.forAll && scenariosOfAll.has(definition)) continue;
    scenarios.push(known.get(definition) ?? (await restoredScenario(each, `/scenarios/${index}`, context, problems)));
  }
  const knownRules = new Map(current.rules.map((item) => [JSON.stringify(savedRule(item)), item]));
  const rules: RuleItem[] = [];
  for (const [index, each] of saved.rules.entries()) {
    const known = knownRules.get(JSON.stringify(each));
    const rule = known?.rule ?? (await compileRule(each.rule, `/rules/${index}/rule`, context, problems));
    if (rule) rules.push(known ?? ruleItem("rule", each.id, rule));
  }
  const highest = Math.max(0, ...saved.rules.map(({ id }) => Number(id.slice("r-".length))));
  const message = `expected at least ${highest}, the highest id of a rule, found ${saved.added}`;
  if (saved.added < highest) problems.push({ pointer: "/added", message });
  if (problems.length > 0) throw invalid(problems);
  return current.replaced({ scenarios, rules, added: saved.added, periods: saved.periods });
}

async function restoredScenario(
  { rules, ...saved }: SavedScenario,
  pointer: string,
  context: ActivationContext,
  problems: Problem[],
): Promise<ScenarioItem> {
  const { name, description, inline, forAll } = saved;
  const file = context.scenarios.get(name);
  const definition = [file?.description, file?.rules.map(({ source }) => source)];
  if (!inline && JSON.stringify(definition) === JSON.stringify([description, rules])) {
    return scenarioItem(namedScenario(name, context), saved, forAll);
  }
  const compiled = await compileRules(rules, `${pointer}/rules`, context, problems);
  return scenarioItem(inlineSource({ name, description, rules: compiled }), saved, forAll);
}

/** Returns the uses of the scenarios and rules in a project as JSON, including those of scenarios for all projects. */
export function savedUses(activeRules: ActiveRules, all: AllUses, activeForAll: ActiveRules): SavedUses[] {
  return usableItems(activeRules, activeForAll).flatMap(({ item, forAll }) => {
    if (!all.has(item)) return [];
    const uses = usesOf(all, item);
    const rules = uses.rules.map((_rule, index) => usesOfRule(uses, index));
    const kind = item.kind === "scenario" ? item.kind : "rule";
    return [{ kind, name: item.name, ...(forAll && { forAll }), count: uses.count, rules }];
  });
}

/** Returns the uses for saved ones. Ignores the uses of scenarios and rules that are not active. */
export function usesIn(saved: readonly SavedUses[], activeRules: ActiveRules, activeForAll: ActiveRules): AllUses {
  const byName = new Map(saved.map((uses) => [nameOf(uses), uses]));
  const all = new Map<ActiveItem, Uses>();
  for (const { item, forAll } of usableItems(activeRules, activeForAll)) {
    const { kind, name } = item;
    const uses = byName.get(nameOf({ kind, name, forAll }));
    if (!uses) continue;
    all.set(item, { count: uses.count, rules: item.rules(), ofRules: uses.rules });
  }
  return all;
}

function nameOf({ kind, name, forAll }: { kind: string; name: string; forAll?: true }): string {
  return `${forAll ? "all " : ""}${kind} ${name}`;
}

function usableItems(
  { scenarios, rules }: ActiveRules,
  activeForAll: ActiveRules,
): { readonly item: ActiveItem; readonly forAll?: true }[] {
  const forAll = true;
  const restored = new Set(scenarios.filter(({ wasForAll }) => wasForAll).map(({ name }) => name));
  return [
    ...activeForAll.scenarios.filter(({ name }) => !restored.has(name)).map((item) => ({ item, forAll }) as const),
    ...scenarios.map((item) => (item.wasForAll ? ({ item, forAll } as const) : { item })),
    ...rules.map((item) => ({ item })),
  ];
}
