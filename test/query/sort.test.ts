import { describe, expect, it } from "vitest";
import { ServiceError } from "../../src/contract/errors.ts";
import type { Item } from "../../src/state/item.ts";
import { compileSort, sortItems } from "../../src/state/query/selection.ts";
import type { ResourceRecord } from "../../src/state/resource-record.ts";
import { itemFor, record, resource } from "./records.ts";

const records = [
  record("c", { key: "Zoe", version: 2, createdAt: "2024-06-01T12:00:00+02:00" }, { arrayOfIntExample: [5, 1] }),
  record("a", { key: "zoe", version: 10, createdAt: "2024-06-01T11:00:00Z" }, { arrayOfIntExample: [] }),
  record(
    "d",
    { key: "ähre", version: 2, createdAt: "2024-06-01T09:00:00Z" },
    { arrayOfIntExample: [3], arrayOfStringExample: ["b"], arrayOfObjectType: [{}, { integerExample: 7 }] },
  ),
  record(
    "b",
    { version: 1, createdAt: "2024-06-01T10:30:00Z" },
    { arrayOfIntExample: [2, 10], arrayOfObjectType: [{ integerExample: 9 }, { integerExample: 1 }] },
  ),
];

function sorted(texts: readonly string[], among: readonly ResourceRecord[] = records): string {
  const inOrder = sortItems(among.map(itemFor), compileSort(texts, resource) ?? []);
  return inOrder.map(({ id }) => id).join(" ");
}

describe("sort", () => {
  it.each<[texts: string[], ids: string]>([
    [[], "c a d b"],
    [["id"], "a b c d"],
    [["id desc"], "d c b a"],
    [["`id`  DESC "], "d c b a"],
    // Numbers by size; both directions keep the order of equal records
    [["version"], "b c d a"],
    [["version desc", "id desc"], "a d c b"],
    // Date-times by instant
    [["createdAt"], "d c b a"],
    // Strings by code unit; absent values last in both directions
    [["key"], "c a d b"],
    // Arrays by their smallest element ascending, by their largest descending; an empty array counts as absent
    [["objectTypeProperty.arrayOfIntExample"], "c b d a"],
    [["objectTypeProperty.arrayOfIntExample desc"], "b c d a"],
  ])("sorting by %j returns the order %s", (texts, ids) => {
    expect(sorted(texts)).toBe(ids);
  });

  it("accepts four different keys, and ignores repeated keys", () => {
    const four = ["id", "id desc", "key", "version"];
    expect(compileSort(four, resource)).toHaveLength(4);
    expect(compileSort([...four, ...four, "id asc"], resource)).toHaveLength(4);
    expect(compileSort(Array(99).fill("createdAt"), resource)).toHaveLength(1);
    expect(sorted(["version", "version", "id desc", "version desc"])).toBe("b d c a");
  });

  it("compares the first 500 characters of texts", () => {
    const [short, long] = ["a".repeat(499), "a".repeat(500)];
    const keys = { a: `${long}b`, b: `${long}a`, c: `${short}b`, d: short };
    expect(
      sorted(
        ["key"],
        Object.entries(keys).map(([id, key]) => record(id, { key })),
      ),
    ).toBe("d a b c");
  });

  it("rejects more than 50,000 resources", () => {
    const items = Array<Item>(50_000).fill(itemFor(record("a")));
    const order = compileSort(["id"], resource) ?? [];
    expect(sortItems(items, order)).toHaveLength(50_000);
    const message = "expected at most 50000 resources to sort, found 50001. Select fewer with where.";
    expect(() => sortItems([...items, itemFor(record("a"))], order)).toThrow(message);
  });

  it.each<[texts: string[], message: string]>([
    [[""], "sort: column 1: expected a field, found the end"],
    [["versoin desc"], 'sort: column 1: expected a field, found "versoin". Did you mean "version"?'],
    [["objectTypeProperty"], 'sort: column 19: expected "." and a field of "objectTypeProperty", found the end'],
    [["objectTypeProperty.arrayOfObjectType asc"], 'sort: column 38: expected "." and a field of "arrayOfObjectType"'],
    [["id up"], 'sort: column 4: expected "asc", "desc" or the end, found "up"'],
    [["id desc up"], 'sort: column 9: expected the end, found "up"'],
    [["id", "key,version"], 'sort 2 of 2: column 4: expected "asc", "desc" or the end, found ","'],
    [["id".padEnd(4097)], "sort: column 1: expected at most 4096 characters, found more"],
    [
      ["id", "key", "version", "createdAt", "lastModifiedAt"],
      "sort 5 of 5: column 1: expected at most 4 different keys",
    ],
  ])("rejects %j", (texts, message) => {
    const column = Number(/column (\d+)/.exec(message)?.[1]);
    let thrown: unknown;
    try {
      compileSort(texts, resource);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ServiceError);
    expect(thrown).toMatchObject({
      details: [{ code: "InvalidField", field: "sort", column, message: expect.stringContaining(message) }],
    });
  });
});
