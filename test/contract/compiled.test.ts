import { globSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { build } from "rolldown";
import { describe, expect, test } from "vitest";
import { compiledValidators, schemaGroups } from "../../scripts/validators.ts";
import * as sources from "../../src/contract/validator.ts";
import { loadOperations } from "../../src/control/operations.ts";
import { bodiesOf } from "../setup/control-bodies.ts";
import { mutated } from "../setup/mutations.ts";
import { everyOperation } from "../setup/requests.ts";
import { repository } from "../setup/run.ts";
import { runs } from "../setup/runs.ts";

const controlOperations = await loadOperations();

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

const groups = Object.values(schemaGroups);
const schemas = (["all", "first"] as const).flatMap((extent) =>
  groups.flatMap((group) => group[extent].map((schema) => ({ extent, schema }))),
);

/** All bundled files and test requests. Most of them match one schema and violate the others. */
const documents: readonly unknown[] = [
  ...globSync("{fixtures,scenarios}/**/*.json", { cwd: repository }).map((file) =>
    JSON.parse(readFileSync(repository + file, "utf8")),
  ),
  ...everyOperation.flatMap(([, { init }]) => (typeof init.body === "string" ? [JSON.parse(init.body)] : [])),
  ...controlOperations.flatMap(bodiesOf),
];

async function problems({ loadCheck }: typeof sources, { extent, schema }: (typeof schemas)[number], value: unknown) {
  return (await loadCheck(schema, extent))(value);
}

describe("a compiled validator returns the same problems as Ajv", () => {
  test("for every document and schema", async () => {
    for (const each of schemas) {
      for (const document of documents) {
        expect(await problems(built, each, document)).toEqual(await problems(sources, each, document));
      }
    }
  });

  test("for randomly changed documents", async () => {
    const changed = fc.constantFrom(...documents).chain(mutated);
    await fc.assert(
      fc.asyncProperty(changed, async (text) => {
        const value: unknown = JSON.parse(text);
        for (const each of schemas) {
          expect(await problems(built, each, value)).toEqual(await problems(sources, each, value));
        }
      }),
      runs(200),
    );
  });
});

test("loads Ajv for a schema that the build does not know", async () => {
  await expect(built.loadCheck({ type: "boolean" })).rejects.toThrow("Ajv is not available");
});
