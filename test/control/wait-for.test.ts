import { expect, test } from "vitest";
import { type Awaited, type WaitUntil, waitFor } from "../../src/control/wait-for.ts";
import { FairBudget } from "../../src/journal/budget.ts";
import { sizeOf } from "../../src/journal/exchange.ts";
import { Journal } from "../../src/journal/journal.ts";
import { Effort } from "../../src/matching/effort.ts";
import type { View } from "../../src/matching/matchable.ts";
import { exchangeWith } from "../journal/exchanges.ts";

const journalOf = (...ids: string[]) => {
  const journal = new Journal(1000, new FairBudget());
  for (const id of ids) journal.add(exchangeWith({ id }));
  return journal;
};
const idsOf = (journal: Journal, numbers: readonly number[]) => numbers.map((number) => journal.at(number)?.id);
const forever = { timeout: 1_000_000, signals: [] };
const idIn = ({ request }: View) => (request as { id?: string }).id;
const fitting = (id?: string): Awaited => ({
  size: 0,
  fits: async (view) => id === undefined || idIn(view) === id,
});
const start = (journal: Journal, awaited: Awaited, until: WaitUntil) => waitFor(journal, awaited, until, new Effort());
const turn = () => new Promise(setImmediate);

test("counts past requests that match", async () => {
  const journal = journalOf("a", "b", "a");
  const { numbers, complete } = await start(journal, fitting("a"), { count: 2, ...forever });
  expect([idsOf(journal, numbers), complete, journal.watchers]).toEqual([["a", "a"], true, 0]);
});

test("ends when the last expected exchange arrives", async () => {
  const journal = journalOf("1");
  const arrivals = start(journal, fitting(), { count: 3, ...forever });
  journal.add(exchangeWith({ id: "2" }));
  await turn();
  expect(journal.watchers).toBe(1);
  journal.add(exchangeWith({ id: "3" }));
  await turn();
  expect(journal.watchers).toBe(0);
  journal.add(exchangeWith({ id: "4" }));
  expect(idsOf(journal, (await arrivals).numbers)).toEqual(["3", "2", "1"]);
});

test("counts each request once that arrives during the search in past requests", async () => {
  const journal = journalOf("1", "2");
  const seen: unknown[] = [];
  const awaited: Awaited = {
    size: 0,
    async fits(view) {
      seen.push(idIn(view));
      if (seen.length === 1) journal.add(exchangeWith({ id: "3" }));
      await turn();
      return true;
    },
  };
  const { numbers } = await start(journal, awaited, { count: 3, ...forever });
  expect([idsOf(journal, numbers), seen.toSorted()]).toEqual([
    ["3", "2", "1"],
    ["1", "2", "3"],
  ]);
});

test("ends only the matching waits of ten thousand", async () => {
  const journal = journalOf();
  const waits = Array.from({ length: 10_000 }, (_, number) =>
    start(journal, fitting(`${number % 2}`), { count: 1, ...forever }),
  );
  expect(journal.watchers).toBe(10_000);
  journal.add(exchangeWith({ id: "0" }));
  await expect.poll(() => journal.watchers, { interval: 1 }).toBe(5000);
  journal.add(exchangeWith({ id: "1" }));
  expect((await Promise.all(waits)).every(({ complete }) => complete)).toBe(true);
  expect(journal.watchers).toBe(0);
});

test("counts requests that the journal has dropped, and keeps none of them", async () => {
  const journal = new Journal(2, new FairBudget());
  const arrivals = start(journal, fitting(), { count: 5, ...forever });
  for (const id of ["1", "2", "3", "4", "5"]) journal.add(exchangeWith({ id }));
  const { numbers, complete } = await arrivals;
  expect([numbers, complete]).toEqual([[4, 3, 2, 1, 0], true]);
  expect(idsOf(journal, numbers)).toEqual(["5", "4", undefined, undefined, undefined]);
});

test("keeps unread requests within the budget, and counts missed requests", async () => {
  const size = sizeOf(exchangeWith());
  const budget = new FairBudget(10 * size);
  const journal = new Journal(1000, budget);
  const end = new AbortController();
  const started = start(
    journal,
    { size: 0, fits: () => turn().then(() => true) },
    {
      count: 1000,
      timeout: 1_000_000,
      signals: [end.signal],
    },
  );
  for (let number = 0; number < 200; number++) {
    journal.add(exchangeWith());
    expect(budget.bytes).toBeLessThanOrEqual(10 * size);
  }
  expect(journal.missed).toBeGreaterThan(100);
  await expect.poll(() => budget.bytes, { interval: 1 }).toBe(journal.length * size);
  end.abort();
  expect((await started).numbers.length + journal.missed).toBe(200);
});

test.each([0, 1])("ends when signal %i aborts, and stops watching", async (which) => {
  const journal = journalOf("1");
  const aborts = [new AbortController(), new AbortController()];
  const signals = aborts.map(({ signal }) => signal);
  const arrivals = start(journal, fitting(), { count: 2, timeout: 1_000_000, signals });
  aborts[which]?.abort();
  const { numbers, complete } = await arrivals;
  expect([complete, idsOf(journal, numbers)]).toEqual([false, ["1"]]);
  expect(journal.watchers).toBe(0);
  const late = await start(journal, fitting(), { count: 2, timeout: 1_000_000, signals });
  expect(late.complete).toBe(false);
});
