import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Schema } from "../../src/contract/json-schema.ts";
import type { Operation, Parameter, Serialization } from "../../src/contract/operation-table.ts";
import { readParameters } from "../../src/contract/wire/read-parameters.ts";
import { runs } from "../setup/runs.ts";

type Style = NonNullable<Serialization["style"]>;
type Part = Parameter["in"];

function operation(...parameters: Parameter[]): Operation {
  return { id: "find", method: "GET", path: "/", summary: "", tag: "", parameters, responses: {} };
}

function parameter(schema: Schema, style: Style = "form", explode = style === "form", more: Partial<Parameter> = {}) {
  return { in: "query", name: "p", schema, serialization: { style, explode }, ...more } as const satisfies Parameter;
}

/** Reads a request with one text: the value of the path or header `p`, the cookies, or the query. */
function read(text: string, ...parameters: Parameter[]) {
  const part: Part = parameters[0]?.in ?? "query";
  return readParameters(operation(...parameters), {
    path: part === "path" ? { p: text } : {},
    query: part === "query" ? text : "",
    headers: part === "header" ? { p: text } : part === "cookie" ? { cookie: text } : {},
  });
}

const text: Schema = { type: "string" };
const integer: Schema = { type: "integer" };
const list = (items: Schema, more: Schema = {}): Schema => ({ type: "array", items, ...more });
const size: Schema = { type: "object", required: ["w"], properties: { w: integer, tags: list(text) } };
const zip: Schema = {
  anyOf: [
    { ...integer, maximum: 9 },
    { ...text, pattern: "^\\d{5}$" },
  ],
};

/** Schemas with texts in the query, and their values. */
const scalars: [Schema, Record<string, unknown>][] = [
  [integer, { 7: 7, "-7": -7, "1e3": 1000, "9007199254740993": "9007199254740993" }],
  [{ ...integer, format: "int64" }, { "-9223372036854775808": "-9223372036854775808" }],
  [{ type: "number" }, { "1.5e-3": 0.0015, "9007199254740993.5": "9007199254740993.5" }],
  [{ type: "boolean" }, { true: true, false: false }],
  [text, { 7: "7", "a+b%2B%zz": "a b+%zz", "": "", true: "true" }],
  [{ enum: [1, 2] }, { 2: 2 }],
  [{ type: ["integer", "null"] }, { "": null, null: null, 7: 7 }],
  [{ type: ["string", "null"] }, { null: "null", "": "" }],
  [{ type: ["string", "integer"] }, { 7: 7, a: "a", "007": "007" }],
  [zip, { 7: 7, 12345: "12345" }],
  [{ oneOf: [integer, list(integer)] }, { 7: 7 }],
  [{}, { 7: "7" }],
];

test.each(scalars)("a scalar is read as JSON writes it: %j, %j", async (schema, texts) => {
  for (const [sent, expected] of Object.entries(texts)) {
    const { values, violations } = await read(`p=${sent}`, parameter(schema));
    expect([values.p, violations]).toEqual([expected, []]);
  }
});

test.each<[Schema, string, string]>([
  ...["ten", " 5", "007", "0x10", "", "1,5"].map((each): [Schema, string, string] => {
    return [integer, encodeURIComponent(each), `expected integer, found "${each}"`];
  }),
  [integer, "+5", 'expected integer, found " 5"'],
  [integer, "1.5", "expected integer, found 1.5"],
  [{ ...integer, maximum: 5 }, "7", "expected at most 5, found 7"],
  [{ type: "number" }, "1e400", 'expected number, found "1e400"'],
  [{ type: "boolean" }, "TRUE", 'expected boolean, found "TRUE"'],
  [{ type: "boolean" }, "1", 'expected boolean, found "1"'],
  [integer, "1&p=2", "expected integer, found an array of 2"],
])("another scalar is a violation: %j, %s", async (schema, sent, message) => {
  const { values, violations } = await read(`p=${sent}`, parameter(schema));
  expect(values).toEqual({});
  expect(violations).toEqual([{ code: "InvalidField", field: "p", message: `p: ${message}` }]);
});

