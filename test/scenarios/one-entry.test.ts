// @module-tag isolated
import { expect, test, vi } from "vitest";
import type { RequestEntry } from "../../src/control/client/types.ts";
import { factsOf } from "../../src/rules/effects/effect-table.ts";
import { addRule } from "../setup/activation.ts";
import { inProject } from "../setup/control.ts";
import { newProject, useMock } from "../setup/mock.ts";

// An effect that the product does not have: its entry in the table of effects, and nothing else.
vi.mock("../../src/rules/effects/rule-effects.ts", async (original) => {
  const { effects } = await original<typeof import("../../src/rules/effects/rule-effects.ts")>();
  const { effect } = await import("../../src/rules/effects/effect.ts");
  const teapot = effect({
    schema: { type: "integer", minimum: 1, description: "Adds a header with this number of cups." },
    facts: { cups: { type: "integer" } },
    notes: (cups) => ({ cups }),
    reads: ({ cups }) => `poured ${cups} cups of tea`,
    deliver: (response, cups) => ({ ...response, headers: { ...response.headers, "X-Cups": String(cups) } }),
  });
  const drawing = effect({
    schema: { const: true, description: "Turns the response into a drawing." },
    reads: () => "drew the response",
    change: async (response) => ({ ...response, headers: { ...response.headers, "content-type": "text/x" } }),
  });
  return { effects: { ...effects, teapot, drawing } };
});

const mock = useMock("in process");

test("an effect with one entry is accepted in rules, takes place, and is in the journal with its words", async () => {
  const project = newProject();
  await addRule(mock, project, { operation: "queryResources", teapot: 2 } as object);
  const response = await mock.resource(project);
  expect([response.status, response.headers.get("X-Cups")]).toEqual([200, "2"]);
  const { body } = await inProject<{ requests: object[] }>(mock, project, "GET", "/requests");
  expect(body.requests[0]).toMatchObject({
    decisions: expect.arrayContaining(["rule r-1 poured 2 cups of tea"]),
    facts: expect.arrayContaining([{ kind: "effect", source: "rule:r-1", effect: "teapot", cups: 2 }]),
    effects: [{ source: "rule:r-1", effect: "teapot", cups: 2, text: "poured 2 cups of tea" }],
  });
  const invalid = await inProject(mock, project, "POST", "/rules", { teapot: 0 });
  expect([invalid.status, invalid.body]).toEqual([
    400,
    expect.objectContaining({ errors: [expect.objectContaining({ pointer: "/teapot" })] }),
  ]);
});

test("a header that an effect sets replaces that of the response, without regard to case", async () => {
  const project = newProject();
  await addRule(mock, project, { operation: "queryResources", drawing: true } as object);
  const response = await mock.resource(project);
  expect(response.headers.get("Content-Type")).toBe("text/x");
  const { body } = await inProject<{ requests: RequestEntry[] }>(mock, project, "GET", "/requests");
  const { headers = {} } = body.requests[0]?.response ?? {};
  expect(Object.keys(headers).filter((name) => /^content-type$/i.test(name))).toEqual(["content-type"]);
});

test("two effects with different facts of one name are refused where the table is built", () => {
  const cups = { facts: { cups: { type: "integer" } } } as const;
  const other = { facts: { cups: { type: "string" } } } as const;
  expect(factsOf({ teapot: cups, samovar: cups })).toEqual(cups.facts);
  const message = (name: string) => `the effect samovar: expected another name for the fact "${name}"`;
  expect(() => factsOf({ teapot: cups, drawing: {}, samovar: other })).toThrow(message("cups"));
  expect(() => factsOf({ samovar: { facts: { source: { type: "string" } } } })).toThrow(message("source"));
});
