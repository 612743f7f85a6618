import type { Problem } from "../contract/validator.ts";
import type { FileProblem } from "../fixtures/file-problem.ts";
import type { FixtureSet } from "../fixtures/fixture-set.ts";
import { fileOf, fits, isJson, type Layer, listFolder, problemAt, readJsonFile } from "../fixtures/load.ts";
import { join } from "../text/json.ts";
import { type CompiledRule, compileRule } from "./compile.ts";
import { Scenario } from "./scenario.ts";
import { type CompiledScenario, createScenarioSet, type ScenarioSet, scenarioName } from "./scenario-set.ts";

/** The JSON Schema that lies beside the files for editors. */
const SCHEMA = "scenario.schema.json";

/**
 * Reads the layers' scenarios and holds each against the contract and the fixtures that it names.
 * Every problem is found, not just the first; with any, there is no set.
 */
export async function loadScenarios(
  layers: readonly Layer[],
  fixtures: FixtureSet,
): Promise<{ scenarios: ScenarioSet; problems: [] } | { scenarios: undefined; problems: FileProblem[] }> {
  const problems: FileProblem[] = [];
  const scenarios: CompiledScenario[] = [];
  for (const layer of layers) {
    for (const entry of listFolder(layer, "", problems)) {
      if (!isJson(layer, entry, problems) || entry === SCHEMA) continue;
      const scenario = await loadScenario(layer, entry, fixtures, problems);
      if (scenario) scenarios.push(scenario);
    }
  }
  if (problems.length > 0) return { scenarios: undefined, problems };
  return { scenarios: createScenarioSet(scenarios), problems: [] };
}

async function loadScenario(
  layer: Layer,
  entry: string,
  fixtures: FixtureSet,
  problems: FileProblem[],
): Promise<CompiledScenario | undefined> {
  const name = entry.slice(0, -".json".length);
  if (!scenarioName.test(name)) {
    problems.push(problemAt(layer, entry, "expected a name of up to 100 letters, digits, _ and -"));
    return undefined;
  }
  const read = await readJsonFile(layer, entry, problems);
  if (!read || (!layer.checked && !(await fits(Scenario, read.value, layer, entry, problems)))) return undefined;
  const { description, rules: sources } = read.value as Scenario;
  const broken: Problem[] = [];
  const rules: CompiledRule[] = [];
  for (const [index, rule] of sources.entries()) {
    rules.push(await compileRule(rule, join("/rules", index), fixtures, broken, layer.checked !== undefined));
  }
  problems.push(...broken.map((problem) => ({ file: fileOf(layer, entry), ...problem })));
  return { name, description, rules };
}