/** Style, explode, schema, query, and the value or the message. */
const inQuery: [Style, boolean, Schema, string, unknown][] = [
  ["form", false, list(text, { maxItems: 2 }), "p=a,b,c", "p: expected at most 2 items, found 3"],
  ["form", false, list(text), "p=a%2Cb,c", ["a,b", "c"]],
  ["form", false, size, "p=w,3,h,4", { w: 3, h: "4" }],
  ["form", false, size, "p=w,three,h,4", 'p/w: expected integer, found "three"'],
  ["form", false, size, "p=w,3,h", 'p: expected object, found "w,3,h"'],
  ["form", true, size, "w=3&tags=a&tags=b", { w: 3, tags: ["a", "b"] }],
  ["form", true, size, "tags=a", "p/w: is required, found nothing"],
  ["form", true, { type: "object", additionalProperties: integer }, "x=1&y=2", { x: 1, y: 2 }],
  ["spaceDelimited", false, list(integer), "p=1+2%203", [1, 2, 3]],
  ["deepObject", true, size, "p[w]=1&p%5Btags%5D[]=a&p[tags][]=b", { w: 1, tags: ["a", "b"] }],
  ["deepObject", false, size, "p[w]=1&p[tags][1]=b&p[tags][0]=a", { w: 1, tags: ["a", "b"] }],
  ["deepObject", true, size, "p[w]=big", 'p[w]: expected integer, found "big"'],
  ["deepObject", true, size, "p[a]=1", "p[w]: is required, found nothing"],
  ["deepObject", true, { type: "object" }, "p[a][b]=1&p[a][c]=2", { a: { b: "1", c: "2" } }],
  // The habits of clients.
  ["form", true, list(integer), "p[]=1&p[]=2", [1, 2]],
  ["form", true, list(integer), "p[0]=1&p[10]=3&p[9]=2", [1, 2, 3]],
  ["form", true, list(integer), "p=1,2", 'p/0: expected integer, found "1,2"'],
  ["form", true, list(text), "p=a,b", ["a,b"]],
  ["form", false, list(integer), "p=1&p=2,3", [1, 2, 3]],
  ["form", false, list(integer), "p=1%2C2", [1, 2]],
  ["form", true, list(integer), "p=", []],
  ["form", true, list(integer), "p=[1,2]", [1, 2]],
  ["form", true, size, "p[w]=1", { w: 1 }],
  ["form", true, size, "p=%7B%22w%22:1%7D", { w: 1 }],
  ["deepObject", true, size, "p=%7B%22w%22:1%7D", { w: 1 }],
];

test.each(inQuery)("%s, explode %s, schema %j: %s", async (style, explode, schema, sent, expected) => {
  const { values, violations } = await read(sent, parameter(schema, style, explode));
  expect(violations[0]?.message ?? values.p).toEqual(expected);
});

test.each<[Part, Style, boolean, Schema, string, string?]>([
  ["path", "simple", false, list(text, { maxItems: 2 }), "a,b,c", "p: expected at most 2 items, found 3"],
  ["path", "simple", false, list(integer), "1,x", 'p/1: expected integer, found "x"'],
  ["path", "simple", true, size, "w=x", 'p/w: expected integer, found "x"'],
  ["path", "label", true, list(integer), ".3.x", 'p/1: expected integer, found "x"'],
  ["path", "label", false, list(integer), ".3.4"],
  ["path", "label", false, list(integer), "3,4", 'p: expected text of the style label, found "3,4"'],
  ["path", "matrix", true, list(text, { minItems: 2 }), ";p=a", "p: expected at least 2 items, found 1"],
  ["path", "matrix", false, integer, ";q=1", 'p: expected text of the style matrix, found ";q=1"'],
  ["header", "simple", false, list(integer), "1, 2"],
  ["header", "simple", true, size, "w=1, x=2"],
  ["header", "simple", false, integer, "x", 'p: expected integer, found "x"'],
  ["cookie", "form", true, integer, "a=1; p=2"],
  ["cookie", "form", true, integer, 'p="x"', 'p: expected integer, found "x"'],
  ["cookie", "form", false, list(integer, { maxItems: 1 }), "p=1,2", "p: expected at most 1 item, found 2"],
])("in %s, %s, explode %s, schema %j: %s", async (part, style, explode, schema, sent, message) => {
  const { violations } = await read(sent, parameter(schema, style, explode, { in: part }));
  expect(violations.map((each) => each.message)).toEqual(message === undefined ? [] : [message]);
});

