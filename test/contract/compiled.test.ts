// @module-tag slow
import { globSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { build } from "rolldown";
import { describe, expect, test } from "vitest";
import { compiledValidators, schemaGroups } from "../../scripts/validators.ts";
import * as sources from "../../src/contract/validator.ts";
import { loadOperations } from "../../src/control/subjects.ts";
import { controls } from "../../src/services/generic-resource/control/index.ts";
import { bodiesOf } from "../setup/control-bodies.ts";
import { mutated } from "../setup/mutations.ts";
import { everyOperation } from "../setup/requests.ts";
import { repository } from "../setup/run.ts";
import { runs } from "../setup/runs.ts";

const controlOperations = await loadOperations(controls);

/** The loader of the built package: with compiled validators and without Ajv. */
const built = await loadBuilt();

async function loadBuilt(): Promise<typeof sources> {
  const withoutAjv = {
    name: "without-ajv",
    load: (id: string) => (id.endsWith("/src/contract/ajv.ts") ? 'throw new Error("Ajv is not available")' : undefined),
  };
  const { output } = await build({
    input: `${repository}src/contract/validator.ts`,
    plugins: [compiledValidators(), withoutAjv],
    output: { codeSplitting: false },
    platform: "node",
    write: false,
  });
  return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(output[0].code)}`);
}

const schemas = Object.values(schemaGroups).flat();

/** All bundled files and test requests. Most of them match one schema and violate the others. */
const documents: readonly unknown[] = [
  ...globSync("{fixtures,scenarios}/**/*.json", { cwd: repository }).map((file) =>
    JSON.parse(readFileSync(repository + file, "utf8")),
  ),
  ...everyOperation.flatMap(([, { init }]) => (typeof init.body === "string" ? [JSON.parse(init.body)] : [])),
  ...controlOperations.flatMap(bodiesOf),
];

/** The checks of each schema: of the built package, and of Ajv. */
const checks = await Promise.all(
  schemas.map(async (schema) => ({
    compiled: await built.loadCheck(schema),
    interpreted: await sources.loadCheck(schema),
  })),
);

/** Compares the checks of all schemas for a value. `expect` runs only for a difference, because it takes most of the time. */
function expectSameProblems(value: unknown): void {
  for (const { compiled, interpreted } of checks) {
    const [found, expected] = [compiled(value), interpreted(value)];
    if (!isDeepStrictEqual(found, expected)) expect([value, found]).toEqual([value, expected]);
  }
}

describe("a compiled validator returns the same problems as Ajv", () => {
  test("for every document and schema", () => {
    for (const document of documents) expectSameProblems(document);
  });

  test("for randomly changed documents", () => {
    const changed = fc.constantFrom(...documents).chain(mutated);
    fc.assert(
      fc.property(changed, (text) => expectSameProblems(JSON.parse(text))),
      runs(200),
    );
  });
});

test("loads Ajv for a schema that the build does not know", async () => {
  await expect(built.loadCheck({ type: "boolean" })).rejects.toThrow("Ajv is not available");
});
