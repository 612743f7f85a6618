import { expect, test } from "vitest";
import { waitFor } from "../../src/control/wait-for.ts";
import { JournalBudget } from "../../src/journal/budget.ts";
import type { Exchange } from "../../src/journal/exchange.ts";
import { Journal } from "../../src/journal/journal.ts";
import { exchangeWith } from "../journal/exchanges.ts";

const journalOf = (...ids: string[]) => {
  const journal = new Journal(1000, new JournalBudget());
  for (const id of ids) journal.add(exchangeWith({ id }));
  return journal;
};
const idsOf = (exchanges: readonly Exchange[]) => exchanges.map(({ id }) => id);
const forever = { timeout: 1_000_000, signals: [] };

test("past ones count, and those that fit only", async () => {
  const journal = journalOf("a", "b", "a");
  const { exchanges, complete } = await waitFor(journal, ({ id }) => id === "a", { count: 2, ...forever });
  expect([idsOf(exchanges), complete, journal.watchers]).toEqual([["a", "a"], true, 0]);
});

test("the answer is there with the exchange that completes it", async () => {
  const journal = journalOf("1");
  const arrivals = waitFor(journal, () => true, { count: 3, ...forever });
  journal.add(exchangeWith({ id: "2" }));
  expect(journal.watchers).toBe(1);
  journal.add(exchangeWith({ id: "3" }));
  expect(journal.watchers).toBe(0);
  journal.add(exchangeWith({ id: "4" }));
  expect(idsOf((await arrivals).exchanges)).toEqual(["3", "2", "1"]);
});

test("ten thousand wait for what one of them is told", async () => {
  const journal = journalOf();
  const waits = Array.from({ length: 10_000 }, (_, number) =>
    waitFor(journal, ({ id }) => id === `${number % 2}`, { count: 1, ...forever }),
  );
  expect(journal.watchers).toBe(10_000);
  journal.add(exchangeWith({ id: "0" }));
  expect(journal.watchers).toBe(5000);
  journal.add(exchangeWith({ id: "1" }));
  expect(journal.watchers).toBe(0);
  expect((await Promise.all(waits)).every(({ complete }) => complete)).toBe(true);
});

test.each([0, 1])("it is over when signal %i aborts, and leaves nothing behind", async (which) => {
  const journal = journalOf("1");
  const aborts = [new AbortController(), new AbortController()];
  const signals = aborts.map(({ signal }) => signal);
  const arrivals = waitFor(journal, () => true, { count: 2, timeout: 1_000_000, signals });
  aborts[which]?.abort();
  expect(await arrivals).toMatchObject({ complete: false, exchanges: [{ id: "1" }] });
  expect(journal.watchers).toBe(0);
  const late = await waitFor(journal, () => true, { count: 2, timeout: 1_000_000, signals });
  expect(late.complete).toBe(false);
});
