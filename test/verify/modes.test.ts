import { describe, expect, test } from "vitest";
import { newProject, useMock } from "../setup/mock.ts";
import { configure } from "../setup/resources.ts";
import { startDeviating } from "./deviations/service.ts";
import { verifyAt } from "./upstreams.ts";

/** Returns the checks that report a deviation, with what they saw. */
function reported({ results }: Awaited<ReturnType<typeof verifyAt>>): string[] {
  return results
    .filter(({ outcome }) => outcome === "fail" || outcome === "differs")
    .map(({ name, seen }) => `${name} (${seen})`);
}

describe("a mock with another seed", () => {
  const mock = useMock("over a socket", { seed: 7 });

  test.each([
    ["no settings", {}],
    ["unknownIds: not-found", { unknownIds: "not-found" }],
    ["collection: paged", { collection: "paged" }],
    ["latency", { latency: { uniform: [0, 10] } }],
  ] as const)("passes with %s, also twice in one project", async (_name, settings) => {
    const project = newProject();
    await configure(mock, project, settings as Parameters<typeof configure>[2]);
    expect(reported(await verifyAt(mock.url, { project }))).toEqual([]);
    const again = await verifyAt(mock.url, { project });
    expect(reported(again)).toEqual([]);
    expect(again.leftOver).toEqual([]);
  });
});

describe("a mock with strict auth", () => {
  const mock = useMock("over a socket", { settings: { auth: "strict" } });

  test.each(["demo~t1", "a.b-c_d", "p@q", "100%", "a/b"])("passes in the project %s", async (project) => {
    const tokenUrl = new URL(`${mock.url}/oauth/token`);
    const result = await verifyAt(mock.url, { project, credentials: { client: { id: "c", secret: "s" }, tokenUrl } });
    expect(reported(result)).toEqual([]);
    expect(result.report.summary.skipped).toBe(0);
  });
});

describe("a mock with unknownIds: not-found", () => {
  const mock = useMock("over a socket", { settings: { unknownIds: "not-found" } });

  test("one check reports that Location names no resource", async () => {
    await using service = await startDeviating(mock.url ?? "", async (_call, next) => {
      const answer = await next();
      const { location, ...headers } = answer.headers;
      return location === undefined ? answer : { ...answer, headers: { ...headers, location: `${location}-other` } };
    });
    const names = reported(await verifyAt(service.url, { project: newProject() }));
    expect(names).toEqual([expect.stringMatching(/^createResource: Location names the new resource /)]);
  });

  test("one check reports a missing Location", async () => {
    await using service = await startDeviating(mock.url ?? "", async (_call, next) => {
      const answer = await next();
      const { location: _location, ...headers } = answer.headers;
      return { ...answer, headers };
    });
    const names = reported(await verifyAt(service.url, { project: newProject() }));
    expect(names).toEqual([expect.stringMatching(/^createResource: Location is the path of the new resource /)]);
  });
});

describe("a mock with off-contract responses", () => {
  const mock = useMock("over a socket");

  test.each(["bad-gateway", "maintenance", "login-page"])("the scenario %s does not pass", async (scenario) => {
    const project = newProject();
    await mock.fetch(`/__admin/projects/${project}/scenarios/${scenario}`, { method: "PUT" });
    const names = reported(await verifyAt(mock.url, { project }));
    expect(names).toContainEqual(expect.stringMatching(/^every operation: every body is JSON /));
  });
});
