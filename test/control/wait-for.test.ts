import { expect, test } from "vitest";
import { type Awaited, type WaitUntil, waitFor } from "../../src/control/wait-for.ts";
import { FairBudget } from "../../src/journal/budget.ts";
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
const start = (journal: Journal, awaited: Awaited, until: WaitUntil) => waitFor(journal, awaited, until, new Effort());
const turn = () => new Promise(setImmediate);

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
