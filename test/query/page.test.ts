import { describe, expect, it } from "vitest";
import { serviceContract } from "../../src/contract/service-contract.ts";
import { ServiceError } from "../../src/contract/service-error.ts";
import { type PageOptions, page, readPaging } from "../../src/query/page.ts";
import { compileSort } from "../../src/query/sort.ts";
import type { ResourceRecord } from "../../src/state/record.ts";
import { pausing, record } from "./records.ts";

const records = [5, 3, 1, 4, 2].map((version) => record(`r${version}`, { key: `k${version}`, version }));
const odd = ({ version }: ResourceRecord) => version % 2 === 1;
const parameters = serviceContract.find("queryWithSortedParameters")?.parameters ?? [];
const ascending = compileSort(["version"]);
const all: PageOptions = { limit: 20, offset: 0, withTotal: true };

/** Returns an iterable of the records that counts how many records were read. */
function counted() {
  const source = {
    taken: 0,
    *[Symbol.iterator]() {
      for (const each of records) {
        source.taken++;
        yield each;
      }
    },
  };
  return source;
}

describe("a page", () => {
  it("is the envelope in the order of its members, with resources as in other responses", async () => {
    const result = await page([record("a", { key: "k", extra: 1 })], { limit: 1, offset: 0, withTotal: true });
    expect(JSON.stringify(result)).toBe(
      '{"limit":1,"offset":0,"count":1,"total":1,"results":[{"version":1,"objectTypeProperty":{},"extra":1}]}',
    );
  });

  it("has no total with withTotal=false", async () => {
    expect(Object.keys(await page(records, { ...all, withTotal: false, total: 5 }))).toEqual([
      "limit",
      "offset",
      "count",
      "results",
    ]);
  });

  it.each<[options: Partial<PageOptions>, versions: number[], total: number | undefined, taken: number]>([
    [{}, [5, 3, 1, 4, 2], 5, 5],
    [{ limit: 2 }, [5, 3], 5, 5],
    [{ limit: 2, offset: 1 }, [3, 1], 5, 5],
    [{ limit: 2, offset: 4 }, [2], 5, 5],
    [{ offset: 9 }, [], 5, 5],
    [{ limit: 0 }, [], 5, 5],
    // Without counting, only the records of the page are read
    [{ limit: 2, total: 5 }, [5, 3], 5, 2],
    [{ limit: 2, offset: 1, total: 5 }, [3, 1], 5, 3],
    [{ limit: 2, withTotal: false }, [5, 3], undefined, 2],
    [{ limit: 1, withTotal: false }, [5], undefined, 1],
    [{ limit: 1, total: 5, order: ascending }, [1], 5, 5],
    [{ limit: 0, offset: 3, total: 5 }, [], 5, 0],
    [{ limit: 0, withTotal: false }, [], undefined, 0],
    [{ limit: 0, total: 5, order: ascending }, [], 5, 0],
    // With a predicate, the total is the number of matches
    [{ matches: odd }, [5, 3, 1], 3, 5],
    [{ matches: odd, total: 5, limit: 1 }, [5], 3, 5],
    [{ matches: odd, withTotal: false, limit: 1, offset: 1 }, [3], undefined, 2],
    [{ matches: () => false }, [], 0, 5],
    // Matching comes before sorting, and sorting before paging
    [{ order: ascending }, [1, 2, 3, 4, 5], 5, 5],
    [{ order: ascending, limit: 2, offset: 1 }, [2, 3], 5, 5],
    [{ order: ascending, limit: 2, total: 5 }, [1, 2], 5, 5],
    [{ order: ascending, limit: 2, withTotal: false }, [1, 2], undefined, 5],
    [{ order: ascending, matches: odd, limit: 2, offset: 1 }, [3, 5], 3, 5],
    [{ order: ascending, matches: odd, limit: 0 }, [], 3, 5],
  ])("with %j has the results %j and the total %j, and reads %i records", async (options, versions, total, taken) => {
    const source = counted();
    const result = await page(source, { ...all, ...options });
    expect(result.results.map(({ version }) => version)).toEqual(versions);
    const { limit = 20, offset = 0 } = options;
    expect(result).toMatchObject({ limit, offset, count: versions.length });
    expect(result.total).toBe(total);
    expect(source.taken).toBe(taken);
  });

  it("keeps the order of equal records, and does not change the records", async () => {
    const before = [...records];
    const { results } = await page(records, { ...all, order: compileSort(["createdAt"]) });
    expect(results.map(({ version }) => version)).toEqual([5, 3, 1, 4, 2]);
    expect(records).toEqual(before);
  });

  it("pauses during counting, matching and sorting", async () => {
    const many = Array.from({ length: 1000 }, (_, index) => record(`r${index}`, { version: 1000 - index }));
    const slice = pausing();
    await page(many, { ...all, slice, matches: odd });
    const counting = slice.pauses;
    expect(counting).toBeGreaterThanOrEqual(3);
    const { results, total } = await page(many, { ...all, slice, order: ascending, limit: 2 });
    expect([results.map(({ version }) => version), total]).toEqual([[1, 2], 1000]);
    expect(slice.pauses - counting).toBeGreaterThan(5 * counting);
  });
});

