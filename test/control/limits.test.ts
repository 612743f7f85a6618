import { describe, expect, test } from "vitest";
import { fileItem } from "../../src/state/index.ts";
import { control as call, expectProblem, inProject } from "../setup/control.ts";
import { expectBodiless, expectError } from "../setup/errors.ts";
import { json, type MockUnderTest, newProject, onTransports, useMock } from "../setup/mock.ts";
import { configure, draft, read, update, write } from "../setup/resources.ts";

interface Projects {
  projects: { key: string; bytes: number }[];
  total: number;
  state: { bytes: number; limit: number };
}

const projectsOf = async (mock: MockUnderTest) => (await call<Projects>(mock, "GET", "/projects")).body;
const bytesOf = async (mock: MockUnderTest) => (await projectsOf(mock)).state.bytes;
const stateOf = async (mock: MockUnderTest, project: string) => (await inProject(mock, project, "GET", "/state")).body;

const LIMIT = 100_000;
const large = { objectTypeProperty: {}, text: "x".repeat(60_000) };
const largeRule = { operation: "getResourceById", respond: { status: 200, body: { version: 1, ...large } } };
const png = new Uint8Array(150_000);
png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

onTransports("the limit of the state", { maxStateBytes: LIMIT, inOneProcess: "tests the memory" }, (mock) => {
  /** Returns a new project with one large resource. The state has no room for another large resource. */
  async function full(): Promise<{ project: string; id: string }> {
    await call(mock, "POST", "/reset");
    const project = newProject();
    const { id } = await write(mock, project, "POST", large);
    return { project, id };
  }

  test.each<[string, string, RequestInit]>([
    ["create", "", json("POST", large)],
    ["PUT", "", json("PUT", large)],
    ["PATCH", "", json("PATCH", large)],
    ["image", "/images", { method: "POST", headers: { "Content-Type": "image/png" }, body: png }],
    ["custom action", "/namespace-action", json("POST", { text: large.text })],
  ])("a write that exceeds the limit returns 507 and changes nothing: %s", async (_name, path, init) => {
    const { project } = await full();
    const other = newProject();
    await write(mock, other, "POST", draft);
    const before = [await stateOf(mock, other), await bytesOf(mock)];
    const [error] = await expectError(await mock.resource(other, path, init), "InsufficientStorage");
    expect(error?.message).toMatch(
      /^State of all projects: expected at most 100000 bytes, found \d{6} with this request/,
    );
    expect(error?.message).toContain(`Project "${project}" uses most`);
    expect(error?.message).toContain("--max-state-bytes");
    expect([await stateOf(mock, other), await bytesOf(mock)]).toEqual(before);
  });

  test.each<[string, string, string, unknown]>([
    ["a resource", "POST", "/resources", large],
    ["several resources", "POST", "/resources", Array.from({ length: 200 }, () => draft)],
    ["generated resources", "POST", "/resources", { generate: 500, seed: 1 }],
    ["a resource under its id", "PUT", "/resources/some-id", large],
    ["an import", "PUT", "/state", { resources: [large] }],
    ["a rule", "POST", "/rules", largeRule],
    ["an inline scenario", "PUT", "/scenarios/inline", { rules: [largeRule] }],
  ])("the control API rejects a write that exceeds the limit: %s", async (_name, method, path, body) => {
    await full();
    const other = newProject();
    await write(mock, other);
    const before = [await stateOf(mock, other), await bytesOf(mock)];
    expectProblem(
      await inProject(mock, other, method, path, body),
      507,
      "InsufficientStorage",
      "State of all projects",
    );
    expect([await stateOf(mock, other), await bytesOf(mock)]).toEqual(before);
  });

  test("an update that exceeds the limit returns 507, and an overwrite with less data succeeds", async () => {
    const { project, id } = await full();
    const grown = update(1, [{ action: "changeSomeProperty", someProperty: "y".repeat(60_000) }]);
    await expectError(await mock.resource(project, `/${id}`, grown), "InsufficientStorage");
    expect(await read(mock, project, `/${id}`)).toMatchObject({ version: 1 });
    expect((await mock.resource(project, "", json("PUT", draft))).status).toBe(201);
    expect(await bytesOf(mock)).toBeLessThan(3000);
  });

  test("resources that requests create from the fixture count, by id and by key", async () => {
    await full();
    const project = newProject();
    const statuses = new Set<number>();
    for (let number = 0; number < 60; number++) {
      for (const path of [`/id-${number}`, `/key=key-${number}`]) {
        statuses.add((await mock.resource(project, path)).status);
      }
    }
    expect(statuses).toEqual(new Set([200, 507]));
    expect(await bytesOf(mock)).toBeLessThanOrEqual(LIMIT);
    await expectError(await mock.resource(project, "/one-more", { method: "DELETE" }), "InsufficientStorage");
  });

  test("rules and inline scenarios count until they are removed", async () => {
    await call(mock, "POST", "/reset");
    const project = newProject();
    const rule = { operation: "getCart", latency: { fixed: 1 } };
    for (let round = 0; round < 2; round++) {
      await inProject(mock, project, "POST", "/rules", rule);
      await inProject(mock, project, "PUT", "/scenarios/inline", { rules: [rule] });
      await inProject(mock, project, "PUT", "/scenarios/slow");
      const both = await bytesOf(mock);
      expect((await inProject(mock, project, "DELETE", "/rules")).status).toBe(204);
      expect(await bytesOf(mock)).toBe(both / 2);
      await inProject(mock, project, "DELETE", "/scenarios/inline");
      expect(await bytesOf(mock)).toBe(0);
    }
    await inProject(mock, project, "POST", "/rules", rule);
    await inProject(mock, project, "POST", "/reset");
    expect(await bytesOf(mock)).toBe(0);
    await inProject(mock, project, "POST", "/rules", rule);
    await inProject(mock, project, "DELETE", "");
    expect(await bytesOf(mock)).toBe(0);
  });

  test("a snapshot and a fork share their resources, so they count nothing", async () => {
    const { project, id } = await full();
    const before = await bytesOf(mock);
    const fork = newProject();
    await inProject(mock, project, "POST", "/snapshots", { name: "large" });
    await inProject(mock, fork, "PUT", "/state", { from: project });
    expect(await bytesOf(mock)).toBe(before);
    await mock.resource(project, `/${id}`, { method: "DELETE" });
    await inProject(mock, project, "POST", "/snapshots/large/restore");
    expect(await bytesOf(mock)).toBe(0);
    expect(await read(mock, fork, `/${id}`)).toMatchObject({ version: 1 });
    await write(mock, fork, "POST", large);
    expect(await bytesOf(mock)).toBe(before);
  });

  test("projects that only read the seed use no memory", async () => {
    await call(mock, "POST", "/reset");
    const project = newProject();
    await mock.resource(project);
    await mock.resource(project, "/key=summer-dress-blue");
    await mock.resource(project, "/sorted-query-parameters");
    expect(await bytesOf(mock)).toBe(0);
  });
});

