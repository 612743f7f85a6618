import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_KEPT_BODY } from "../../src/contract/limits.ts";
import { createFeed } from "../../src/journal/feed.ts";
import { emptyJournal, FairBudget, type Journal, withExchange } from "../../src/journal/journal.ts";
import { sizeOf, withinBounds } from "../../src/journal/kept-bounds.ts";
import { journalBytes } from "../../src/project/account.ts";
import { Projects } from "../../src/project/projects.ts";
import { Clock } from "../../src/project/value.ts";
import { ActiveRules } from "../../src/rules/active-rules.ts";
import { defaultSettings } from "../../src/state/settings-schema.ts";
import { StateBudget } from "../../src/state/state-budget.ts";
import { emptyState } from "../../src/state/state-value.ts";
import { runs } from "../setup/runs.ts";
import { exchangeWith } from "./exchanges.ts";

const ids = (journal: Journal) => journal.list().map(({ id }) => id);
const sizes = (journal: Journal) => journal.list().map(sizeOf);
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

describe("a journal", () => {
  test("keeps the allowed number of exchanges and the sum of their sizes, after any sequence of calls", () => {
    const step = fc.oneof(
      fc.record({ add: fc.nat(2000) }),
      fc.record({ resize: fc.nat(8) }),
      fc.record({ shrink: fc.nat(8000) }),
      fc.record({ clear: fc.constant(true) }),
    );
    fc.assert(
      fc.property(fc.nat(8), fc.array(step, { maxLength: 60 }), (size, steps) => {
        let journal = emptyJournal;
        let [added, kept]: [number, string[]] = [0, []];
        for (const each of steps) {
          const [before, keptBefore] = [journal, kept];
          if ("add" in each) {
            const responseBody = "x".repeat(each.add);
            journal = withExchange(journal, exchangeWith({ id: `${++added}`, responseBody }), size);
            kept = [`${added}`, ...kept].slice(0, size);
          } else if ("resize" in each) {
            size = each.resize;
            journal = journal.resized(size);
            kept = kept.slice(0, size);
          } else if ("shrink" in each) {
            const bytes = sizes(journal);
            journal = journal.shrunk(each.shrink);
            kept = kept.filter((_, index) => sumOf(bytes.slice(0, index + 1)) <= each.shrink);
          } else {
            journal = journal.cleared();
            // A cleared journal skips a number.
            added++;
            kept = [];
            expect([journal.start, journal.forgotten]).toEqual([added, 0]);
          }
          expect([ids(journal), journal.numbers().reverse().map(String)]).toEqual([kept, kept]);
          expect([journal.bytes, journal.last]).toEqual([sumOf(sizes(journal)), added]);
          expect(ids(before)).toEqual(keptBefore);
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
  ])("a body of more than 64 KiB in %s is cut and copied", (_what, requestBody) => {
    const { requestBody: body, cut } = withinBounds(exchangeWith({ requestBody }));
    const kept = body as Uint8Array;
    expect([kept.length, kept[MAX_KEPT_BODY - 1], kept.buffer.byteLength]).toEqual([MAX_KEPT_BODY, 7, MAX_KEPT_BODY]);
    expect(cut).toEqual({ request: 10 * MAX_KEPT_BODY });
  });

  test.each(["a", "ü", "€", "😀"])("a body of more than 64 KiB is cut between two characters: %s", (character) => {
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

describe("the memory that the journals and histories of all projects share", () => {
  const AT = "2025-01-01T00:00:00.000Z";
  const one = exchangeWith({ responseBody: "x".repeat(400) });
  const size = sizeOf(one);

  function projectsWithin(limit: number) {
    const journals = new FairBudget(limit);
    const budget = new StateBudget();
    const server = { now: () => 0, activeForAll: { activeRules: ActiveRules.none }, journals, budget };
    const [clock, settings] = [new Clock(() => 0), defaultSettings];
    const projects = new Projects({
      initial: (projectKey) => ({ origin: { seed: "0", projectKey }, settings, state: emptyState, clock }),
      server: { ...server, feed: createFeed({ firstId: 0 }), onChange() {}, onRecorded() {} },
    });
    return { projects, journals, budget };
  }

  test("is limited: the largest project drops its oldest exchanges and changes first", () => {
    const { projects, journals } = projectsWithin(40 * size);
    const [small, large] = [projects.get("small"), projects.get("large")];
    for (let number = 0; number < 5; number++) small.record({ ...one, id: `small-${number}` });
    for (let number = 0; number < 500; number++) {
      large.record({ ...one, id: `large-${number}` });
      expect(journals.bytes).toBeLessThanOrEqual(40 * size);
      expect(sumOf([small, large].map(({ value }) => journalBytes(value)))).toBe(journals.bytes);
    }
    expect(small.journal.length).toBe(5);
    expect(large.journal.length).toBeGreaterThanOrEqual(30);
    expect(ids(large.journal)[0]).toBe("large-499");
    expect(large.journal.forgotten).toBe(500 - large.journal.length);
    for (let number = 0; number < 500; number++) {
      large.change((draft) => draft.setSingleton("Value", `${number}${"x".repeat(400)}`, AT));
      expect(journals.bytes).toBeLessThanOrEqual(40 * size);
    }
    expect([small.journal.length, large.history.last]).toEqual([5, 500]);
    expect(large.history.bytes).toBeGreaterThan(10 * size);
    expect(large.journal.bytes).toBeGreaterThan(10 * size);
    expect(ids(large.journal)[0]).toBe("large-499");
  });

  test("is the sum of the projects, as is the size of the state, after any sequence of calls", () => {
    const key = fc.constantFrom("a", "b", "c");
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ key, record: fc.nat(2000) }) },
      { weight: 2, arbitrary: fc.record({ key, write: fc.nat(2000) }) },
      fc.record({ key, journalSize: fc.nat(8) }),
      fc.record({ key, call: fc.constantFrom("clear", "reset", "close", "copy") }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const { projects, journals, budget } = projectsWithin(10_000);
        for (const each of steps) {
          const project = projects.get(each.key);
          if ("record" in each) project.record(exchangeWith({ responseBody: "x".repeat(each.record) }));
          else if ("write" in each) project.change((draft) => draft.setSingleton("Value", "x".repeat(each.write), AT));
          else if ("journalSize" in each) project.settings = { ...project.settings, journalSize: each.journalSize };
          else if (each.call === "clear") project.clearJournal();
          else if (each.call === "copy") projects.replace("a", project.share());
          else projects[each.call as "reset" | "close"](each.key);
          // Requests in progress still change a project that has ended.
          if (project.hasEnded) project.record(one);
          const all = [...projects.all()];
          expect(journals.bytes).toBe(sumOf(all.map(({ value }) => journalBytes(value))));
          expect(journals.bytes).toBeLessThanOrEqual(10_000);
          expect(budget.bytes).toBe(sumOf(all.map(({ size }) => size)));
        }
      }),
      runs(50, 100),
    );
  });
});
