import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FairBudget, levelOf } from "../../src/journal/budget.ts";
import { type Exchange, MAX_KEPT_BODY, sizeOf, withinBounds } from "../../src/journal/exchange.ts";
import { Journal, type Watcher } from "../../src/journal/journal.ts";
import { runs } from "../setup/runs.ts";
import { exchangeWith } from "./exchanges.ts";

const ids = (journal: { list(): { id: string }[] }) => journal.list().map(({ id }) => id);

describe("a journal", () => {
  test("keeps the last exchanges, newest first, and counts the dropped ones", () => {
    const journal = new Journal(3, new FairBudget());
    for (let number = 1; number <= 10; number++) journal.add(exchangeWith({ id: `${number}` }));
    expect([ids(journal), journal.length, journal.forgotten]).toEqual([["10", "9", "8"], 3, 7]);
    journal.resize(2);
    expect([ids(journal), journal.forgotten]).toEqual([["10", "9"], 8]);
    journal.resize(4);
    for (let number = 11; number <= 13; number++) journal.add(exchangeWith({ id: `${number}` }));
    expect(ids(journal)).toEqual(["13", "12", "11", "10"]);
    journal.clear();
    expect([ids(journal), journal.length, journal.forgotten, journal.bytes]).toEqual([[], 0, 0, 0]);
  });

  test("keeps the allowed number of exchanges and the sum of their sizes, after any sequence of calls", () => {
    const step = fc.oneof(
      fc.record({ add: fc.nat(2000) }),
      fc.record({ resize: fc.nat(8) }),
      fc.record({ clear: fc.constant(true) }),
    );
    fc.assert(
      fc.property(fc.nat(8), fc.array(step, { maxLength: 60 }), (size, steps) => {
        const budget = new FairBudget();
        const journal = new Journal(size, budget);
        let kept: string[] = [];
        for (const [number, each] of steps.entries()) {
          if ("add" in each) {
            journal.add(exchangeWith({ id: `${number}`, responseBody: "x".repeat(each.add) }));
            kept.unshift(`${number}`);
          } else if ("resize" in each) {
            size = each.resize;
            journal.resize(size);
          } else {
            journal.clear();
            kept = [];
          }
          kept = kept.slice(0, size);
          expect(ids(journal)).toEqual(kept);
          const bytes = journal.list().reduce((sum, exchange) => sum + sizeOf(exchange), 0);
          expect([journal.bytes, budget.bytes]).toEqual([bytes, bytes]);
        }
      }),
      runs(50, 100),
    );
  });

  test("passes each new exchange to its watchers until they leave or the journal ends", async () => {
    const budget = new FairBudget();
    const journal = new Journal(1, budget);
    const seen: string[] = [];
    const watcher = (name: string): Watcher => ({
      size: 10,
      async receive({ request }, number) {
        seen.push(`${name} ${(request as Exchange).id} at ${number}`);
      },
    });
    const leave = journal.watch(watcher("one"));
    journal.watch(watcher("other"));
    expect(journal.watchedSize).toBe(20);
    journal.add(exchangeWith({ id: "1" }));
    await new Promise(setImmediate);
    leave();
    journal.add(exchangeWith({ id: "2" }));
    await new Promise(setImmediate);
    journal.end();
    journal.add(exchangeWith({ id: "3" }));
    await new Promise(setImmediate);
    expect(seen).toEqual(["one 1 at 0", "other 1 at 0", "other 2 at 1"]);
    expect([journal.length, journal.watchers, budget.bytes]).toEqual([0, 0, 0]);
  });

  test("finds exchanges by their numbers after older exchanges were dropped", () => {
    const journal = new Journal(3, new FairBudget());
    for (let number = 0; number < 10; number++) journal.add(exchangeWith({ id: `${number}` }));
    expect([6, 7, 9, 10].map((number) => journal.at(number)?.id)).toEqual([undefined, "7", "9", undefined]);
    journal.clear();
    journal.add(exchangeWith({ id: "after" }));
    expect([journal.at(9), journal.at(10)?.id, journal.next]).toEqual([undefined, "after", 11]);
  });
});

