import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonReading } from "../../src/contract/text/json-reader.ts";
import { readJson } from "../../src/contract/text/json-text.ts";
import { runs } from "../setup/runs.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

function messageOf(text: string): string {
  const reading = readJson(text);
  return "refusal" in reading ? reading.refusal.message : "none";
}

/** Returns the value that `JSON.parse` returns, or `undefined` if it throws. */
function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Returns the value as text, to compare the order of members and own `__proto__` members too. */
const shape = (reading: object | undefined) => reading && "value" in reading && JSON.stringify(reading.value);

test.each([
  ["[1,]", "Unexpected token ']' (line 1, column 4)"],
  ['{\n\t"a": [\n1,\n]}', "Unexpected token ']' (line 4, column 1)"],
  ['["é😀", nulx]', "Unexpected token 'x' (line 1, column 12)"],
  ["[😀]", "Unexpected token '😀' (line 1, column 2)"],
  ["", "Unexpected end of JSON input (line 1, column 1)"],
  ["[\r\r\n\n,", "Unexpected token ',' (line 4, column 1)"],
  ['"a\nb"', "Bad control character in string literal (line 1, column 3)"],
  ['"abc', "Unterminated string (line 1, column 5)"],
  ["1\n2", "Unexpected non-whitespace character after JSON (line 2, column 1)"],
])("the message for %j has the line and column of the syntax error", (text, message) => {
  expect(messageOf(text)).toBe(message);
});

test("the message for a long text contains no part of the text but the unexpected token", () => {
  expect(messageOf(`["${"secret".repeat(20_000)}",]`)).toBe("Unexpected token ']'");
});

test("rejects bytes that are not UTF-8", () => {
  const bytes = new Uint8Array([...utf8('["a'), 0xff, ...utf8('"]')]);
  expect(readJson(bytes)).toEqual({
    refusal: { kind: "syntax", pointer: "", message: "expected valid UTF-8" },
  });
});

/** Generates JSON texts: values of any shape, white space, duplicate and unusual names. */
const name = fc.oneof(
  fc.constantFrom('"__proto__"', '"a"', '"b"', '"1"', '"\\u0061"', '""'),
  fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
);
const { json } = fc.letrec<{ json: string }>((tie) => {
  const space = fc.constantFrom("", "", "", " ", "\n", "\r\n", "\t");
  const list = (item: fc.Arbitrary<string>, open: string, close: string) =>
    fc.tuple(space, fc.array(item, { maxLength: 6 })).map(([gap, items]) => open + gap + items.join(`,${gap}`) + close);
  const scalar = fc.oneof(
    fc.constantFrom("null", "true", "false", '"\\ud800"', '"\\"\\\\\\n"', "-0", "1e3", "0.1"),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
    fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
  );
  // Longer than a group of items that is parsed together.
  const long = fc.oneof(
    fc.constantFrom("x", "é", "\\n").map((unit) => `"${unit.repeat(70_000)}"`),
    fc.constantFrom("1", "{}", '{"a":[1]}').map((item) => `[${`${item},`.repeat(30_000)}${item}]`),
  );
  const member = fc.tuple(name, space, tie("json")).map(([key, gap, value]) => `${key}${gap}:${gap}${value}`);
  return {
    json: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 20, arbitrary: scalar },
      { weight: 1, arbitrary: long },
      { weight: 10, arbitrary: list(tie("json"), "[", "]") },
      { weight: 10, arbitrary: list(member, "{", "}") },
    ),
  };
});

test("returns the same value as JSON.parse, with the members in the same order", () => {
  fc.assert(
    fc.property(json, (text) => {
      const reading: JsonReading = readJson(text);
      expect(reading).not.toHaveProperty("refusal");
      expect(shape(reading)).toBe(shape(parsed(text)));
    }),
    runs(40, 100),
  );
});

