import { describe, expect, it } from "vitest";
import { errorBody, ServiceError } from "../../src/contract/errors.ts";
import type { Schema } from "../../src/contract/json-schema.ts";
import { compileWhere } from "../../src/state/query/predicate.ts";
import { itemOf, type ResourceRecord } from "../../src/state/resource-record.ts";
import { itemFor, record, resource } from "./records.ts";

const everyEscape = '"\\/\b\f\n\r\t';

const red = record(
  "red",
  { key: "colour-red", version: 1, createdAt: "2024-01-01T00:00:00.000Z" },
  {
    arrayOfIntExample: [1, 2, 3],
    arrayOfFloatExample: [0.5],
    arrayOfStringExample: ["a", 'say "hi"', "Ünï", everyEscape],
    arrayOfObjectType: [{ integerExample: 1, integerExampleInt32: 10 }, { integerExample: 3 }],
  },
);
const blue = record(
  "blue",
  { key: "colour-blue", version: 2, createdAt: "2024-06-01T12:00:00.000+02:00" },
  { arrayOfIntExample: [2], arrayOfStringExample: [], arrayOfObjectType: [{ integerExample: 2 }] },
);
const bare = record("bare", { version: 10, createdAt: "2024-12-31T23:59:59.999Z" });
const records = [red, blue, bare];

const variables = {
  one: ["1"],
  V7: ["1"],
  ids: ["red", "bare"],
  none: [],
  word: ["many"],
  quote: ['say "hi"'],
  noon: ["2024-06-01T10:00:00Z"],
};

function matching(texts: string | readonly string[], among: readonly ResourceRecord[] = records): string[] {
  const matches = compileWhere([texts].flat(), resource, variables);
  return among.filter((each) => matches?.(itemFor(each)) ?? true).map(({ id }) => id);
}