describe("paging", () => {
  it.each([
    [{}, { limit: 20, offset: 0, withTotal: true }],
    [
      { limit: 0, offset: 0, withTotal: false },
      { limit: 0, offset: 0, withTotal: false },
    ],
    [
      { limit: 500, offset: 10_000, withTotal: true },
      { limit: 500, offset: 10_000, withTotal: true },
    ],
    [
      { limit: 3, where: ["x"], offset: undefined },
      { limit: 3, offset: 0, withTotal: true },
    ],
  ])("%j is read as %j", (values, paging) => {
    expect(readPaging(values, parameters)).toEqual(paging);
  });

  it("uses the bounds of the contract, and accepts any whole number from 0 without bounds", () => {
    expect(readPaging({ limit: 0, offset: 1e9 }, [])).toEqual({ limit: 0, offset: 1e9, withTotal: true });
    expect(() => readPaging({ limit: -1 }, [])).toThrow("expected a whole number from 0");
    const bounded = parameters.map((each) => (each.name === "limit" ? { ...each, minimum: 10, maximum: 20 } : each));
    for (const limit of [10, 20]) expect(readPaging({ limit }, bounded)).toMatchObject({ limit });
    for (const limit of [9, 21]) expect(() => readPaging({ limit }, bounded)).toThrow("from 10 to 20");
  });

  it.each<[values: Record<string, unknown>, field: string, message: string]>([
    [{ limit: 501 }, "limit", "limit: expected a whole number from 0 to 500, found 501"],
    [{ limit: -1 }, "limit", "limit: expected a whole number from 0 to 500, found -1"],
    [{ limit: 2.5 }, "limit", "limit: expected a whole number from 0 to 500, found 2.5"],
    [{ limit: "many" }, "limit", 'limit: expected a whole number from 0 to 500, found "many"'],
    [{ limit: Number.NaN }, "limit", "limit: expected a whole number from 0 to 500, found NaN"],
    [{ offset: 10_001 }, "offset", "offset: expected a whole number from 0 to 10000, found 10001"],
    [{ offset: -0.5 }, "offset", "offset: expected a whole number from 0 to 10000, found -0.5"],
    [{ withTotal: "yes" }, "withTotal", 'withTotal: expected true or false, found "yes"'],
  ])("rejects %j", (values, field, message) => {
    expect(() => readPaging(values, parameters)).toThrow(ServiceError);
    expect(() => readPaging(values, parameters)).toThrow(
      expect.objectContaining({ details: [{ code: "InvalidField", field, message }] }),
    );
  });
});
