import { expect, test } from "vitest";
import { connectionTo, projectControl } from "../../src/control/client/index.ts";
import { matchers } from "../../src/library/testing/matchers.ts";
import { inProject } from "../setup/control.ts";
import { newProject, onTransports } from "../setup/mock.ts";

interface Failed {
  id: string;
  at: string;
  operation?: string;
  message: string;
  nearest?: string;
}

onTransports("failed verifications", {}, (mock) => {
  const url = "http://mock.test";
  const connection = connectionTo(url, { fetch: (target, init) => mock.fetch(String(target).slice(url.length), init) });
  const controlsOf = (key: string) => projectControl({ connection, key });
  const verify = (project: string, body: object) => inProject(mock, project, "POST", "/requests/verify", body);
  const listed = async (project: string) =>
    (await inProject<{ verifications: Failed[] }>(mock, project, "GET", "/verifications")).body.verifications;

  test("are listed, newest first, with what was expected and found", async () => {
    const project = newProject();
    const { headers } = await mock.resource(project, "/a");
    await verify(project, { match: { operation: "deleteResource" }, count: 2 });
    await inProject(mock, project, "POST", "/requests/wait", { match: { status: 500 }, count: 3, timeout: 0 });
    const nearest = headers.get("Mock-Request-Id");
    expect(await listed(project)).toMatchObject([
      { message: expect.stringMatching(/^Expected at least 3 requests/), nearest },
      {
        operation: "deleteResource",
        nearest,
        message: expect.stringMatching(
          /^Expected exactly 2 requests in project ".*" to match, found 0 among 1 request/,
        ),
      },
    ]);
    expect(await listed(newProject())).toEqual([]);
  });

  test("are counted in the list of projects", async () => {
    const project = newProject();
    await mock.resource(project, "/a");
    await verify(project, { match: { status: 500 } });
    const response = await mock.fetch(`/__admin/projects?q=${project}`);
    expect(await response.json()).toMatchObject({ projects: [{ key: project, failedVerifications: 1 }] });
  });

  test("leave the list when a repetition passes, so polling leaves nothing", async () => {
    const project = newProject();
    await mock.resource(project, "/a");
    const expected = { match: { operation: "getResourceById" }, count: 2 };
    for (const _attempt of [1, 2, 3]) expect((await verify(project, expected)).status).toBe(422);
    expect(await listed(project)).toHaveLength(1);
    await verify(project, { ...expected, count: 1 });
    expect(await listed(project)).toHaveLength(1);
    await mock.resource(project, "/a");
    expect((await verify(project, expected)).status).toBe(200);
    expect(await listed(project)).toEqual([]);
  });

  test("leave the list when a repeated wait succeeds", async () => {
    const project = newProject();
    const wait = (timeout: number) =>
      inProject(mock, project, "POST", "/requests/wait", { match: { method: "GET" }, timeout });
    expect((await wait(0)).status).toBe(408);
    expect(await listed(project)).toHaveLength(1);
    await mock.resource(project, "/a");
    expect((await wait(60_000)).status).toBe(200);
    expect(await listed(project)).toEqual([]);
  });

  test("are not those of a matcher with .not, which expects the failure", async () => {
    const project = newProject();
    await mock.resource(project, "/a");
    const context = { isNot: true };
    const controls = controlsOf(project);
    expect(await matchers.toHaveReceived.call(context, controls, {}, { count: 2 })).toMatchObject({ pass: false });
    const order = [{ status: 500 }];
    expect(await matchers.toHaveReceivedInOrder.call(context, controls, order)).toMatchObject({ pass: false });
    expect(await listed(project)).toEqual([]);
    expect(await matchers.toHaveReceived.call(context, controls, {})).toMatchObject({ pass: true });
    expect(await listed(project)).toMatchObject([
      { message: expect.stringMatching(/^Expected no request .* found 1/) },
    ]);
  });

  test.each([
    ["a reset", "POST", "/reset"],
    ["the deletion of the requests", "DELETE", "/requests"],
  ])("a failed verification leaves the list with %s", async (_name, method, path) => {
    const project = newProject();
    await mock.resource(project, "/a");
    await verify(project, { match: { status: 500 } });
    expect(await listed(project)).toHaveLength(1);
    await inProject(mock, project, method, path);
    expect(await listed(project)).toEqual([]);
  });

  test("are the last 50, without secrets and with the start of a long message", async () => {
    const project = newProject();
    await mock.resource(project, "/a");
    for (let count = 2; count <= 53; count++) await verify(project, { match: { method: "GET" }, count });
    await verify(project, { match: { headers: { authorization: "Bearer abc" } } });
    await verify(project, { order: Array.from({ length: 50 }, () => ({ path: `/${project}/${"x".repeat(90)}` })) });
    const found = await listed(project);
    expect(found).toHaveLength(50);
    expect(found[0]?.message).toHaveLength(1024);
    expect(found[1]?.message).toContain('{"authorization":"Bearer [redacted]"}');
    expect(found.at(-1)?.message).toContain("exactly 6 requests");
  });

  test("are in the archive of the project", async () => {
    const project = newProject();
    await mock.resource(project, "/a");
    await verify(project, { match: { status: 500 } });
    const controls = controlsOf(project);
    const copy = controlsOf(newProject());
    await copy.restoreArchive(await controls.archive());
    expect(await listed(copy.key)).toEqual(await listed(project));
  });
});
