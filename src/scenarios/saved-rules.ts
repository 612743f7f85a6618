import type { Problem } from "../contract/problems.ts";
import { closedObject, count, type FromSchema, type Schema } from "../contract/schema.ts";
import { invalidField, ServiceError } from "../contract/service-error.ts";
import { scenarioName } from "../matching/match.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import { join } from "../text/json.ts";
import { type ActivationContext, namedScenario } from "./activate.ts";
import type { ActiveItem, ActiveRules, RuleItem, ScenarioItem, Uses } from "./active-rules.ts";
import { type CompiledScenario, compileRule, compileRules } from "./compile.ts";
import { Activation, Rule } from "./scenario.ts";

/*
 * The active scenarios and rules of a project as JSON: their definitions, and, apart from them, their uses. The
 * definitions change rarely, the uses with nearly every request.
 */

const name = { type: "string", pattern: scenarioName.source } as const satisfies Schema;
const ruleId = { type: "string", pattern: "^r-[1-9][0-9]{0,14}$" } as const satisfies Schema;
/** A counter. Its limit keeps sums exact. */
export const Counter = { ...count, maximum: 1e15 } as const satisfies Schema;
/** A time in milliseconds since 1970. */
const instant = { type: "number", minimum: -8.64e15, maximum: 8.64e15 } as const satisfies Schema;

const SavedScenario = closedObject(["name", "inline", "rules"], {
  name,
  description: { type: "string" },
  times: Activation.properties.times,
  probability: Activation.properties.probability,
  inline: { type: "boolean", description: "Whether the call that activated the scenario contained its rules." },
  forAll: {
    const: true,
    description: "Set if the scenario was active for all projects. It has lower precedence than the others.",
  },
  rules: { type: "array", items: Rule, maxItems: 100 },
});
type SavedScenario = FromSchema<typeof SavedScenario>;

const SavedRule = closedObject(["id", "rule"], { id: ruleId, rule: Rule });
type SavedRule = FromSchema<typeof SavedRule>;

/** The definitions of the active scenarios and rules, without the number of their uses. */
export const SavedRules = closedObject(["scenarios", "rules", "added", "periods"], {
  scenarios: { type: "array", items: SavedScenario, maxItems: 1000, description: "Oldest first." },
  rules: { type: "array", items: SavedRule, maxItems: 1000, description: "Oldest first." },
  added: { ...Counter, description: "The number of rules that were added, including removed ones." },
  periods: {
    type: "array",
    items: closedObject(["name", "from"], { name, from: instant, to: instant }),
    maxItems: 100,
    description:
      "The times in which scenarios were active, by the server's clock in milliseconds. Without `to`, the scenario is still active.",
  },
});
export type SavedRules = FromSchema<typeof SavedRules>;

/** The uses of one scenario or rule in a project. */
export const SavedUses = closedObject(["kind", "name", "count", "isUsedUp", "rules"], {
  kind: { type: "string", enum: ["scenario", "rule"] },
  name: { type: "string", description: "The name of the scenario, or the id of the rule." },
  forAll: { const: true, description: "Set if the scenario is active for all projects." },
  count: { ...Counter, description: "The number of requests that the scenario or rule has taken effect on." },
  isUsedUp: { type: "boolean" },
  rules: {
    type: "array",
    maxItems: 1000,
    description: "The uses of each rule of the scenario, in their order; of a rule, one item.",
    items: closedObject(["passed", "count"], {
      passed: { ...Counter, description: "The number of requests that the rule skipped because of `after`." },
      count: { ...Counter, description: "The number of requests that the rule has taken effect on." },
    }),
  },
});
export type SavedUses = FromSchema<typeof SavedUses>;

/** Returns the definitions of the scenarios and rules of a project. */
export function savedRules(activeRules: ActiveRules): SavedRules {
  const { items, added, periods } = activeRules;
  return {
    scenarios: items.scenarios.map((item) => savedScenario(item)),
    rules: items.rules.map(savedRule),
    added,
    periods: periods.map((period) => ({ ...period })),
  };
}

/** Returns the definitions of scenarios that are active for all projects, oldest first. */
export function savedForAll(activeForAll: ActiveRules): SavedScenario[] {
  return activeForAll.items.scenarios.map((item) => savedScenario(item, true));
}

function savedScenario({ source, times, probability, wasForAll }: ScenarioItem, forAll = wasForAll): SavedScenario {
  const { description, rules = [] } = source.find() ?? {};
  return {
    name: source.name,
    ...(description !== undefined && { description }),
    ...(times !== undefined && { times }),
    ...(probability !== undefined && { probability }),
    inline: source.inline,
    ...(forAll && { forAll }),
    rules: rules.map((rule) => rule.source),
  };
}

function savedRule({ name, rule }: RuleItem): SavedRule {
  return { id: name, rule: rule.source };
}

/**
 * Replaces the scenarios and rules of a project in one step. Scenarios and rules with the same definition stay, with
 * their uses. A scenario that is neither inline nor among the server's files becomes an inline one. A scenario with
 * `forAll` becomes one of the project, unless the server has the same one for all projects.
 *
 * @throws ServiceError InvalidField for each contract violation, by JSON pointer into `saved`, and LimitReached.
 */
