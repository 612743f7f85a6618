import { describe, expect, test } from "vitest";
import { type OperationParts, reportOf } from "../../src/journal/coverage-report.ts";
import { mergedReport, readReport, reportSince } from "../../src/tools/gate/reports.ts";
import { missedRequirements } from "../../src/tools/gate/requirements.ts";

const violation = { operation: "getCart", code: "InvalidField", field: "/a", message: "m", count: 2 };
const cart = {
  operation: "getCart",
  requests: 3,
  offContract: 0,
  statuses: { "200": 2, "429": 1 },
  exposures: { "404": 0, "429": 1 },
  errorCodes: {},
};
const others = { errorCodes: {}, unmatched: 0, violations: [violation], otherViolations: 0 };
const report = reportOf({ ...others, operations: [cart] });

describe("merged reports", () => {
  test("have the union of operations, statuses and failures, and the sum of violations", async () => {
    const operations: OperationParts[] = [
      { ...cart, requests: 1, exposures: { "404": 1, "429": 0 } },
      { ...cart, operation: "createResource", requests: 0, exposures: { "400": 0 } },
    ];
    const second = reportOf({ ...others, operations, violations: [], otherViolations: 5 });
    const merged = mergedReport([await readReport(report), await readReport(second)]);
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
    [{}, "/requests"],
    [{ ...report, operations: [{ ...report.operations[0], used: "yes" }] }, "/operations/0/used"],
    [{ ...report, operations: [{ ...report.operations[0], exposures: { "404": -1 } }] }, "/operations/0/exposures/404"],
  ])("reject %j", async (value, message) => {
    await expect(readReport(value)).rejects.toThrow(message);
  });
});

describe("the report since an earlier one", () => {
  test("has only the requests and violations after it", async () => {
    const operations = [{ ...cart, requests: 4, exposures: { "404": 1, "429": 1 } }];
    const after = reportOf({ ...others, operations, violations: [{ ...violation, count: 3 }] });
    const since = reportSince(after, report);
    expect(since.operations[0]).toMatchObject({ requests: 1, failures: { "404": true, "429": false } });
    expect(since.violations).toEqual([{ ...violation, count: 1 }]);
    expect(reportSince(after, after)).toMatchObject({ requests: 0, violations: [], summary: { operations: 0 } });
  });
});

test("a share of exactly the requirement passes", () => {
  const report = reportOf({ ...others, operations: [cart], violations: [] });
  expect(report.summary).toEqual({ operations: 100, failures: 50, violations: 0 });
  expect(missedRequirements(report, { operations: 100, failures: 50, violations: 0 })).toEqual([]);
  expect(missedRequirements(report, { failures: 50.01 }).map(({ requirement }) => requirement)).toEqual(["failures"]);
});
