import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { allLimits, limitRows, limitsIn } from "../../scripts/limits.ts";
import * as constants from "../../src/contract/limits.ts";
import { repository, slashed } from "../setup/run.ts";

test("each constant of src/contract/limits.ts is a number with what it limits, the consequence and the reason", () => {
  const limits = allLimits();
  expect(limits.map(({ name }) => name).sort()).toEqual(Object.keys(constants).sort());
  expect(Object.entries(constants).filter(([, value]) => typeof value !== "number")).toEqual([]);
  const incomplete = limits.filter(
    ({ heading, what, unit, beyond, why }) => !(heading && what && unit && beyond && why),
  );
  expect(incomplete.map(({ name }) => name)).toEqual([]);
});

test("a comment without a part is incomplete", () => {
  const [limit] = limitsIn("// # Tokens\n\n// tokens\n// Memory.\nexport const MAX_TOKENS = 1; // together\n");
  expect(limit).toEqual({
    name: "MAX_TOKENS",
    heading: "Tokens",
    what: "tokens",
    unit: "together",
    beyond: "",
    why: "Memory.",
  });
});

test("docs/limits.md has at most 80 rows", () => {
  expect([...limitRows().values()].flat().length).toBeLessThanOrEqual(80);
});

test("limits are in src/contract/limits.ts only", () => {
  const others = globSync("src/**/*.ts", { cwd: repository })
    .map(slashed)
    .filter((file) => file !== "src/contract/limits.ts" && !/^src\/page\//.test(file))
    .filter((file) => /\bconst (DEFAULT_)?MAX_/.test(readFileSync(`${repository}${file}`, "utf8")));
  expect(others).toEqual([]);
});
