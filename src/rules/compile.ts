import {
  type Contract,
  isObject,
  join,
  MAX_RULE_BYTES,
  MAX_SCENARIO_FILES,
  MAX_STEPS,
  type Problem,
  tokenOperation,
} from "../contract/index.ts";
import { type FileFindings, type FixtureSet, type Layer, LayerFiles } from "../state/index.ts";
import type { CheckedRule, Effect } from "./effects/effect.ts";
import { checkCombination, effectNamed, effectNames } from "./effects/effect-table.ts";
import type { AnyFunction } from "./function.ts";
import { scenarioName } from "./matching/match-schema.ts";
import { compileMatcher, type Matcher } from "./matching/matcher.ts";
import { type Effects, type Rule, Scenario } from "./scenario.ts";

// From the JSON of rules and scenario files to their compiled form.

/** A valid rule, ready to be compared with requests. */
export interface CompiledRule {
  readonly source: Rule;
  /** The operations that the rule can take effect on. */
  readonly operations: ReadonlySet<string>;
  readonly matcher: Matcher;
  /** The effects by request, in order. A rule without `sequence` has one step. */
  readonly steps: readonly (readonly StepEffect[])[];
  /** The approximate memory use, in bytes. */
  readonly bytes: number;
}

/** A valid scenario, ready to be activated. */
export interface CompiledScenario {
  readonly name: string;
  /** Required in files, optional in inline scenarios. */
  readonly description?: string;
  readonly rules: readonly CompiledRule[];
}

/** All loaded scenarios by name, in alphabetical order. */
export type ScenarioSet = ReadonlyMap<string, CompiledScenario>;

/** An effect with its value in a rule. */
export interface StepEffect {
  readonly name: string;
  readonly row: Effect;
  readonly value: unknown;
}

/**
 * The contract and fixtures that rules refer to. With `isChecked`, bodies are known to be valid and are not validated again.
 * With `projectKey`, a rule must be able to take effect in this project.
 */
export interface RuleContext {
  readonly contract: Contract;
  readonly fixtures: FixtureSet;
  readonly isChecked?: boolean;
  readonly projectKey?: string | undefined;
}

/**
 * Compiles rules that are valid by the schema `Rule`. Adds contract violations and rules above a limit to `problems`, with
 * pointers below `pointer`.
 */
export async function compileRules(
  rules: readonly Rule[],
  pointer: string,
  known: RuleContext,
  problems: Problem[],
): Promise<CompiledRule[]> {
  if (isTooLarge(rules, pointer, problems)) return [];
  const steps = rules.reduce((sum, { sequence }) => sum + (sequence?.length ?? 0), 0);
  if (steps > MAX_STEPS) {
    problems.push({ pointer, message: `expected at most ${MAX_STEPS} steps in all sequences, found ${steps}` });
    return [];
  }
  return Array.fromAsync(rules, (rule, index) => compile(rule, join(pointer, index), known, problems));
}

/** Compiles a rule as `compileRules` does. Returns undefined if it is too large. */
export async function compileRule(
  rule: Rule,
  pointer: string,
  known: RuleContext,
  problems: Problem[],
): Promise<CompiledRule | undefined> {
  return isTooLarge(rule, pointer, problems) ? undefined : compile(rule, pointer, known, problems);
}

/** Returns whether the rules exceed the memory limit. This check comes first, as validating large rules is slow. */
function isTooLarge(rules: Rule | readonly Rule[], pointer: string, problems: Problem[]): boolean {
  const bytes = memoryOf(rules);
  if (bytes <= MAX_RULE_BYTES) return false;
  const message = `expected at most ${MAX_RULE_BYTES} bytes in memory, found ${bytes}. Use fixtures for large bodies.`;
  problems.push({ pointer, message });
  return true;
}

/** Compiles one rule. `*` means all operations that can have the effects; without such operations, adds a problem. */
async function compile(rule: Rule, pointer: string, known: RuleContext, problems: Problem[]): Promise<CompiledRule> {
  const { operation = "*", when, after: _after, times: _times, probability: _probability, sequence, ...effects } = rule;
  if (Object.keys(effects).length === 0 && !sequence) {
    problems.push({ pointer, message: "expected at least one effect (respond, raw, latency, fault, …), found none" });
  }
  if (Object.keys(effects).length > 0 && sequence) {
    const message = "expected all effects inside sequence, found effects beside it";
    problems.push({ pointer: join(pointer, "sequence"), message });
  }
  const all = sequence ?? [effects];
  const steps = all.map(stepOf);
  const { contract, fixtures, isChecked, projectKey } = known;
  const affectsTokens = operation !== "*" || steps.flat().every(({ row, value }) => row.affectsTokens?.(value) ?? true);
  const checked: CheckedRule = {
    operations: affectsTokens ? [...contract.operations, tokenOperation] : contract.operations,
    addresses: contract.addresses,
    problems: [],
    fixtures,
    known: contract.operations,
    declaresAllStatuses: contract.declaresAllStatuses,
    isChecked,
    projectKey,
  };
  const matcher = await compileMatcher({ ...when, ...(operation !== "*" && { operation }) }, checked);
  for (const problem of checked.problems.splice(0)) {
    const parent = problem.pointer === "/operation" ? pointer : join(pointer, "when");
    problems.push({ ...problem, pointer: parent + problem.pointer });
  }
  for (const [index, step] of steps.entries()) {
    const place = sequence ? join(join(pointer, "sequence"), index) : pointer;
    checkCombination(all[index] ?? {}, place, checked.problems);
    for (const { name, row, value } of step) await row.check?.(value, join(place, name), checked);
  }
  problems.push(...checked.problems);
  const operations = new Set(checked.operations.map(({ id }) => id));
  return { source: rule, operations, matcher, steps, bytes: memoryOf(rule) };
}

