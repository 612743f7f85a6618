import { expect, test } from "vitest";
import { createResourceMock } from "../../src/index.ts";
import { folderOf } from "../setup/folder.ts";
import { json } from "../setup/mock.ts";
import { draft } from "../setup/resources.ts";

/** All effects that depend on randomness. */
const chancy = {
  description: "Fails randomly, in every way.",
  rules: [
    { operation: "createResource", probability: 0.3, respond: { status: 201 } },
    { probability: 0.2, respond: { status: 500 } },
    { probability: 0.2, fault: "RANDOM_DATA_THEN_CLOSE" },
    { probability: 0.5, latency: { lognormal: { median: 1, sigma: 1 } } },
    { probability: 0.5, latency: { uniform: [0, 3] } },
  ],
};

/** Returns the responses of a mock with this seed to the same requests, in a project with this key. */
async function run(seed: number, project: string): Promise<unknown[]> {
  const scenarios = folderOf({ "chancy.json": chancy });
  await using mock = await createResourceMock({ seed, scenarios, scenario: ["chancy", "flaky"] });
  const seen: unknown[] = [];
  for (let request = 0; request < 40; request++) {
    const isWrite = request % 4 === 0;
    const init = isWrite ? json("POST", draft) : { headers: { Prefer: request % 4 === 1 ? "dynamic=true" : "" } };
    const response = await mock.fetch(`/${project}/resource${isWrite ? "" : "/x"}`, init).catch(() => undefined);
    seen.push(response && [response.status, response.headers.get("Location"), idOf(response), await response.text()]);
  }
  return seen;
}

function idOf(response: Response): string | null {
  return response.headers.get("Mock-Request-Id");
}

test("two mocks with the same seed return the same responses, and other seeds do not", async () => {
  const [first, again, otherSeed, otherProject] = await Promise.all([
    run(7, "demo"),
    run(7, "demo"),
    run(8, "demo"),
    run(7, "other"),
  ]);
  expect(again).toEqual(first);
  expect(new Set(first?.map((response) => JSON.stringify(response))).size).toBeGreaterThan(5);
  expect(otherSeed).not.toEqual(first);
  expect(otherProject).not.toEqual(first);
});
