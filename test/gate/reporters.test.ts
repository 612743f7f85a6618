import { describe, expect, test } from "vitest";
import JestReporter from "../../src/library/jest/reporter.ts";
import VitestReporter from "../../src/library/vitest/reporter.ts";

describe.each([
  ["resource-mock/vitest/reporter", (options: object) => new VitestReporter(options)],
  ["resource-mock/jest/reporter", (options: object) => new JestReporter({}, options)],
])("%s", (entry, create) => {
  test.each([
    [{ require: { failure: 50 } }, 'require: expected operations, failures, violations, found "failure"'],
    [{ require: { survived: 50 } }, 'require: expected operations, failures, violations, found "survived"'],
    [{ require: "failures=50" }, "require: expected an object such as { failures: 50 }, found "],
    [{ required: {} }, 'required: unknown option. Did you mean "require"?'],
    [{ report: 1 }, "report: expected the path of a folder, found 1"],
  ])("rejects the options %j", (options, message) => {
    expect(() => create(options)).toThrow(`${entry}: ${message}`);
  });
});
