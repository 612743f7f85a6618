import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { differencesOf } from "../../src/page/dashboard/parts/differences.ts";
import { JsonError, locationOf, parsedJson, parsedLines } from "../../src/page/dashboard/parts/json-text.ts";
import { json } from "../setup/arbitraries.ts";
import { mutated } from "../setup/mutations.ts";
import { runs } from "../setup/runs.ts";

/** Returns the error for an invalid text. */
function errorOf(text: string, parse: (text: string) => unknown = parsedJson): JsonError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error(`expected an error for ${text}`);
}

test.each([
  ["", 0, "line 1, column 1: expected a value, found the end"],
  ["{\n  a: 1 }", 4, 'line 2, column 3: expected a member name in double quotes, found "a"'],
  ['{ "a" 1 }', 6, 'line 1, column 7: expected ":", found "1"'],
  ['{ "a": 1,\n}', 10, 'line 2, column 1: expected a member name in double quotes, found "}"'],
  ["[1 2]", 3, 'line 1, column 4: expected "," or "]", found "2"'],
  ["[1,]", 3, 'expected a value, found "]"'],
  ['{"a": [tru]}', 7, 'expected a value, found "t"'],
  ["[01]", 2, 'expected "," or "]", found "1"'],
  ['"a\nb"', 2, 'expected " at the end of the string, found the end of the line'],
  ['"a\tb"', 2, "expected an escape for the control character, found U+0009"],
  ['"\\x"', 2, 'expected an escape such as \\n or \\", found "x"'],
  ['["😀', 4, "found the end"],
  ["1 2", 2, 'expected the end of the text, found "2"'],
  [`${"[".repeat(300)}`, 201, "expected at most 200 levels"],
])("an error in the JSON text %j has its location", (text, index, message) => {
  const error = errorOf(text);
  expect([error.index, error.message]).toEqual([index, expect.stringContaining(message)]);
});

test("every text that JSON.parse rejects has an error with a location within the text", () => {
  const isInvalid = (text: string) => {
    try {
      JSON.parse(text);
      return false;
    } catch {
      return true;
    }
  };
  const text = fc.oneof(
    json.chain((value) => mutated(value)),
    json.chain((value) => fc.nat(40).map((length) => JSON.stringify(value, undefined, 1).slice(0, length))),
    fc.string(),
  );
  fc.assert(
    fc.property(text, (each) => {
      fc.pre(isInvalid(each));
      const { index } = errorOf(each);
      expect(index).toBeLessThanOrEqual(each.length);
      // The text before the error is the start of some valid text, so the error is not before it.
      expect(index).toBeGreaterThanOrEqual(0);
    }),
    runs(300),
  );
});

test("a JSON pointer leads to the location of its value", () => {
  const text = '{ "a/b": [10, { "~": "x" }], "a": {"__proto__": null} }';
  const at = (pointer: string) => {
    const location = locationOf(text, pointer);
    return location && text.slice(location.start, location.end);
  };
  expect(["/a~1b/0", "/a~1b/1/~0", "/a/__proto__", "/a"].map(at)).toEqual(["10", '"x"', "null", '{"__proto__": null}']);
  expect([at(""), at("/none"), locationOf("{", "/a")]).toEqual([text, undefined, undefined]);
});

test("each line of NDJSON is a value", () => {
  expect(parsedLines('{"a":1}\n\n  {"a":2}\r\n')).toEqual([{ a: 1 }, { a: 2 }]);
  expect(parsedLines('[{"a":1},\n{"a":2}]')).toEqual([[{ a: 1 }, { a: 2 }]]);
  expect(parsedLines('{"a":1}')).toEqual([{ a: 1 }]);
  expect(errorOf('{"a":1}\n{"a":}\n{}', parsedLines).message).toContain("line 2, column 6: expected a value");
  expect(errorOf('{"a":1}\n{"a":2', parsedLines).index).toBe(14);
});

test("differences have the pointers of the members and items that differ", () => {
  expect(differencesOf({ a: 1, b: [1, 2], "c/d": { e: null } }, { a: 1, b: [1, 3, 4], "c/d": {} })).toEqual([
    { pointer: "/b/1", before: 2, after: 3 },
    { pointer: "/b/2", before: undefined, after: 4 },
    { pointer: "/c~1d/e", before: null, after: undefined },
  ]);
  expect(differencesOf({ a: [] }, { a: {} })).toEqual([{ pointer: "/a", before: [], after: {} }]);
  expect(differencesOf(1, 2)).toEqual([{ pointer: "", before: 1, after: 2 }]);
  expect(differencesOf({ constructor: 1 }, {})).toEqual([{ pointer: "/constructor", before: 1, after: undefined }]);
  expect(differencesOf(Array(1000).fill(1), Array(1000).fill(2), 10)).toHaveLength(10);
});

test("equal values have no differences, and others have at least one", () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      expect(differencesOf(before, structuredClone(before))).toEqual([]);
      // As JSON: -0 is 0.
      const [first, second] = [before, after].map((value) => JSON.parse(JSON.stringify(value)));
      expect(differencesOf(before, after).length === 0).toBe(isDeepStrictEqual(first, second));
    }),
    runs(200),
  );
});
