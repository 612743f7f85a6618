// @module-tag slow
import { describe, expect, test } from "vitest";
import { inProject } from "../setup/control.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { type Answer, type Deviate, startDeviating } from "./deviations/service.ts";
import { compareAt } from "./upstreams.ts";

const mock = useMock("over a socket", { checkResponses: false });

/** Compares a service that deviates from the mock. Returns its results, and the number of resources that it left. */
async function compareDeviating(deviate: Deviate, ...only: string[]) {
  const project = newProject();
  const total = async () => (await inProject<{ total: number }>(mock, project, "GET", "/resources")).body.total;
  const before = await total();
  await using service = await startDeviating(mock.url ?? "", deviate);
  const { results, leftOver } = await compareAt(service.url, { project, only: only.length > 0 ? only : undefined });
  const deviations = results.filter(({ outcome }) => outcome === "fail" || outcome === "differs");
  return { results, leftOver, left: (await total()) - before, deviations };
}

function named(deviations: Awaited<ReturnType<typeof compareDeviating>>["deviations"]): string[] {
  return deviations.map(({ name, outcome }) => `${outcome} ${name}`);
}

function renamed(from: string, to: string): (answer: Answer) => Answer {
  return (answer) => {
    const { [from]: value, ...headers } = answer.headers;
    return value === undefined ? answer : { ...answer, headers: { ...headers, [to]: value } };
  };
}

describe("a service that returns no id for a new resource", () => {
  const hidesIds: Deviate = async (_call, next) => renamed("location", "x-location")(await next());

  test("gets one resource, which the run lists once", async () => {
    const { results, leftOver, left, deviations } = await compareDeviating(hidesIds);
    expect(named(deviations)).toEqual(["differs createResource: Location is the path of the new resource"]);
    expect(left).toBe(1);
    expect(leftOver).toEqual([expect.stringMatching(/^resource-mock-compare-\w+-\d+: the service returned no id$/)]);
    const skipped = results.filter(({ why }) => /^createResource showed no id/.test(why));
    expect(skipped.length).toBeGreaterThan(50);
    expect(new Set(skipped.map(({ why }) => why)).size).toBe(1);
  });

  test("is still judged by the response that it gave, and by the requests that it rejects", async () => {
    const { results } = await compareDeviating(hidesIds, "createResource");
    const passed = results.filter(({ outcome }) => outcome === "pass").map(({ name }) => name);
    expect(passed).toContain("createResource: the status of success is 201");
    expect(passed).toContain("createResource: returns the content that was sent");
    expect(passed).toContain("createResource: malformed JSON is 400");
  });

  test("gets no more invalid drafts after it accepts an invalid draft", async () => {
    const accepted: Answer = {
      status: 201,
      headers: { "content-type": "application/json" },
      body: Buffer.from('{"version":1,"objectTypeProperty":{}}'),
    };
    let count = 0;
    const { leftOver, deviations } = await compareDeviating(async (call, next) => {
      const answer = await next();
      if (call.operation !== "createResource" || answer.status !== 400) return answer;
      count++;
      return accepted;
    }, "createResource");
    // As many checks run at a time as there are jobs.
    expect(count).toBeLessThanOrEqual(4);
    expect(leftOver).toHaveLength(count);
    expect(deviations).toHaveLength(count);
  });
});
