import fc from "fast-check";
import { expect, test } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { linesOf } from "../../src/homes/archive/lines.ts";
import { readFiles } from "../../src/library/mock.ts";
import type { ProjectValue } from "../../src/project/value.ts";
import { ActiveRules } from "../../src/rules/active-rules.ts";
import { exchangeWith } from "../journal/exchanges.ts";
import { runs } from "../setup/runs.ts";

const files = await readFiles();

/** Returns everything in a value, as JSON. */
const textOf = (value: ProjectValue) => JSON.stringify([...linesOf(value, { activeForAll: ActiveRules.none })]);

const request = fc.record({
  operationId: fc.constantFrom("queryResources", "createResource", undefined),
  status: fc.constantFrom(0, 200, 409),
  actions: fc.constantFrom([], ["changeSomeProperty"]),
  violations: fc.constantFrom([], [{ code: "InvalidField", message: "invalid", field: "/a" }]),
});
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ request }) },
  fc.record({ body: fc.nat(9) }),
  fc.record({ journalSize: fc.nat(5) }),
  fc.record({ call: fc.constantFrom("random", "stubbedId", "newRequestId", "clearJournal") }),
);

test("a shared value of a project never changes: each change of the project creates another value", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 40 }), (steps) => {
      const { projects } = createEngine({ ...files, now: () => 0 });
      const project = projects.get("p");
      const taken: { value: ProjectValue; text: string }[] = [];
      for (const [each, isTaken] of steps) {
        if ("request" in each) project.record(exchangeWith(each.request as object));
        else if ("body" in each)
          project.change((draft) => draft.setSingleton("Value", each.body, "2025-01-01T00:00:00.000Z"));
        else if ("journalSize" in each) project.settings = { ...project.settings, journalSize: each.journalSize };
        else project[each.call as "random"]();
        if (isTaken) taken.push({ value: project.share(), text: textOf(project.value) });
      }
      for (const { value, text } of taken) expect(textOf(value)).toBe(text);
    }),
    runs(100, 500),
  );
});
