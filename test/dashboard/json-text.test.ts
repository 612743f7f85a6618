import { expect, test } from "vitest";
import { parsedJson, parsedLines } from "../../src/page/dashboard/parts/text.tsx";

test.each([
  ["[1, 2]", [[1, 2]]],
  ['{\n  "a": 1\n}', [{ a: 1 }]],
  ['{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
  ['\n{"a":1}\n\n', [{ a: 1 }]],
])("the text %j is read as JSON, or as one JSON value in each line", (text, values) => {
  expect(parsedLines(text)).toEqual(values);
});

test("an error says where the text is invalid", () => {
  expect(() => parsedJson("{")).toThrow(/^Invalid JSON: /);
  expect(() => parsedLines('{"a":1}\n{"a":}')).toThrow(/^Line 2: Invalid JSON: /);
});

test("a number that parsing would change has the message of the mock, with its place", () => {
  const refused = "expected a number that a 64-bit floating-point value can hold, found 9007199254740993";
  expect(() => parsedJson('{"a":[9007199254740993]}')).toThrow(`/a/0: ${refused}`);
  expect(() => parsedLines('{"a":1}\n{"a":9007199254740993}')).toThrow(`Line 2: /a: ${refused}`);
  expect(parsedJson("[9007199254740992, 0.1]")).toEqual([9007199254740992, 0.1]);
});
