import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { withNames } from "../src/rules/matching/match-schema.ts";
import { Scenario } from "../src/rules/scenario.ts";
import { contract as serviceContract } from "../src/services/generic-resource/contract.ts";

/** Writes the JSON Schema for scenario files, and creates the table of scenarios for docs/scenarios.md. */

const FOLDER = new URL("../scenarios/", import.meta.url);
const SCHEMA = new URL("scenario.schema.json", FOLDER);

/** Returns a Markdown table of the bundled scenarios. */
export function scenarioTable(): string {
  const rows = readdirSync(FOLDER)
    .filter((file) => !file.endsWith(".schema.json"))
    .sort()
    .map((file) => {
      const { description } = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as Scenario;
      return `| \`${file.replace(".json", "")}\` | ${description.replaceAll("|", "\\|")} |`;
    });
  return ["| scenario | what a client sees |", "|---|---|", ...rows].join("\n");
}

/** Returns the JSON Schema of a scenario file. Editors read it from the folder of the scenarios. */
export function scenarioFileSchema(): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A scenario of resource-mock",
    ...JSON.parse(JSON.stringify(Scenario, (_name, schema) => withNames(schema, serviceContract.ids))),
  };
}

if (import.meta.main) writeFileSync(SCHEMA, `${JSON.stringify(scenarioFileSchema(), undefined, 2)}\n`);
