import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonReader, type JsonReading, noBounds, readJson } from "../../src/text/json-reader.ts";
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
  test.each([
    "0",
    "1e3",
    "3.141592653589793238",
    "1e-400",
    "9007199254740992",
    "10000000000000000000000",
    "1e23",
    "1.7976931348623157e308",
    "9007199254740993.0",
  ])("accepts %s", (number) => {
    expect(readJson(`{"a":[${number}]}`)).toEqual({ value: { a: [Number(number)] } });
  });
});

describe("limits", () => {
  const read = (text: string, bounds = {}, lists?: ConstructorParameters<typeof JsonReader>[2]) => {
    const reader = new JsonReader(utf8(text), { ...noBounds, ...bounds }, lists);
    while (!reader.readStep());
    return reader.reading;
  };
  const rejected = (pointer: string, message: string) => ({ refusal: { kind: "size", pointer, message } });

  test("limits the number of values and members", () => {
    const text = '[1,{"a":[],"b":null}]';
    expect(read(text, { values: 5, members: 2 })).toHaveProperty("value");
    expect(read(text, { values: 4 })).toEqual(rejected("", "expected at most 4 JSON values, found more"));
    expect(read(text, { members: 1 })).toEqual(rejected("", "expected at most 1 members, found more"));
  });

  test("limits each item of a list separately", () => {
    const lists = { itemBytes: { "/a": 20, "/b/c": 5 }, values: 100 };
    const text = '{"x":[1],"a":[{"a":[1]},[],"s"],"b":{"c":["abc",2]},"y":2}';
    const outside = { values: 7, members: 5, bytes: 39 };
    expect(read(text, outside, lists)).toEqual(parsed(text));
    expect(read(text, { ...outside, values: 6 }, lists)).toEqual(
      rejected("", "expected at most 6 JSON values, found more"),
    );
    expect(read(text, { ...outside, members: 4 }, lists)).toEqual(
      rejected("", "expected at most 4 members, found more"),
    );
    expect(read(text, { ...outside, bytes: 10 }, lists)).toEqual(rejected("", "expected at most 10 bytes, found more"));
    expect(read(text, outside, { ...lists, values: 12 })).toEqual(
      rejected("", "expected at most 12 JSON values, found more"),
    );
    expect(read('{"a":[0,[1,2,3]]}', { values: 3 }, lists)).toEqual(
      rejected("/a/1", "expected at most 3 JSON values, found more"),
    );
    expect(read('{"b":{"c":["abc","abcd"]}}', {}, lists)).toEqual(
      rejected("/b/c/1", "expected at most 5 bytes, found more"),
    );
  });
});