test("rejects the same texts as JSON.parse", () => {
  const broken = fc
    .tuple(
      json,
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom("", "", ",", ":", "]", "}", '"', "\\", "0", "e", ".", "-", "\n", "\u0001", "é"),
    )
    .map(([text, seed, length, piece]) => {
      const at = seed % (Math.min(text.length, 500) + 1);
      return text.slice(0, at) + piece + text.slice(at + length);
    });
  fc.assert(
    fc.property(fc.oneof(broken, fc.string()), (text) => {
      // Lone surrogates have no UTF-8.
      const sent = text.toWellFormed();
      const reading = readJson(sent);
      // An additional digit or "e" can create a number that a 64-bit value cannot hold.
      fc.pre(!("refusal" in reading && reading.refusal.kind === "number"));
      expect(shape(reading)).toBe(shape(parsed(sent)) ?? false);
    }),
    runs(200, 1000),
  );
});

test("returns the same value as JSON.parse for a wide object and a long list", { tags: ["slow"] }, () => {
  const wide = `{${Array.from({ length: 40_000 }, (_, index) => `"${index % 2 ? "k" : ""}${index % 30_000}":[${index}]`)}}`;
  expect(shape(readJson(wide))).toBe(shape(parsed(wide)));
  const nested = `{"a":${wide},"__proto__":${wide},"a":[[${wide},1],${wide}]}`;
  expect(shape(readJson(nested))).toBe(shape(parsed(nested)));
});

describe("numbers", () => {
  test("rejects the first number that changes, with its pointer", () => {
    expect(readJson('{"a":[1e20,0.1],"b/c":[{"d":-1e400},1e401]}')).toEqual({
      refusal: {
        kind: "number",
        pointer: "/b~1c/0/d",
        message:
          "expected a number that a 64-bit floating-point value can hold, found -1e400. Send the number as a string",
      },
    });
    expect(readJson("9007199254740993")).toMatchObject({ refusal: { kind: "number", pointer: "" } });
  });

  test.each([
    "0",
    "1e3",
    "3.141592653589793238",
    "0.0e-400",
    "-0.0",
    "12300000000000000000000.000",
    "0.00000000000000000000000123e25",
    "9007199254740992",
    "10000000000000000000000",
    "1e23",
    "1.7976931348623157e308",
  ])("accepts %s", (number) => {
    expect(readJson(`{"a":[${number}]}`)).toEqual({ value: { a: [Number(number)] } });
  });

  test.each([
    "9007199254740993.0",
    "9007199254740993e0",
    "900719925474099.3e1",
    "12345678901234567890.5",
    "0.99999999999999999999",
    "1e-400",
    `1.${"0".repeat(100_000)}1`,
  ])("rejects %s, which would become another integer", (number) => {
    expect(readJson(`{"a":[${number}]}`)).toMatchObject({ refusal: { kind: "number", pointer: "/a/0" } });
  });
});

describe("limits", () => {
  const rejected = (kind: string, message: string) => ({ refusal: { kind, pointer: "", message } });

  test("limits the number of values: members and items, and each object and array", () => {
    const text = '[1,{"a":[],"b":"[,{"}]';
    expect(readJson(text, { values: 6 })).toHaveProperty("value");
    expect(readJson(text, { values: 5 })).toEqual(rejected("size", "expected at most 5 JSON values, found more"));
  });

  test("limits the members of each object", () => {
    const text = '[{"a":1,"b":[1,2,3],"c":{"d":1}},{"a":1}]';
    expect(readJson(text, { members: 3 })).toHaveProperty("value");
    expect(readJson(text, { members: 2 })).toEqual(
      rejected("size", "expected at most 2 members in an object, found more"),
    );
  });

  test("limits the nesting", () => {
    expect(readJson('{"a":[[]],"b":[]}', { depth: 3 })).toHaveProperty("value");
    expect(readJson('{"a":[[]]}', { depth: 2 })).toEqual(
      rejected("depth", "expected at most 2 levels of nesting, found more"),
    );
    expect(readJson("[".repeat(200) + "]".repeat(200))).toHaveProperty("value");
    expect(readJson("[".repeat(1_000_000))).toMatchObject({ refusal: { kind: "depth" } });
  });
});