describe("a body", () => {
  test("of up to 64 KiB is kept unchanged", () => {
    const exchange = exchangeWith({
      requestBody: new Uint8Array(MAX_KEPT_BODY),
      responseBody: "ü".repeat(MAX_KEPT_BODY / 2),
    });
    expect(withinBounds(exchange)).toBe(exchange);
  });

  test.each([
    ["a Uint8Array", new Uint8Array(10 * MAX_KEPT_BODY).fill(7)],
    ["a Buffer, as from a socket", Buffer.alloc(10 * MAX_KEPT_BODY, 7)],
  ])("of more than 64 KiB in %s is cut and copied", (_what, requestBody) => {
    const { requestBody: kept, cut } = withinBounds(exchangeWith({ requestBody }));
    expect([kept?.length, kept?.[MAX_KEPT_BODY - 1], kept?.buffer.byteLength]).toEqual([
      MAX_KEPT_BODY,
      7,
      MAX_KEPT_BODY,
    ]);
    expect(cut).toEqual({ request: 10 * MAX_KEPT_BODY });
  });

  test.each(["a", "ü", "€", "😀"])("of more than 64 KiB is cut between two characters: %s", (character) => {
    const responseBody = `x${character.repeat(MAX_KEPT_BODY)}`;
    const { responseBody: start, cut } = withinBounds(exchangeWith({ responseBody }));
    const kept = String(start);
    expect(responseBody.startsWith(kept)).toBe(true);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(MAX_KEPT_BODY);
    expect(Buffer.byteLength(kept)).toBeGreaterThan(MAX_KEPT_BODY - 4);
    expect(kept).not.toContain("\ufffd");
    expect(cut).toEqual({ response: Buffer.byteLength(responseBody) });
  });
});

describe("the memory that journals share", () => {
  const one = exchangeWith({ responseBody: "x".repeat(400) });
  const size = sizeOf(one);

  test("is limited: the largest journal drops its oldest exchanges first", () => {
    const budget = new FairBudget(40 * size);
    const [small, large] = [new Journal(1000, budget), new Journal(1000, budget)];
    for (let number = 0; number < 5; number++) small.add(exchangeWith({ ...one, id: `small-${number}` }));
    for (let number = 0; number < 500; number++) {
      large.add(exchangeWith({ ...one, id: `large-${number}` }));
      expect(budget.bytes).toBeLessThanOrEqual(40 * size);
      expect(small.bytes + large.bytes).toBe(budget.bytes);
    }
    expect(small.length).toBe(5);
    expect(large.length).toBeGreaterThanOrEqual(30);
    expect(ids(large)[0]).toBe("large-499");
    expect(large.forgotten).toBe(500 - large.length);
  });

  test("is shared evenly by journals that need more than the limit", () => {
    const budget = new FairBudget(60 * size);
    const journals = Array.from({ length: 6 }, () => new Journal(1000, budget));
    for (let number = 0; number < 100; number++) for (const journal of journals) journal.add(one);
    const lengths = journals.map(({ length }) => length);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(2);
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(8);
  });

  test("stays in use by most journals when each has one exchange", () => {
    const budget = new FairBudget(80 * size);
    const journals = Array.from({ length: 100 }, () => new Journal(1000, budget));
    for (const journal of journals) journal.add(one);
    const kept = journals.reduce((sum, { length }) => sum + length, 0);
    expect(kept).toBeGreaterThanOrEqual(70);
    expect(budget.bytes).toBeLessThanOrEqual(80 * size);
  });

  test("is free again after journals end", () => {
    const budget = new FairBudget();
    const journals = Array.from({ length: 10 }, () => new Journal(10, budget));
    for (const journal of journals) journal.add(one);
    for (const journal of journals.slice(1)) journal.end();
    expect(budget.bytes).toBe(size);
  });

  test("is freed exactly by shrinking the largest journals to the level", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(sizes, fc.nat(200), (unsorted, wanted) => {
        const descending = unsorted.toSorted((a, b) => b - a);
        const excess = Math.min(
          wanted,
          descending.reduce((sum, each) => sum + each, 0),
        );
        const level = levelOf(descending, excess);
        const freed = descending.reduce((sum, each) => sum + Math.max(0, each - level), 0);
        expect(freed).toBeCloseTo(excess);
      }),
      runs(100),
    );
  });
});
