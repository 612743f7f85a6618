import { describe, expect, test } from "vitest";
import JestReporter from "../../src/jest/reporter.ts";
import VitestReporter from "../../src/vitest/reporter.ts";

describe.each([
  ["resource-mock/vitest/reporter", (options: object) => new VitestReporter(options)],
  ["resource-mock/jest/reporter", (options: object) => new JestReporter({}, options)],
])("%s", (entry, create) => {
  test.each([
    [{ require: { failure: 50 } }, 'require: expected operations, failures, violations, found "failure"'],
    [{ require: { operations: 101 } }, "require: operations: expected a percentage from 0 to 100, found 101"],
    [{ require: { failures: "50" } }, 'require: failures: expected a percentage from 0 to 100, found "50"'],
    [{ require: "failures=50" }, "require: expected an object such as { failures: 50 }, found "],
    [{ require: {} }, "require: expected at least one of operations, failures, violations, found none"],
    [{ required: {} }, 'required: unknown option. Did you mean "require"?'],
    [{ report: 1 }, "report: expected the path of a folder, found 1"],
    [{ report: "" }, 'report: expected the path of a folder, found ""'],
  ])("rejects the options %j", (options, message) => {
    expect(() => create(options)).toThrow(`${entry}: ${message}`);
  });
});
