import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { reportSchemas } from "../../scripts/report-schemas.ts";
import { MAX_OUTPUT_PART } from "../../src/contract/limits.ts";
import { Output, takesFiles, testFilesOf, withFiles } from "../../src/tools/sweep/trial.ts";
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

test.each([
  ["vitest run {files} --bail 1", "vitest run a.test.ts b.test.ts --bail 1", "vitest run --bail 1"],
  ["npm test -- {files}", "npm test -- a.test.ts b.test.ts", "npm test --"],
  ["npm test", "npm test", "npm test"],
])("the test command %s becomes %s with two files, and %s without files", (command, some, all) => {
  const words = command.split(" ");
  expect(takesFiles(words)).toBe(some !== command);
  expect(withFiles(words, ["a.test.ts", "b.test.ts"]).join(" ")).toBe(some);
  expect(withFiles(words).join(" ")).toBe(all);
});

describe("the output of a run", () => {
  const outputOf = (...chunks: string[]) => {
    const output = new Output();
    for (const chunk of chunks) output.add(chunk);
    return output.text;
  };

  test("has its start and its end beyond the limit", () => {
    const chunk = "x".repeat(1000);
    const text = outputOf("start", ...Array(10_000).fill(chunk), "end");
    expect(text.length).toBeLessThan(2 * MAX_OUTPUT_PART + 100);
    expect([text.slice(0, 6), text.slice(-4)]).toEqual(["startx", "xend"]);
    const omitted = 10_000_008 - 2 * MAX_OUTPUT_PART;
    expect(text).toContain(`\n… ${omitted} characters omitted …\n`);
  });
});