describe("parameters of one operation", () => {
  test("an absent parameter has its default, and a required one is a violation", async () => {
    const required: Parameter = { ...parameter(integer), name: "q", required: true };
    const { values, violations } = await read("", parameter({ ...integer, default: 20 }), required);
    expect(values).toEqual({ p: 20 });
    expect(violations.map(({ message }) => message)).toEqual(["q: is required, found nothing"]);
  });

  test("an open object takes the names that no other parameter takes", async () => {
    const open = parameter({ type: "object", properties: { a: integer }, additionalProperties: true });
    const plain: Parameter = { in: "query", name: "c", schema: integer };
    const { values, unnamed } = await read("a=1&b=2&c=3&d=4", open, { ...parameter(integer), name: "b" }, plain);
    expect(values).toEqual({ p: { a: 1, d: "4" }, b: 2, c: 3 });
    expect(unnamed).toEqual([]);
  });

  test("a declared name can have brackets, and unknown names are listed", async () => {
    const sent = `page[size]=5&page[x]=1&other&other&a[[=1&p${"[a]".repeat(11)}=1`;
    const page: Parameter = { ...parameter(integer), name: "page[size]" };
    const { values, unnamed } = await read(sent, page, parameter({ type: "object" }, "deepObject"));
    expect(values).toEqual({ "page[size]": 5 });
    expect(unnamed).toEqual(["page[x]", "other", "other", "a[[", `p${"[a]".repeat(11)}`]);
  });

  test("names of prototypes are names", async () => {
    const sent = "p[__proto__][x]=1&p[constructor]=2&__proto__=3";
    const { values, unnamed } = await read(sent, parameter({ type: "object" }, "deepObject"));
    expect(JSON.stringify(values)).toBe('{"p":{"__proto__":{"x":"1"},"constructor":"2"}}');
    expect([unnamed, ({} as { x?: unknown }).x]).toEqual([["__proto__"], undefined]);
  });

  test("a value of a media type is JSON", async () => {
    const content: Parameter = { ...parameter(size), serialization: { mediaType: "application/json" } };
    expect((await read('p={"w":1}', content)).values).toEqual({ p: { w: 1 } });
    expect((await read("p={", content)).violations[0]?.message).toBe('p: expected object, found "{"');
  });

  test("names of headers have no case, and headers of the protocol are no parameters", async () => {
    const header = (name: string) => parameter(integer, "simple", false, { in: "header", name, required: true });
    const sent = { path: {}, query: "", headers: { "x-count": "a", accept: "a" } };
    const { violations } = await readParameters(operation(header("X-Count"), header("Accept")), sent);
    expect(violations.map(({ message }) => message)).toEqual(['X-Count: expected integer, found "a"']);
  });
});

/** Writes a value by the table of OpenAPI 3.1, 4.8.12.4. Arrays and objects have at least one item or member. */
function written(style: Style, explode: boolean, value: object): string {
  const isList = Array.isArray(value);
  const encode = (each: unknown) => (style in starts ? String(each) : encodeURIComponent(String(each)));
  const pairs = isList
    ? value.map((each) => ["p", encode(each)])
    : Object.entries(value).map((pair) => pair.map(encode));
  const named = (by: string) => pairs.map((pair) => pair.join("=")).join(by);
  const flat = (by: string) => (isList ? value.map(encode) : pairs.flat()).join(by);
  if (style === "deepObject") return pairs.map(([name, each]) => `p[${name}]=${each}`).join("&");
  if (style === "matrix") return explode ? `;${named(";")}` : `;p=${flat(",")}`;
  const by = style === "label" ? "." : ",";
  if (style in starts) return starts[style] + (explode ? (isList ? flat(by) : named(by)) : flat(","));
  return explode ? named("&") : `p=${flat({ spaceDelimited: "%20", pipeDelimited: "%7C" }[style as string] ?? ",")}`;
}

/** The styles of the path, whose values are decoded before they are taken apart. */
const starts: Record<string, string> = { simple: "", label: ".", matrix: ";" };
const styles: [Style, boolean][] = ["form", "simple", "label", "matrix"].flatMap((each): [Style, boolean][] => {
  return [true, false].map((explode) => [each as Style, explode]);
});

test.each([...styles, ["spaceDelimited", false], ["pipeDelimited", false], ["deepObject", true]] as [Style, boolean][])(
  "a written value is read back: %s, explode %s",
  async (style, explode) => {
    const inPath = style in starts;
    const delimiters = inPath ? /[.,;=]/g : style.endsWith("Delimited") ? /[ |]/g : /(?!)/g;
    const word = fc.string({ unit: "grapheme", minLength: 1 }).map((each) => each.replace(delimiters, "_"));
    const properties = { name: text, count: integer, isNew: { type: "boolean" } } as const;
    const members = { name: word, count: fc.integer(), isNew: fc.boolean() };
    const object = fc.record(members, { requiredKeys: ["count"], noNullPrototype: true });
    const lists = fc.array(word, { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(style === "deepObject" ? object : fc.oneof(object, lists), async (value) => {
        const type: Schema = Array.isArray(value) ? list(text) : { type: "object", properties };
        const schema = { ...type, enum: [value] };
        const sent = written(style, explode, value);
        const { violations } = await read(sent, parameter(schema, style, explode, inPath ? { in: "path" } : {}));
        expect(violations).toEqual([]);
      }),
      runs(50),
    );
  },
);

test("any text is read", async () => {
  const schemas = [integer, list(integer), size, { anyOf: [integer, list(size), {}] }, { type: "object" }] as const;
  const style = fc.constantFrom<Style>("simple", "label", "matrix", "form", "pipeDelimited", "deepObject");
  const part = fc.constantFrom<Part>("path", "query", "header", "cookie");
  const sent = fc.oneof(fc.string(), fc.stringMatching(/^[p.;,=&[\]%w0-9"{}+a]*$/));
  const parameters = fc.tuple(fc.constantFrom(...schemas), style, fc.boolean(), fc.record({ in: part }));
  await fc.assert(
    fc.asyncProperty(sent, parameters, async (each, args) => {
      expect((await read(each, parameter(...args))).unnamed.length).toBeLessThanOrEqual(each.length);
    }),
    runs(300),
  );
});