function refusal(texts: readonly string[], given: Readonly<Record<string, readonly string[]>> = variables) {
  try {
    compileWhere(texts, resource, given);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error(`accepted: ${texts.join(" | ").slice(0, 100)}`);
}

describe("a predicate", () => {
  it.each<[predicate: string, ids: string]>([
    // Comparisons
    ['id = "red"', "red"],
    ['id != "red"', "blue bare"],
    ['id <> "red"', "blue bare"],
    ["version=1e1", "bare"],
    ["version = 2.00", "blue"],
    // Lists
    ["version in (1, 10, 99)", "red bare"],
    // Logic: "and" binds tighter than "or"
    ['id = "red" or id = "blue" and version = 99', "red"],
    ['(id = "red" or id = "blue") and version = 2', "blue"],
    ['not(id = "red" or version = 2)', "bare"],
    // Objects and arrays
    ["objectTypeProperty(arrayOfIntExample contains any (2, 3))", "red blue"],
    ["objectTypeProperty(arrayOfIntExample contains all (2, 3))", "red"],
    ["objectTypeProperty(arrayOfFloatExample contains any (5e-1))", "red"],
    ["objectTypeProperty(arrayOfObjectType(integerExample = 3))", "red"],
    // One element must match the whole nested predicate, …
    ["objectTypeProperty(arrayOfObjectType(integerExample = 3 and integerExampleInt32 = 10))", ""],
    // … while two nested predicates may be matched by two elements.
    [
      "objectTypeProperty(arrayOfObjectType(integerExample = 3) and arrayOfObjectType(integerExampleInt32 = 10))",
      "red",
    ],
    // Presence
    ["key is defined", "red blue"],
    ["objectTypeProperty(arrayOfStringExample is empty)", "blue bare"],
    // Absent values: equal to nothing, below and above nothing; the negations are exact opposites
    ['key != "colour-red"', "blue bare"],
    ['key < "zzz"', "red blue"],
    // Date-times are instants: 12:00 at +02:00 is 10:00 UTC
    ['createdAt = "2024-06-01T10:00:00Z"', "blue"],
    ['createdAt in ("2024-06-01T05:00:00-05:00")', "blue"],
    // Strings
    ['objectTypeProperty(arrayOfStringExample contains any ("say \\"hi\\""))', "red"],
    ['objectTypeProperty(arrayOfStringExample contains any ("\\u00dcn\\u00EF"))', "red"],
    ['objectTypeProperty(arrayOfStringExample contains any ("ünï"))', ""],
    ['objectTypeProperty(arrayOfStringExample contains any ("\\"\\\\\\/\\b\\f\\n\\r\\t"))', "red"],
    ['id = "and" or id = ")" or id = ""', ""],
    // Variables
    ["version = :one", "red"],
    ["id in :ids", "red bare"],
    ['id in ("blue", :ids)', "red blue bare"],
    ["objectTypeProperty(arrayOfIntExample contains all (:one, :one))", "red"],
    ["createdAt<=:noon", "red blue"],
    // Spelling
    ['Not(id = "red") AND version IN (2) Or key Is nOt DEFINED', "blue bare"],
    ["objectTypeProperty(arrayOfIntExample CONTAINS ALL (2) AND arrayOfStringExample IS EMPTY)", "blue"],
    ["`version` = 1 and `objectTypeProperty`(`arrayOfIntExample` is defined)", "red"],
    ["\t\n version\r\n=\n1 ", "red"],
  ])("the predicate %s matches the resources %s", (predicate, ids) => {
    expect(matching(predicate)).toEqual(ids.split(" ").filter(Boolean));
  });

  it.each(["", " 1", "1 ", "x1", "1x", ".5", "1.", "1e", "1e+", "0x1", "+1", "--1", "1_0", "Infinity", "NaN", "1.5"])(
    "rejects %j in a variable for an integer",
    (text) => {
      const [detail] = refusal(["version = :v"], { v: [text] }).details;
      expect(detail).toMatchObject({ column: 11, message: expect.stringContaining('expected an integer in "var.v"') });
    },
  );

  it("several predicates must all match; without predicates, the result is undefined", () => {
    expect(matching(["version > 1", "version < 10"])).toEqual(["blue"]);
    expect(compileWhere([], resource, {})).toBeUndefined();
  });

  it("treats null and values of a wrong type as absent", () => {
    const broken = [
      record("null", { key: undefined, objectTypeProperty: JSON.parse('{"arrayOfIntExample":null}') }),
      record("text", { objectTypeProperty: JSON.parse('{"arrayOfIntExample":"1","arrayOfObjectType":[null,1,[]]}') }),
      record("array", { objectTypeProperty: JSON.parse("[]") }),
      record("no date", { createdAt: "yesterday" }),
    ];
    expect(matching("objectTypeProperty(arrayOfIntExample contains any (1))", broken)).toEqual([]);
    expect(matching("objectTypeProperty(arrayOfIntExample is defined)", broken)).toEqual(["text"]);
    expect(matching("objectTypeProperty(arrayOfObjectType(integerExample != 1))", broken)).toEqual([]);
    expect(matching("objectTypeProperty(arrayOfIntExample is empty)", broken)).toEqual(["null", "text", "no date"]);
    expect(matching('createdAt > "2000-01-01T00:00:00Z"', broken)).toEqual(["null", "text", "array"]);
  });
});

describe("an invalid predicate", () => {
  it.each<[predicate: string, column: number, message: string]>([
    // Expected tokens
    ["", 1, "expected a field, found the end"],
    ["version in ()", 13, 'expected a value, found ")"'],
    ["version = ", 11, "expected a value, found the end"],
    ["version = 1 version = 2", 13, 'expected "and", "or" or the end, found "version"'],
    ["(version = 1", 13, 'expected "and", "or" or ")", found the end'],
    ["not version = 1", 5, 'expected "(" after "not", found "version"'],
    ["version", 8, 'expected a comparison, "in", "not in" or "is" after "version", found the end'],
    ["version in 1", 12, 'expected a list such as "(1, 2)" or a variable, found "1"'],
    ["version in (1 2)", 15, 'expected "," or ")", found "2"'],
    ["version is nothing", 12, 'expected "defined", found "nothing"'],
    ["objectTypeProperty(arrayOfIntExample contains (1))", 47, 'expected "any" or "all", found "("'],
    ["objectTypeProperty.arrayOfIntExample is defined", 19, 'found "."'],
    // Strings
    ['id = "red', 6, 'expected a closing ", found none'],
    ["`id = 1", 1, "expected a closing `, found none"],
    ['id = "a\\qb"', 8, 'expected an escape of JSON such as \\" or \\n, found "\\\\q"'],
    // Fields
    ["versoin = 1", 1, 'expected a field, found "versoin". Did you mean "version"?'],
    ["arrayOfIntExample is empty", 1, "Known fields: id, key, createdAt, lastModifiedAt, version, objectTypeProperty."],
    ["`not`(version = 1)", 1, 'expected a field, found "not"'],
    ["objectTypeProperty(arrayOfIntExample)", 37, 'or "is" after the array "arrayOfIntExample", found ")"'],
    ["objectTypeProperty(version = 1)", 20, 'expected a field, found "version"'],
    ["constructor is defined", 1, 'expected a field, found "constructor"'],
    // Types
    ['version = "1"', 11, 'expected an integer, found the string "1"'],
    ["version = 1e999", 11, 'expected an integer, found "1e999"'],
    ["id = 1", 6, 'expected a string, found "1"'],
    ['createdAt > "yesterday"', 13, "expected a date-time (RFC 3339, such as"],
    ['createdAt > "2024-02-01"', 13, 'found the string "2024-02-01"'],
    ["objectTypeProperty(arrayOfIntExample = 1)", 38, 'expected "contains any", "contains all" or "is"'],
    ["objectTypeProperty(arrayOfObjectType contains any (1))", 38, "expected a predicate in parentheses"],
    ["version contains any (1)", 9, 'found "contains"'],
    ["key is empty", 8, 'expected "defined", found "empty"'],
    // Variables
    ["version = :two", 11, 'expected the query parameter "var.two" for this variable, found none'],
    ["version = :word", 11, 'expected an integer in "var.word", found "many"'],
    ["id = :ids", 6, 'expected one value, found 2 in "var.ids"'],
  ])("the predicate '%s' is rejected at column %i", (predicate, column, message) => {
    const { details } = refusal([predicate]);
    expect(details).toEqual([
      { code: "InvalidField", field: "where", column, message: expect.stringContaining(message) },
    ]);
    expect(details[0]?.message).toMatch(new RegExp(`^where: column ${column}: expected `));
  });

  it("is named in the message among valid predicates", () => {
    const { details } = refusal(["version = 1", "version =", "version = 2"]);
    expect(details[0]?.message).toBe("where 2 of 3: column 10: expected a value, found the end");
  });

  it.each<[what: string, texts: readonly string[], column: number, message: string]>([
    ["3,000 parentheses", ["(".repeat(3000)], 21, "expected at most 20 levels of parentheses"],
    ["4,097 characters", ["version = 1".padEnd(4097)], 1, "expected at most 4096 characters, found more"],
    [
      "21 comparisons",
      [Array(20).fill("version = 1").join(" or "), "version = 1"],
      1,
      "where 2 of 2: column 1: expected at most 20 comparisons in all predicates, found more",
    ],
    ["201 values", Array(3).fill(`version in (${"1,".repeat(66)}1)`), 145, "expected at most 200 values in all"],
    [
      "4,097 characters together",
      ["version = 1".padEnd(4000), "version = 1".padEnd(97)],
      1,
      "where 2 of 2: column 1: expected at most 4096 characters in all parameters of this name together, found more",
    ],
    ["a long name", ["v".repeat(4000)], 1, 'expected a field, found "vvv'],
    ["a long string", [`version = "${"v".repeat(4000)}"`], 11, "expected an integer, found the string"],
    ["an open string of backslashes", [`id = "${"\\".repeat(4000)}`], 6, "expected a closing"],
  ])("of %s is rejected with a short error", (_what, texts, column, message) => {
    const error = refusal(texts);
    expect(error.details[0]).toMatchObject({ column, message: expect.stringContaining(message) });
    expect(JSON.stringify(errorBody(error)).length).toBeLessThan(600);
  });
});

it("accepts predicates at the limits", () => {
  const nested = (depth: number) => `${"(".repeat(depth)}version = 1${")".repeat(depth)}`;
  expect(matching(nested(20))).toEqual(["red"]);
  // The limit applies to the depth of parentheses, not to their number.
  expect(matching(Array(20).fill(nested(1)).join(" and "))).toEqual(["red"]);
  expect(matching(Array(20).fill("version = 1"))).toEqual(["red"]);
  expect(matching(`version in (${"1,".repeat(199)}1)`)).toEqual(["red"]);
  expect(matching(["version = 1".padEnd(4000), "version = 1".padEnd(96)])).toEqual(["red"]);
});

describe("the fields of a type", () => {
  const node: { type: "object"; properties: Record<string, Schema> } = { type: "object", properties: {} };
  Object.assign(node.properties, {
    id: { type: "integer" },
    name: { type: ["string", "null"] },
    parent: node,
    children: { type: "array", items: node },
    either: { type: ["string", "number"] },
    matrix: { type: "array", items: { type: "array", items: { type: "number" } } },
    free: {},
  });
  const type = {
    name: "Node",
    path: "/nodes",
    kind: "collection",
    schema: node,
    id: { member: "id", form: "integer" },
  } as const;
  const content = { id: 1, name: "root", parent: { name: null, children: [{ name: "leaf" }] } };
  const item = itemOf(type, content, { id: "1", now: "2024-05-17T09:30:00.000Z" });

  it.each(["id = 1", 'name = "root"', "parent(name is not defined)", 'parent(children(name = "leaf"))'])(
    "come from its schema, which can contain itself: %s",
    (text) => expect(compileWhere([text], type, {})?.(item)).toBe(true),
  );

  it.each(["either", "matrix", "free"])("with several types or none are not queryable: %s", (name) => {
    const message = `where: column 1: expected a queryable field, found "${name}". The contract has no type or several types for this field.`;
    expect(() => compileWhere([`${name} is defined`], type, {})).toThrow(message);
  });
});
