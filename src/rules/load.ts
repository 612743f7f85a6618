import { MAX_SCENARIO_FILES, type Problem } from "../contract/index.ts";
import {
  addProblems,
  type FileProblem,
  fits,
  isBundled,
  isJson,
  type Layer,
  listFolder,
  problemAt,
  readJsonFile,
} from "../state/index.ts";
import { type CompiledScenario, compileRules, type RuleContext, type ScenarioSet } from "./compile.ts";
import { scenarioName } from "./matching/match.ts";
import { Scenario } from "./scenario.ts";

/** The JSON Schema for editors, in the same folder as the scenarios. */
const SCHEMA = "scenario.schema.json";

/**
 * Reads the scenarios of all layers and validates each against the contract and the fixtures.
 * Returns the scenarios, or all problems.
 */
export async function loadScenarios(
  layers: readonly Layer[],
  context: RuleContext,
): Promise<{ scenarios: ScenarioSet; problems: [] } | { scenarios: undefined; problems: FileProblem[] }> {
  const problems: FileProblem[] = [];
  const scenarios: CompiledScenario[] = [];
  for (const layer of layers) {
    const entries = listFolder(layer, "", problems).filter(
      (entry) => isJson(layer, entry, problems) && entry !== SCHEMA,
    );
    if (entries.length > MAX_SCENARIO_FILES) {
      const message = `expected at most ${MAX_SCENARIO_FILES} scenarios, found ${entries.length}`;
      problems.push(problemAt(layer, "", message));
      continue;
    }
    for (const entry of entries) {
      const scenario = await loadScenario(layer, entry, context, problems);
      if (scenario) scenarios.push(scenario);
    }
  }
  if (problems.length > 0) return { scenarios: undefined, problems };
  // A later layer overrides scenarios of the same name.
  const byName = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  return { scenarios: new Map([...byName].sort(([a], [b]) => (a < b ? -1 : 1))), problems: [] };
}

async function loadScenario(
  layer: Layer,
  entry: string,
  context: RuleContext,
  problems: FileProblem[],
): Promise<CompiledScenario | undefined> {
  const name = entry.slice(0, -".json".length);
  if (!scenarioName.test(name)) {
    problems.push(problemAt(layer, entry, "expected a file name of up to 100 letters, digits, _ and -"));
    return undefined;
  }
  const read = readJsonFile(layer, entry, problems);
  if (!read || !(await fits(Scenario, read.value, layer, entry, problems))) return undefined;
  const { description, rules } = read.value as Scenario;
  const violations: Problem[] = [];
  const known = { ...context, isChecked: isBundled(layer, entry, read.value) };
  const compiled = await compileRules(rules, "/rules", known, violations);
  addProblems(problems, layer, entry, violations);
  return { name, description, rules: compiled };
}
