import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FairBudget } from "../../src/journal/budget.ts";
import { MAX_KEPT_BODY, sizeOf, withinBounds } from "../../src/journal/exchange.ts";
import { Journal } from "../../src/journal/journal.ts";
import { runs } from "../setup/runs.ts";
import { exchangeWith } from "./exchanges.ts";

const ids = (journal: { list(): { id: string }[] }) => journal.list().map(({ id }) => id);

describe("a journal", () => {
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
});

describe("a body", () => {
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
});
