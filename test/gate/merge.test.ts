import { describe, expect, test } from "vitest";
import { mergedReport, readReport, reportSince } from "../../src/tools/gate/merge.ts";
import { missedRequirements } from "../../src/tools/gate/verdict.ts";

const violation = { operation: "getCart", code: "InvalidField", field: "/a", message: "m", count: 2 };
const cart = {
  operation: "getCart",
  used: true,
  requests: 3,
  statuses: { "200": 2, "429": 1 },
  failures: { "404": false, "429": true },
  exposures: { "404": 0, "429": 1 },
};

describe("merged reports", () => {
  test("have the union of operations, statuses and failures, and the sum of violations", async () => {
    const first = await readReport({ operations: [cart], violations: [violation] });
    const second = await readReport({
      operations: [
        { operation: "getCart", used: true, failures: { "404": true, "429": false } },
        { operation: "createResource", used: false, failures: { "400": false } },
      ],
      summary: { violations: 5 },
    });
    const merged = mergedReport([first, second]);
    expect(merged.operations).toMatchObject([
      { operation: "getCart", used: true, requests: 4, failures: { "404": true, "429": true } },
      { operation: "createResource", used: false, failures: { "400": false } },
    ]);
    expect(merged.summary).toEqual({ operations: 50, failures: 100, violations: 7 });
    expect(merged.violations).toEqual([violation]);
  });

  test.each([
    [undefined, "expected a coverage report, found nothing"],
    [[], "expected a coverage report, found an empty array"],
    [{}, "/operations"],
    [{ operations: [{ operation: "getCart", used: "yes", failures: {} }] }, "/operations/0/used"],
    [{ operations: [{ ...cart, exposures: { "404": -1 } }] }, "/operations/0/exposures/404"],
  ])("reject %j", async (value, message) => {
    await expect(readReport(value)).rejects.toThrow(message);
  });
});

describe("the report since an earlier one", () => {
  test("has only the requests and violations after it", async () => {
    const before = await readReport({ operations: [cart], violations: [violation] });
    const after = await readReport({
      operations: [{ ...cart, requests: 4, exposures: { "404": 1, "429": 1 } }],
      violations: [{ ...violation, count: 3 }],
    });
    const since = reportSince(after, before);
    expect(since.operations[0]).toMatchObject({ requests: 1, failures: { "404": true, "429": false } });
    expect(since.violations).toEqual([{ ...violation, count: 1 }]);
    expect(reportSince(after, after)).toMatchObject({ requests: 0, violations: [], summary: { operations: 0 } });
  });
});

test("a share of exactly the requirement passes", async () => {
  const report = mergedReport([await readReport({ operations: [cart] })]);
  expect(report.summary).toEqual({ operations: 100, failures: 50, violations: 0 });
  expect(missedRequirements(report, { operations: 100, failures: 50, violations: 0 })).toEqual([]);
  expect(missedRequirements(report, { failures: 50.01 }).map(({ requirement }) => requirement)).toEqual(["failures"]);
});