function stepOf(values: Effects): StepEffect[] {
  return effectNames.flatMap((name) => {
    const value = values[name as keyof Effects];
    return value === undefined ? [] : { name, row: effectNamed(name), value };
  });
}

/** Returns the rule of a function: all requests of the operation match. */
export function ruleOfFunction(operation: string, run: AnyFunction): CompiledRule {
  return {
    source: { operation },
    operations: new Set([operation]),
    matcher: { match: {}, size: 0, differences: () => [] },
    steps: [[{ name: "function", row: effectNamed("function"), value: run }]],
    bytes: FUNCTION_BYTES,
  };
}

/** The approximate memory of a function, in bytes. The values that it refers to belong to the test. */
const FUNCTION_BYTES = 500;

/** Measured memory in bytes: of an object or array, of a member with its compiled form, of an item, of a character. */
const OBJECT_BYTES = 100;
const MEMBER_BYTES = 100;
const ITEM_BYTES = 16;
const CHARACTER_BYTES = 2;

/** Returns the approximate memory of a JSON value in a rule, in bytes. */
function memoryOf(value: unknown): number {
  if (typeof value === "string") return value.length * CHARACTER_BYTES;
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + ITEM_BYTES + memoryOf(item), OBJECT_BYTES);
  if (!isObject(value)) return 0;
  const sizes = Object.entries(value).map(([name, member]) => MEMBER_BYTES + memoryOf(name) + memoryOf(member));
  return sizes.reduce((sum, size) => sum + size, OBJECT_BYTES);
}

/** The JSON Schema for editors, in the same folder as the scenarios. */
const SCHEMA = "scenario.schema.json";

/**
 * Reads the scenarios of all layers and validates each against the contract and the fixtures.
 * Returns the scenarios, or all problems. `own`: the number of scenarios in the last layer.
 */
export async function loadScenarios(
  layers: readonly Layer[],
  context: RuleContext,
): Promise<FileFindings & { scenarios: ScenarioSet | undefined; own: number }> {
  const findings: FileFindings = { problems: [], ignored: [] };
  const scenarios: CompiledScenario[] = [];
  let own = 0;
  for (const layer of layers) {
    const files = new LayerFiles(layer, findings);
    const before = scenarios.length;
    const listed = files.list();
    const folders = listed.filter((entry) => files.isFolder(entry));
    for (const folder of folders) files.report(folder, "expected a scenario file, found a folder");
    const entries = listed.filter((entry) => !folders.includes(entry) && files.isJson(entry) && entry !== SCHEMA);
    if (entries.length > MAX_SCENARIO_FILES) {
      files.report("", `expected at most ${MAX_SCENARIO_FILES} scenarios, found ${entries.length}`);
      continue;
    }
    for (const entry of entries) {
      const scenario = await loadScenario(files, entry, context, layer.isOptional);
      if (scenario) scenarios.push(scenario);
    }
    own = scenarios.length - before;
  }
  if (findings.problems.length > 0) return { ...findings, scenarios: undefined, own };
  // A later layer overrides scenarios of the same name.
  const byName = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  return { ...findings, scenarios: new Map([...byName].sort(([a], [b]) => (a < b ? -1 : 1))), own };
}

async function loadScenario(
  files: LayerFiles,
  entry: string,
  context: RuleContext,
  isOptional = false,
): Promise<CompiledScenario | undefined> {
  const name = entry.slice(0, -".json".length);
  if (!scenarioName.test(name)) {
    files.report(entry, "expected a file name of up to 100 letters, digits, _ and -");
    return undefined;
  }
  const read = await files.read(entry, Scenario);
  if (!read?.isValid) return undefined;
  const scenario = read.value() as Scenario;
  const violations: Problem[] = [];
  const known = { ...context, isChecked: files.isBundled(entry, scenario) };
  const compiled = await compileRules(scenario.rules, "/rules", known, violations);
  if (violations.length > 0 && isOptional) return undefined;
  for (const { message, pointer } of violations) files.report(entry, message, pointer);
  return { name, description: scenario.description, rules: compiled };
}
