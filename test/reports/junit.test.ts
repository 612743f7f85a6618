// @module-tag tools
import fc from "fast-check";
import { JSDOM } from "jsdom";
import { describe, expect, test } from "vitest";
import { type JunitCase, junitXml } from "../../src/journal/reports/junit.ts";
import { runs } from "../setup/runs.ts";
import { junitProblems } from "./validate-junit.ts";

const passed: JunitCase = { name: "passes", classname: "getCart", seconds: 0.25, outcome: "passed" };
const failed: JunitCase = {
  name: "fails",
  classname: "getCart",
  seconds: 1.5,
  outcome: "failed",
  message: "expected 200, found 404\nbody: {}",
  output: "all of the output",
};
const skipped: JunitCase = { name: "skips", classname: "getCart", seconds: 0, outcome: "skipped", message: "no id" };

function parsed(xml: string): Document {
  return new JSDOM(xml, { contentType: "text/xml" }).window.document;
}

test("a report with each outcome is valid by the JUnit schema of Jenkins", async () => {
  const xml = junitXml({
    name: "verify",
    suites: [
      { name: "first", cases: [passed, failed] },
      { name: "second", cases: [skipped] },
    ],
  });
  expect(await junitProblems(xml)).toEqual([]);
  const document = parsed(xml);
  const attributesOf = (selector: string) =>
    [...document.querySelectorAll(selector)].map(({ attributes }) =>
      Object.fromEntries([...attributes].map(({ name, value }) => [name, value])),
    );
  expect(attributesOf("testsuites")).toEqual([
    { name: "verify", tests: "3", failures: "1", errors: "0", time: "1.750" },
  ]);
  expect(attributesOf("testsuite")).toEqual([
    { name: "first", tests: "2", failures: "1", errors: "0", skipped: "0", time: "1.750" },
    { name: "second", tests: "1", failures: "0", errors: "0", skipped: "1", time: "0.000" },
  ]);
  expect(attributesOf("testcase")[0]).toEqual({ name: "passes", classname: "getCart", time: "0.250" });
  expect(attributesOf("failure")).toEqual([{ message: "expected 200, found 404" }]);
  expect(document.querySelector("failure")?.textContent).toBe("expected 200, found 404\nbody: {}");
  expect(document.querySelector("system-out")?.textContent).toBe("all of the output");
  expect(document.querySelector("skipped")?.textContent).toBe("no id");
});

test("a report without suites is valid", async () => {
  expect(await junitProblems(junitXml({ name: "empty", suites: [] }))).toEqual([]);
});

describe("the validator of these tests", () => {
  test("rejects an unknown attribute", async () => {
    expect(await junitProblems(junitXml({ name: "a", suites: [] }).replace("tests=", "test="))).not.toEqual([]);
  });
});

const caseOf = (text: string): JunitCase => ({ ...failed, name: text, classname: text, message: text, output: text });
const reportOf = (text: string) => junitXml({ name: text, suites: [{ name: text, cases: [caseOf(text)] }] });

test.each([
  ["markup", `<a b="c">&amp;']]>`],
  ["line breaks and tabs", "a\r\nb\n\tc\rd"],
  ["characters outside of the basic plane", "𝔘𝔫𝔦 🎉"],
])("text with %s survives", async (_name, text) => {
  const xml = reportOf(text);
  expect(await junitProblems(xml)).toEqual([]);
  const document = parsed(xml);
  expect(document.querySelector("testcase")?.getAttribute("name")).toBe(text);
  expect(document.querySelector("system-out")?.textContent).toBe(text);
});

test.each([
  ["a null byte", "a\u0000b"],
  ["an escape character", "a\u001bb"],
  ["half of a surrogate pair", "a\ud800b"],
  ["a noncharacter", "a\ufffeb"],
])("drops %s, which XML forbids", async (_name, text) => {
  const xml = reportOf(text);
  expect(await junitProblems(xml)).toEqual([]);
  expect(parsed(xml).querySelector("testcase")?.getAttribute("name")).toBe("ab");
});

test("any text results in a document that a parser accepts", { tags: ["slow"] }, () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(parsed(reportOf(text)).querySelectorAll("testcase")).toHaveLength(1);
    }),
    runs(50),
  );
});
