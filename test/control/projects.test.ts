import { expect, test } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { readFiles } from "../../src/library/mock.ts";
import { control as call, expectProblem, inProject } from "../setup/control.ts";
import { newProject, onTransports } from "../setup/mock.ts";
import { configure, update, write } from "../setup/resources.ts";

interface Projects {
  projects: { key: string }[];
  total: number;
}

onTransports("projects", { now: () => Date.parse("2025-06-01T12:00:00Z") }, (mock) => {
  const list = async (query = "") => (await call<Projects>(mock, "GET", `/projects${query}`)).body;
  const keys = async () => (await list("?limit=10000")).projects.map(({ key }) => key);

  /** Changes everything in a project that a reset restores, and returns the project. */
  async function usedProject(project = newProject()): Promise<string> {
    await write(mock, project);
    await inProject(mock, project, "PUT", "/scenarios/conflict", {});
    await inProject(mock, project, "POST", "/rules", { respond: { status: 500 }, operation: "getCart" });
    await inProject(mock, project, "PATCH", "/settings", { unknownIds: "not-found" });
    await inProject(mock, project, "PUT", "/clock", { now: 0, frozen: true });
    return project;
  }

  /** Returns all visible data of a project. */
  async function visibleData(project: string): Promise<unknown[]> {
    const paths = ["", "/state", "/scenarios", "/rules", "/settings", "/clock", "/requests", "/coverage"];
    const replies = await Promise.all(paths.map((path) => inProject(mock, project, "GET", path)));
    // The bytes are those in the memory of a replica.
    if (mock.transport === "over three replicas") delete replies[0]?.body.bytes;
    return replies.map(({ status, body }) => [status, body]);
  }

  test("are listed in the order of their first use, with a summary", async () => {
    const first = await usedProject();
    const second = newProject();
    await mock.resource(second);
    expect((await keys()).slice(-2)).toEqual([first, second]);
    expect(await list(`?limit=1&offset=${(await list()).total - 2}`)).toMatchObject({ projects: [{ key: first }] });
    expect((await inProject(mock, first, "GET", "")).body).toEqual({
      key: first,
      resources: 6,
      bytes: expect.any(Number),
      requests: 1,
      errors: 0,
      unexpected: 0,
      violations: 0,
      failedVerifications: 0,
      lastRequestAt: "2025-06-01T12:00:00.000Z",
      snapshots: 0,
      scenarios: ["conflict"],
      rules: 1,
      clock: { now: "1970-01-01T00:00:00.000Z", frozen: true },
    });
  });

  test("count errors, those without a cause in the mock, broken connections and violations since the last reset", async () => {
    const project = newProject();
    const counts = async () => {
      const { requests, errors, unexpected, violations } = (await inProject(mock, project, "GET", "")).body;
      return [requests, errors, unexpected, violations];
    };
    await inProject(mock, project, "GET", "/settings");
    expect((await inProject(mock, project, "GET", "")).body).not.toHaveProperty("lastRequestAt");
    await mock.resource(project);
    await mock.resource(project, "/a", update(9));
    await mock.resource(project, "?integerParameter=many");
    await configure(mock, project, { validation: "report" });
    await mock.resource(project, "?integerParameter=many");
    await inProject(mock, project, "POST", "/rules", { fault: "EMPTY_RESPONSE" });
    await expect(mock.resource(project)).rejects.toThrow();
    expect(await counts()).toEqual([5, 3, 2, 2]);
    await inProject(mock, project, "DELETE", "/requests");
    expect(await counts()).toEqual([5, 3, 2, 2]);
    await inProject(mock, project, "POST", "/reset");
    expect(await counts()).toEqual([0, 0, 0, 0]);
  });

  test("are found by a part of their key, in any case", async () => {
    const project = `${newProject()}-Müller & Söhne`;
    await mock.resource(project);
    for (const q of ["MÜLLER", "r & s", project]) {
      expect(await list(`?q=${encodeURIComponent(q)}`)).toMatchObject({ projects: [{ key: project }], total: 1 });
    }
    expect(await list("?q=M%C3%BCllers")).toMatchObject({ projects: [], total: 0 });
  });

  test("are sorted by activity, and by failures, unexpected ones first", async () => {
    const prefix = newProject();
    const names = ["idle", "quiet", "busy", "failing", "worst", "forced"];
    const [idle, quiet, busy, failing, worst, forced] = names.map((name) => `${prefix}-${name}`) as [
      ...[string, string, string, string, string, string],
    ];
    await configure(mock, idle, {});
    await mock.resource(worst, "/a", update(9));
    await mock.resource(worst, "/a", update(9));
    for (const project of [busy, failing, quiet, busy]) await mock.resource(project, "/a");
    await mock.resource(failing, "/a", update(9));
    await inProject(mock, forced, "PUT", "/scenarios/server-error");
    for (const path of ["/a", "/b", "/c"]) await mock.resource(forced, path);
    const sortedBy = async (query: string) => (await list(`?q=${prefix}-${query}`)).projects.map(({ key }) => key);
    expect(await sortedBy("")).toEqual([idle, worst, busy, failing, quiet, forced]);
    expect(await sortedBy("&sort=created")).toEqual([idle, worst, busy, failing, quiet, forced]);
    expect(await sortedBy("&sort=activity")).toEqual([forced, failing, busy, quiet, worst, idle]);
    expect(await sortedBy("&sort=failures")).toEqual([worst, failing, forced, busy, quiet, idle]);
    expect(await sortedBy("&sort=failures&limit=2&offset=1")).toEqual([failing, forced]);
    expectProblem(await call(mock, "GET", "/projects?sort=size"), 400, "InvalidField", "failures");
  });

  test("are 404 before their first use, and reading the summary does not create them", async () => {
    const project = `${newProject()}-of-shops`;
    expectProblem(await inProject(mock, project, "GET", ""), 404, "ResourceNotFound", project);
    expect(await keys()).not.toContain(project);
    await mock.resource(project);
    // A replica suggests the projects that it knows.
    const hint = mock.transport === "over three replicas" ? "not found" : `Did you mean "${project}"?`;
    expectProblem(await inProject(mock, `${project}s`, "GET", ""), 404, "ResourceNotFound", hint);
  });

  test("return to their initial state after a reset, without an effect on other projects", async () => {
    const [untouched, other] = [newProject(), await usedProject()];
    const project = newProject();
    await configure(mock, project, {});
    await inProject(mock, untouched, "POST", "/reset");
    const initial = await visibleData(project);
    const othersBefore = await visibleData(other);
    await usedProject(project);
    expect(await visibleData(project)).not.toEqual(initial);
    expect(await inProject(mock, project, "POST", "/reset")).toMatchObject({ status: 204, body: "" });
    expect(await visibleData(project)).toEqual(initial);
    expect(await visibleData(other)).toEqual(othersBefore);
    expect(await keys()).toContain(project);
  });

  test("are not created by reads, which return the initial state", async () => {
    const project = newProject();
    const paths = ["/settings", "/clock", "/state", "/resources", "/requests", "/requests/timeline", "/rules"];
    for (const path of [...paths, "/scenarios", "/snapshots", "/images", "/tokens", "/coverage"]) {
      expect([path, (await inProject(mock, project, "GET", path)).status]).toEqual([path, 200]);
    }
    expect(await keys()).not.toContain(project);
    expect((await inProject(mock, project, "GET", "/requests/wait?timeout=0")).status).toBe(408);
    expect(await keys()).toContain(project);
  });

  test("are deleted, and start empty at their next use", async () => {
    const project = await usedProject();
    expect((await inProject(mock, project, "DELETE", "")).status).toBe(204);
    expectProblem(await inProject(mock, project, "GET", ""), 404, "ResourceNotFound");
    expect((await inProject(mock, project, "DELETE", "")).status).toBe(204);
    expect((await inProject(mock, project, "GET", "/requests")).body).toEqual({
      requests: [],
      total: 0,
      searched: 0,
      dropped: 0,
    });
  });

  test("are all reset together with the scenarios for all projects", async () => {
    const projects = [await usedProject(), await usedProject()];
    await inProject(mock, projects[0] ?? "", "POST", "/snapshots", { name: "kept" });
    await call(mock, "PUT", "/scenarios/slow");
    expect(await call(mock, "POST", "/reset")).toMatchObject({ status: 204, body: "" });
    for (const project of projects) {
      expect((await inProject(mock, project, "GET", "/scenarios")).body).toEqual({ scenarios: [], total: 0 });
      expect((await inProject(mock, project, "GET", "/requests")).body).toEqual({
        requests: [],
        total: 0,
        searched: 0,
        dropped: 0,
      });
      expect((await inProject(mock, project, "GET", "/settings")).body).toMatchObject({ unknownIds: "fixture" });
    }
    expect((await inProject(mock, projects[0] ?? "", "GET", "/snapshots")).body).toMatchObject({ total: 1 });
    const { scenarios } = (await call<{ scenarios: { on: boolean }[] }>(mock, "GET", "/scenarios")).body;
    expect(scenarios.filter(({ on }) => on)).toEqual([]);
    expect((await call(mock, "GET", "/coverage")).body).toMatchObject({ requests: 0 });
  });

  test.each(["__admin", "x".repeat(257)])("cannot have the key %s", async (key) => {
    for (const [method, path] of [
      ["GET", "/state"],
      ["POST", "/reset"],
      ["DELETE", ""],
    ] as const) {
      expect([400, 404]).toContain((await inProject(mock, key, method, path)).status);
    }
    expect(await keys()).not.toContain(key);
  });

  test("can have keys of any characters", async () => {
    const key = `${newProject()} ä/b?c#d%2F"é`;
    await mock.resource(key);
    expect((await inProject(mock, key, "GET", "")).body).toMatchObject({ key, requests: 1 });
    expect((await inProject(mock, key, "GET", "/requests")).body).toMatchObject({ total: 1 });
  });

  test("with the journal size 0 keep no requests, but count them", async () => {
    const project = newProject();
    await configure(mock, project, { journalSize: 0 });
    await mock.resource(project);
    expect((await inProject(mock, project, "GET", "/requests")).body).toEqual({
      requests: [],
      total: 0,
      searched: 0,
      dropped: 1,
    });
    expect((await inProject(mock, project, "GET", "/coverage")).body).toMatchObject({ requests: 1 });
  });
});