export async function restoreRules(
  activeRules: ActiveRules,
  saved: SavedRules,
  context: ActivationContext,
  activeForAll?: ActiveRules,
): Promise<void> {
  const { items } = activeRules;
  const problems: Problem[] = [];
  const slice = new TimeSlice();
  const scenariosOfAll = new Set(
    activeForAll?.items.scenarios.map((item) => JSON.stringify(savedScenario(item, true))),
  );
  const known = new Map(items.scenarios.map((item) => [JSON.stringify(savedScenario(item)), item]));
  const scenarios: ScenarioItem[] = [];
  for (const [index, each] of saved.scenarios.entries()) {
    const definition = JSON.stringify(each);
    if (each.forAll && scenariosOfAll.has(definition)) continue;
    const pointer = join("/scenarios", index);
    scenarios.push(known.get(definition) ?? (await scenarioItem(each, pointer, context, problems)));
    if (slice.isOver) await slice.next();
  }
  const knownRules = new Map(items.rules.map((item) => [JSON.stringify(savedRule(item)), item]));
  const rules: RuleItem[] = [];
  const ids = new Set<string>();
  for (const [index, each] of saved.rules.entries()) {
    const pointer = join("/rules", index);
    if (ids.has(each.id))
      problems.push({ pointer: join(pointer, "id"), message: `expected a unique id, found ${each.id}` });
    ids.add(each.id);
    const item = knownRules.get(JSON.stringify(each)) ?? (await ruleItem(each, pointer, context, problems));
    if (item) rules.push(item);
    if (slice.isOver) await slice.next();
  }
  const highest = Math.max(0, ...saved.rules.map(({ id }) => Number(id.slice("r-".length))));
  if (saved.added < highest) {
    problems.push({
      pointer: "/added",
      message: `expected at least ${highest}, the highest id of a rule, found ${saved.added}`,
    });
  }
  if (problems.length > 0) {
    throw new ServiceError(problems.map(({ pointer, message }) => invalidField(pointer, message)));
  }
  activeRules.replaceAll({ scenarios, rules }, saved);
}

async function scenarioItem(
  saved: SavedScenario,
  pointer: string,
  context: ActivationContext,
  problems: Problem[],
): Promise<ScenarioItem> {
  const { name, description, times, probability, forAll } = saved;
  const wasForAll = forAll && { wasForAll: true };
  const item = (source: ScenarioItem["source"]): ScenarioItem => {
    return {
      kind: "scenario",
      name,
      times,
      probability,
      source,
      rules: () => source.find()?.rules ?? [],
      ...wasForAll,
    };
  };
  if (!saved.inline && isSame(context.scenarios.get(name), saved)) return item(namedScenario(name, context));
  const rules = await compileRules(saved.rules, join(pointer, "rules"), context, problems);
  const scenario = { name, description, rules };
  return item({ name, inline: true, find: () => scenario });
}

function isSame(file: CompiledScenario | undefined, { description, rules }: SavedScenario): boolean {
  if (file?.description !== description) return false;
  return JSON.stringify(file?.rules.map(({ source }) => source)) === JSON.stringify(rules);
}

async function ruleItem(
  { id, rule }: SavedRule,
  pointer: string,
  context: ActivationContext,
  problems: Problem[],
): Promise<RuleItem | undefined> {
  const own: Problem[] = [];
  const compiled = await compileRule(rule, context, own);
  for (const problem of own) problems.push({ ...problem, pointer: join(pointer, "rule") + problem.pointer });
  return compiled && { kind: "rule", name: id, rule: compiled, rules: () => [compiled] };
}

/** Returns the uses of the scenarios and rules in a project, including those of scenarios that are active for all. */
export function savedUses(activeRules: ActiveRules, activeForAll?: ActiveRules): SavedUses[] {
  return usableItems(activeRules, activeForAll).flatMap(({ item, forAll }) => {
    const uses = activeRules.findUses(item);
    if (!uses) return [];
    const { name, count, isUsedUp } = { name: item.name, ...uses };
    const rules = item.rules().map((rule) => {
      const { passed = 0, count = 0 } = uses.rules.get(rule) ?? {};
      return { passed, count };
    });
    const kind = item.kind === "scenario" ? item.kind : "rule";
    return [{ kind, name, ...(forAll && { forAll }), count, isUsedUp, rules }];
  });
}

/** Replaces the uses in a project. Ignores the uses of scenarios and rules that are not active. */
export function restoreUses(activeRules: ActiveRules, saved: readonly SavedUses[], activeForAll?: ActiveRules): void {
  const byName = new Map(saved.map((uses) => [nameOf(uses), uses]));
  for (const { item, forAll } of usableItems(activeRules, activeForAll)) {
    const { kind, name } = item;
    const uses = byName.get(nameOf({ kind, name, forAll }));
    activeRules.setUses(item, uses && usesOf(item, uses));
  }
}

function usesOf(item: ActiveItem, { count, isUsedUp, rules }: SavedUses): Uses {
  const uses: Uses = { count, isUsedUp, rules: new WeakMap() };
  for (const [index, rule] of item.rules().entries()) {
    const { passed = 0, count = 0 } = rules[index] ?? {};
    uses.rules.set(rule, { passed, count });
  }
  return uses;
}

function nameOf({ kind, name, forAll }: { kind: string; name: string; forAll?: true }): string {
  return `${forAll ? "all " : ""}${kind} ${name}`;
}

function usableItems(
  activeRules: ActiveRules,
  activeForAll: ActiveRules | undefined,
): { readonly item: ActiveItem; readonly forAll?: true }[] {
  const { scenarios, rules } = activeRules.items;
  const forAll = true;
  const restored = new Set(scenarios.filter(({ wasForAll }) => wasForAll).map(({ name }) => name));
  return [
    ...(activeForAll?.items.scenarios ?? [])
      .filter(({ name }) => !restored.has(name))
      .map((item) => ({ item, forAll }) as const),
    ...scenarios.map((item) => (item.wasForAll ? ({ item, forAll } as const) : { item })),
    ...rules.map((item) => ({ item })),
  ];
}