onTransports("the limit of projects", { maxProjects: 3, inOneProcess: "tests the memory" }, (mock) => {
  test("another project returns 507 until a project is deleted", async () => {
    const [first = "", ...others] = [newProject(), newProject(), newProject()];
    for (const project of [first, ...others]) expect((await mock.resource(project)).status).toBe(200);
    const one = newProject();
    const [error] = await expectError(await mock.resource(one), "InsufficientStorage");
    expect(error?.message).toBe(
      `Projects: expected at most 3, found 3, so "${one}" cannot be created. Delete projects (DELETE /__admin/projects/{projectKey}), or raise --max-projects (RESOURCE_MOCK_MAX_PROJECTS, option maxProjects).`,
    );
    await expectBodiless(await mock.resource(one, "", { method: "HEAD" }), 507);
    expectProblem(
      await inProject(mock, one, "PATCH", "/settings", { auth: "off" }),
      507,
      "InsufficientStorage",
      "--max-projects",
    );
    const state = { state: "a resource exists", params: { project: one } };
    expectProblem(await call(mock, "POST", "/provider-states", state), 507, "InsufficientStorage", "--max-projects");
    // Resetting or closing an unknown project succeeds without creating it.
    expect((await inProject(mock, one, "POST", "/reset")).status).toBe(204);
    expect((await inProject(mock, one, "DELETE", "")).status).toBe(204);
    expect((await projectsOf(mock)).total).toBe(3);

    expect((await mock.resource(first)).status).toBe(200);
    await inProject(mock, first, "DELETE", "");
    expect((await mock.resource(one)).status).toBe(200);
  });
});

describe("long pages and lists", { tags: ["slow"] }, () => {
  const mock = useMock("over a socket");
  const addLong = async (project: string, ids: readonly string[], length: number) => {
    await inProject(mock, project, "PUT", "/state", { resources: [] });
    for (const id of ids) {
      const resource = { objectTypeProperty: {}, text: "x".repeat(length) };
      expect((await inProject(mock, project, "PUT", `/resources/${id}`, resource)).status).toBe(201);
    }
  };

  test("a page of more than 16 Mi characters returns 507 with a limit that fits", async () => {
    const project = newProject();
    await addLong(project, ["a", "b", "c", "d", "e"], 3.5 * 1024 * 1024);
    await configure(mock, project, { collection: "paged" });
    for (const path of ["/sorted-query-parameters?", "?"]) {
      const [error] = await expectError(await mock.resource(project, `${path}offset=0`), "InsufficientStorage");
      expect(error?.message).toContain("limit=4");
    }
  });

  test("images are listed in pages", async () => {
    const project = newProject();
    const image = (id: string) =>
      fileItem(id, "2025-01-01T00:00:00.000Z", { contentType: "image/png" }, new Uint8Array(1));
    await mock.inside(project, (sandbox) =>
      sandbox.change((draft) => {
        for (let number = 0; number < 600; number++) draft.put("Image", image(`i-${number}`));
      }),
    );
    const list = async (query: string) =>
      (await inProject<{ images: { id: string }[]; total: number }>(mock, project, "GET", `/images${query}`)).body;
    expect((await list("")).images).toHaveLength(500);
    expect(await list("?limit=1&offset=599")).toMatchObject({ images: [{ id: "i-599" }], total: 600 });
  });
});
