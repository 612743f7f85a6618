import { expect, test } from "vitest";
import { parsedJson, parsedLines } from "../../src/page/dashboard/parts/text.tsx";

test.each([
  ["[1, 2]", [[1, 2]]],
  ['{\n  "a": 1\n}', [{ a: 1 }]],
  ['{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
  ['\n{"a":1}\n\n', [{ a: 1 }]],
])("%j is read as JSON, or as one JSON value in each line", (text, values) => {
  expect(parsedLines(text)).toEqual(values);
});

test("an error says where the text is invalid", () => {
  expect(() => parsedJson("{")).toThrow(/^Invalid JSON: /);
  expect(() => parsedLines('{"a":1}\n{"a":}')).toThrow(/^Line 2: Invalid JSON: /);
});