onTransports("request ids", {}, (mock) => {
  const idOf = async (project: string) => (await mock.resource(project)).headers.get("Mock-Request-Id") ?? "";

  test.each<[string, (project: string) => Promise<unknown>]>([
    ["a reset", (project) => inProject(mock, project, "POST", "/reset")],
    ["a deletion", (project) => inProject(mock, project, "DELETE", "")],
    ["a reset of everything", () => call(mock, "POST", "/reset")],
  ])("continue after %s, while the number of requests restarts", async (_name, restart) => {
    const project = newProject();
    const before = [await idOf(project), await idOf(project)];
    await restart(project);
    const after = await idOf(project);
    const [prefix = ""] = after.split("-");
    expect([...before, after]).toEqual([`${prefix}-1`, `${prefix}-2`, `${prefix}-3`]);
    expect((await inProject(mock, project, "GET", "")).body).toMatchObject({ requests: 1 });
  });
});

test("request ids are unique over resets and deleted projects, even with many projects", {
  tags: ["slow"],
}, async () => {
  const { projects } = createEngine(await readFiles());
  const [seen, rounds, keys] = [new Set<string>(), 3, 10_010];
  for (let round = 0; round < rounds; round++) {
    for (let number = 0; number < keys; number++) {
      const key = `p${number}`;
      seen.add(projects.get(key).newRequestId());
      projects.reset(key);
      seen.add(projects.get(key).newRequestId());
      projects.close(key);
    }
  }
  expect(seen.size).toBe(rounds * 2 * keys);
});
