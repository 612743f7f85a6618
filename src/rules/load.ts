import { MAX_SCENARIO_FILES, type Problem } from "../contract/index.ts";
import { type FileProblem, type Layer, LayerFiles } from "../state/index.ts";
import { type CompiledScenario, compileRules, type RuleContext, type ScenarioSet } from "./compile.ts";
import { scenarioName } from "./matching/match-schema.ts";
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
    const files = new LayerFiles(layer, problems);
    const entries = files.list().filter((entry) => files.isJson(entry) && entry !== SCHEMA);
    if (entries.length > MAX_SCENARIO_FILES) {
      files.report("", `expected at most ${MAX_SCENARIO_FILES} scenarios, found ${entries.length}`);
      continue;
    }
    for (const entry of entries) {
      const scenario = await loadScenario(files, entry, context);
      if (scenario) scenarios.push(scenario);
    }
  }
  if (problems.length > 0) return { scenarios: undefined, problems };
  // A later layer overrides scenarios of the same name.
  const byName = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  return { scenarios: new Map([...byName].sort(([a], [b]) => (a < b ? -1 : 1))), problems: [] };
}

async function loadScenario(
  files: LayerFiles,
  entry: string,
  context: RuleContext,
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
  for (const { message, pointer } of violations) files.report(entry, message, pointer);
  return { name, description: scenario.description, rules: compiled };
}
