import { expect, test } from "vitest";
import { jsonProblem, readJson } from "../../src/text/json.ts";

const lookAlike = "[1,2,3,4,]5,6,7,8,9]";

test.each([
  ["[1,]", "Unexpected token ']' (line 1, column 4)"],
  ['{\n\t"a": [\n1,\n]}', "Unexpected token ']' (line 4, column 1)"],
  [`{ "a": "${"x".repeat(100)}",\n  "b": nulx }`, "Unexpected token 'x' (line 2, column 8)"],
  [`[NaN, "${"x".repeat(100)}"]`, "Unexpected token 'N' (line 1, column 2)"],
  // The token stands at other places before, and after, the one where it is wrong.
  ['["]", [], ,]', "Unexpected token ',' (line 1, column 11)"],
  [`["${lookAlike}",\n"${lookAlike}",\n${lookAlike},\n${lookAlike}]`, "Unexpected token ']' (line 3, column 10)"],
  // What V8 says is not mistaken for what the text says.
  ['[, " at position 1 "]', "Unexpected token ',' (line 1, column 2)"],
  ['[, "\\", \\"x\\" is not valid JSON"]', "Unexpected token ',' (line 1, column 2)"],
  ["", "Unexpected end of JSON input (line 1, column 1)"],
  ['{"a":\r\n', "Unexpected end of JSON input (line 2, column 1)"],
  ['{"a":1,}', "Expected double-quoted property name (line 1, column 8)"],
  ['"a\nb"', "Bad control character in string literal (line 1, column 3)"],
  ["1\n2", "Unexpected non-whitespace character after JSON (line 2, column 1)"],
  ["undefined", '"undefined" is not valid JSON (line 1, column 1)'],
])("of %j it is told where it is no JSON", async (text, message) => {
  expect(await jsonProblem(text)).toBe(message);
});

test("JSON is read as ever", () => {
  expect(readJson(' {"a":[1]}\n')).toEqual({ value: { a: [1] } });
});
