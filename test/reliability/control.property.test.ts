import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { ControlOperation } from "../../src/control/define-operation.ts";
import { loadOperations } from "../../src/control/subjects.ts";
import { controls } from "../../src/services/generic-resource/control/index.ts";
import { json as anyJson, inheritedNames, text } from "../setup/arbitraries.ts";
import { bodiesOf } from "../setup/control-bodies.ts";
import { expectNoInternals, expectPrototypesUntouched } from "../setup/defects.ts";
import { useMock } from "../setup/mock.ts";
import { mutated, mutatedBytes } from "../setup/mutations.ts";
import { runs } from "../setup/runs.ts";

const controlOperations = await loadOperations(controls);

const mock = useMock("in process");

afterEach(expectPrototypesUntouched);

const project = "fuzzed";
const encode = (value: string) => encodeURIComponent(value.toWellFormed()) || "x";

/**
 * Bodies for an operation: valid ones with randomly changed values or bytes, arrays of them, any JSON, and any text.
 */
function bodyFor(operation: ControlOperation): fc.Arbitrary<string | Uint8Array<ArrayBuffer> | undefined> {
  const bodies = bodiesOf(operation);
  if (bodies.length === 0) return fc.constantFrom(undefined, "{}", "x");
  const nearly = fc.oneof(...bodies.map(mutated)).map((body) => withoutWaiting(operation, body));
  return fc.oneof(
    { weight: 6, arbitrary: nearly },
    { weight: 1, arbitrary: fc.oneof(...bodies.map((body) => mutatedBytes(Buffer.from(JSON.stringify(body))))) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...bodies)).map((each) => JSON.stringify(each)) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        anyJson.map((each) => JSON.stringify(each)),
        text,
      ),
    },
  );
}

/** Returns the body with a timeout of 0, so that the test does not wait. Keeps invalid timeouts. */
function withoutWaiting({ id }: ControlOperation, text: string): string {
  const body = JSON.parse(text);
  if (id !== "waitForMatch" || typeof body !== "object" || body === null) return text;
  const { timeout } = body;
  return timeout === undefined || timeout > 0 ? JSON.stringify({ ...body, timeout: 0 }) : text;
}

function queryFor({ id, parameters }: ControlOperation): fc.Arbitrary<string> {
  const known = parameters.filter((each) => each.in === "query").map(({ name }) => name);
  const value = fc.oneof(
    text,
    fc.constantFrom("0", "1", "-1", "1e9", "true", "4xx", "getCart", "2030-01-01T00:00:00Z"),
  );
  const name = fc.oneof(fc.constantFrom(...known, "x", ...inheritedNames), text);
  const pairs = fc.array(fc.tuple(name, value), { maxLength: 3 });
  return pairs.map((each) => {
    const sent = each.filter(([key]) => key !== "timeout").map((pair) => pair.map(encode).join("="));
    return (id === "waitForRequests" ? ["timeout=0", ...sent] : sent).join("&");
  });
}

function pathFor(template: string, values: readonly string[]): string {
  let index = 0;
  return template
    .replace("{projectKey}", project)
    .replace(/\{\w+\}/g, () => encode(values[index++ % values.length] ?? ""));
}

const inPath = fc.array(
  fc.oneof(text, fc.constantFrom("a", "conflict", "r-1", "..", "../..", "x".repeat(300), ...inheritedNames)),
  { minLength: 1, maxLength: 2 },
);
const contentType = fc.oneof(
  { weight: 6, arbitrary: fc.constant("application/json") },
  { weight: 1, arbitrary: fc.constantFrom("text/plain", "application/x-www-form-urlencoded", ...inheritedNames) },
);

/** Checks that an error response is small, has the format of problem details and contains nothing about the machine. */
async function expectNoDefect(response: Response): Promise<void> {
  if (response.headers.get("Content-Type") === "text/event-stream") {
    expect(response.status).toBe(200);
    return response.body?.cancel();
  }
  const body = await response.text();
  expect([response.status, body]).toEqual([expect.toSatisfy((status) => status < 500), body]);
  if (response.status < 400 || response.status === 422) return;
  expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  expect(body.length).toBeLessThan(20_000);
  expectNoInternals(body);
}

describe("the control API with random requests", () => {
  test.each(controlOperations.map((operation) => [operation.id, operation] as const))(
    "the control operation %s never responds with a defect",
    async (_id, operation) => {
      await mock.engine.resetAll();
      await mock.resource(project);
      await fc.assert(
        fc.asyncProperty(
          inPath,
          queryFor(operation),
          bodyFor(operation),
          contentType,
          async (values, query, body, type) => {
            const { method } = operation;
            const headers: Record<string, string> = body === undefined ? {} : { "Content-Type": type };
            const init: RequestInit = method === "GET" ? {} : { method, body, headers };
            await expectNoDefect(await mock.fetch(`${pathFor(operation.path, values)}?${query}`, init));
          },
        ),
        runs(20, 60),
      );
    },
  );

  test("unknown paths and methods return problem details", async () => {
    const segment = fc.oneof(
      text.map(encode),
      fc.constantFrom("projects", project, "state", "resources", "rules", "requests", "wait", "ui", "reset", "%ff", ""),
      fc.constantFrom(...inheritedNames, "health", "events", "scenarios", "tokens"),
    );
    const method = fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND");
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 6 }), method, async (segments, verb) => {
        const path = `/__admin/${segments.join("/")}`;
        if (path.endsWith("/wait")) return;
        const response = await mock.fetch(path, { method: verb });
        if (verb === "HEAD") expect(response.status).toBeLessThan(500);
        else await expectNoDefect(response);
      }),
      runs(100, 300),
    );
  });
});
