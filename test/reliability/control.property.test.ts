import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { ControlOperation } from "../../src/control/operation.ts";
import { controlOperations } from "../../src/control/operations.ts";
import { json as anyJson, inheritedNames, text } from "../setup/arbitraries.ts";
import { effort } from "../setup/memory.ts";
import { useMock } from "../setup/mock.ts";

const mock = useMock("in process");

afterAll(() => {
  expect(Object.keys(Object.prototype)).toEqual([]);
});

/** Streams end when their client does, and waits when their time is over: neither has an answer to look at here. */
const answering = controlOperations.filter(({ id }) => !/^stream|^waitFor/.test(id));

const project = "fuzzed";
const encode = (value: string) => encodeURIComponent(value.toWellFormed()) || "x";

/** What each operation nearly takes: members of its schema's names with any values, and any JSON at all. */
function bodyFor({ body }: ControlOperation): fc.Arbitrary<string | undefined> {
  if (!body) return fc.constant(undefined);
  const names = [...Object.keys(body.schema?.properties ?? {}), ...commonNames, ...inheritedNames];
  const nearly = fc.dictionary(fc.constantFrom(...names), fc.oneof(anyJson, fc.constantFrom(...commonValues)), {
    maxKeys: 5,
  });
  const value = fc.oneof(
    { weight: 4, arbitrary: nearly },
    { weight: 1, arbitrary: fc.array(nearly) },
    { weight: 1, arbitrary: anyJson },
  );
  return fc.oneof(
    { weight: 6, arbitrary: value.map((each) => JSON.stringify(each)) },
    { weight: 1, arbitrary: text.map((each) => each.toWellFormed()) },
  );
}

const commonNames =
  "generate seed from resources name now advance frozen match count order operation when respond fault latency sequence rules times state states params action scopes".split(
    " ",
  );
const commonValues = [
  3,
  -1,
  "updateResource",
  "*",
  "conflict",
  "2030-01-01T00:00:00.000Z",
  { status: 409 },
  { fixed: 0 },
  { operation: "*" },
  { path: { id: { matches: "(a+)+$" } } },
  [{ action: "setup" }],
];

function pathFor(template: string, values: readonly string[]): string {
  let index = 0;
  return template
    .replace("{projectKey}", project)
    .replace(/\{\w+\}/g, () => encode(values[index++ % values.length] ?? ""));
}

describe("whatever is sent to the control API", () => {
  test.each(answering.map((operation) => [operation.id, operation]))(
    "%s answers without a defect",
    async (_id, operation) => {
      const queryNames = [...operation.parameters.filter((each) => each.in === "query").map(({ name }) => name), "x"];
      const query = fc.array(
        fc.tuple(fc.constantFrom(...queryNames), fc.oneof(text, fc.constantFrom("1", "-1", "1e9", "true"))),
        { maxLength: 3 },
      );
      const values = fc.array(fc.oneof(text, fc.constantFrom("conflict", "r-1", "..", "../..", ...inheritedNames)), {
        minLength: 1,
        maxLength: 2,
      });
      const type = fc.constantFrom(
        "application/json",
        "application/json",
        "application/json",
        "text/plain",
        "application/x-www-form-urlencoded",
      );
      await fc.assert(
        fc.asyncProperty(values, query, bodyFor(operation), type, async (inPath, pairs, body, contentType) => {
          const search = pairs.map((pair) => pair.map(encode).join("=")).join("&");
          const answer = await mock.fetch(`${pathFor(operation.path, inPath)}?${search}`, {
            method: operation.method,
            ...(body !== undefined && { body, headers: { "Content-Type": contentType } }),
          });
          const told = await answer.text();
          expect([answer.status, told]).toEqual([expect.toSatisfy((status) => status < 500), told]);
          if (answer.status >= 400 && answer.status !== 422) {
            expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
            expect(told.length).toBeLessThan(20_000);
            expect(told).not.toMatch(/node:|\.ts:|\/src\/|node_modules/);
          }
        }),
        { numRuns: 60 * effort },
      );
    },
  );
});

describe("paths that try to leave their folder", () => {
  const outside = [
    "../package.json",
    "..%2fpackage.json",
    "%2e%2e/package.json",
    "%2e%2e%2fpackage.json",
    "..%5cpackage.json",
    "..%252fpackage.json",
    "/etc/passwd",
    "%00",
  ];

  test.each(outside)("a scenario called %s is none", async (name) => {
    const answer = await mock.fetch(`/__admin/projects/${project}/scenarios/${name}`, { method: "PUT" });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });

  test.each(outside)("an example called %s is none", async (name) => {
    const answer = await mock.resource(project, "", { headers: { Prefer: `example="${name}"` } });
    expect(answer.status).toBe(400);
    expect(await answer.text()).not.toMatch(/"dependencies"|root:/);
  });

  test.each(outside)("a page called %s is none", async (name) => {
    const answer = await mock.fetch(`/__admin/ui/${name}`);
    expect(answer.status).toBe(404);
  });
});
