import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { reportSchemas } from "../../scripts/report-schemas.ts";
import { MAX_OUTPUT_PART } from "../../src/contract/limits.ts";
import { narrowed, testFilesOf } from "../../src/tools/sweep/narrow.ts";
import { Output } from "../../src/tools/sweep/output.ts";
import { folderOf } from "../setup/folder.ts";
import { repository } from "../setup/run.ts";

test.each([...reportSchemas()])("schemas/%s equals the schema in the code (npm run docs)", (file, text) => {
  expect(JSON.parse(readFileSync(`${repository}schemas/${file}`, "utf8"))).toEqual(JSON.parse(text));
});

describe("the test files of an operation", () => {
  const tests = [
    ["cart-1", "cart.test.ts"],
    ["cart-2", "cart.test.ts"],
    ["shop-1", "a/shop.test.ts"],
  ] as const;

  test("are those whose projects and sandboxes have called it", () => {
    const operations = [
      ["getCart", "shop-1"],
      ["getCart", "cart-1"],
      ["getCart", "cart-2~customer"],
      ["updateResource", "shop-1"],
    ] as const;
    expect(testFilesOf("getCart", { operations, tests })).toEqual(["a/shop.test.ts", "cart.test.ts"]);
    expect(testFilesOf("updateResource", { operations, tests })).toEqual(["a/shop.test.ts"]);
  });

  test.each([["fixed-project"], [null]])("are not known if the project %s has called it", (project) => {
    const operations = [["getCart", "shop-1"] as const, ["getCart", project] as const];
    expect(testFilesOf("getCart", { operations, tests })).toBeUndefined();
  });
});

describe("the command for some test files", () => {
  test.each([
    ["vitest run", "vitest run a.test.ts b.test.ts"],
    ["pnpm vitest run", "pnpm vitest run a.test.ts b.test.ts"],
    ["node node_modules/vitest/vitest.mjs run", undefined],
    ["vitest", undefined],
    ["vitest run test/unit", undefined],
    ["jest", undefined],
  ])("%s is %s", (command, expected) => {
    expect(narrowed(command.split(" "), ["a.test.ts", "b.test.ts"])?.join(" ")).toBe(expected);
  });

  test.each([
    ["npm test", "vitest run", "npm test -- a.test.ts"],
    ["npm run unit", "vitest run", "npm run unit -- a.test.ts"],
    ["npm test -- --bail 1", "vitest run", undefined],
    ["npm test", "tsc && vitest run", undefined],
    ["npm test", "jest", undefined],
  ])("%s with the script %s is %s", (command, script, expected) => {
    const scripts = { test: script, unit: script };
    const folder = folderOf({ "package.json": { scripts } });
    expect(narrowed(command.split(" "), ["a.test.ts"], folder)?.join(" ")).toBe(expected);
  });

  test("is not known for npm without a readable package.json", () => {
    expect(narrowed(["npm", "test"], ["a.test.ts"], folderOf({}))).toBeUndefined();
    expect(narrowed(["npm", "test"], ["a.test.ts"], folderOf({ "package.json": "{" }))).toBeUndefined();
  });
});

describe("the output of a run", () => {
  const outputOf = (...chunks: string[]) => {
    const output = new Output();
    for (const chunk of chunks) output.add(Buffer.from(chunk));
    return output.text;
  };

  test("has its start and its end beyond the limit", () => {
    const chunk = "x".repeat(1000);
    const text = outputOf("start", ...Array(10_000).fill(chunk), "end");
    expect(text.length).toBeLessThan(2 * MAX_OUTPUT_PART + 100);
    expect([text.slice(0, 6), text.slice(-4)]).toEqual(["startx", "xend"]);
    const omitted = 10_000_008 - 2 * MAX_OUTPUT_PART;
    expect(text).toContain(`\n… ${omitted} bytes omitted …\n`);
  });
});
