import fc from "fast-check";
import { expect, test } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { readFiles } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import { defaultService } from "../../src/services/index.ts";
import { draft } from "../setup/arbitraries.ts";
import { json } from "../setup/mock.ts";
import { everyOperation } from "../setup/requests.ts";
import { runs } from "../setup/runs.ts";

const files = await readFiles();
const scenario = ["flaky", "jittery"];

/** Creates a mock with a frozen clock. Returns a function that sends requests to it. */
function openMock(seed: number) {
  const now = () => Date.parse("2024-05-17T09:30:00Z");
  const engine = createEngine({ ...files, seed, now, scenario, wait: async () => {} });
  const app = createApp(engine, { version: "0.0.0-test", pages, controls: defaultService.controls });
  return async (path: string, init: RequestInit) => app.fetch(new Request(`http://in.process${path}`, init));
}

interface Call {
  project: string;
  path: string;
  init: RequestInit;
}

const call: fc.Arbitrary<Call> = fc
  .record({
    project: fc.constantFrom("one", "two"),
    request: fc.oneof(
      fc.constantFrom(...everyOperation.map(([, { path, init }]) => ({ path, init }))),
      draft.map((body) => ({ path: "", init: json("POST", body) })),
      fc.constant({ path: "/a", init: { headers: { Prefer: "dynamic=true" } } }),
      fc
        .constantFrom("/key=a", "/b", "/sorted-query-parameters?sort=id", "/nothing/here", "?floatParameter=x")
        .map((path) => ({
          path,
          init: {},
        })),
    ),
  })
  .map(({ project, request }) => ({ project, ...request }));

/** Returns the status, headers and body of each response. */
async function responses(send: ReturnType<typeof openMock>, calls: readonly Call[]): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (const { project, path, init } of calls) {
    // A scenario may break the connection.
    const response = await send(`/${project}/resource${path}`, init).catch(() => undefined);
    if (!response) seen.push("broken");
    else seen.push([response.status, Object.fromEntries(response.headers), await response.text()]);
  }
  return seen;
}

test("the same seed and calls return identical responses, including ids", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(3), fc.array(call, { maxLength: 25 }), async (seed, calls) => {
      const [first, second] = [openMock(seed), openMock(seed)];
      expect(await responses(second, calls)).toEqual(await responses(first, calls));
    }),
    runs(20, 50),
  );
});

test("calls in another project do not change the responses", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 25 }), async (calls) => {
      const alone = calls.filter(({ project }) => project === "one");
      const seenAlone = await responses(openMock(0), alone);
      const seenAmongOthers = await responses(openMock(0), calls);
      expect(seenAmongOthers.filter((_, index) => calls[index]?.project === "one")).toEqual(seenAlone);
    }),
    runs(20, 50),
  );
});
