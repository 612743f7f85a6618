import { expect, test } from "vitest";
import { defaultSettings } from "../../src/state/settings-schema.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { newProject, onTransports } from "../setup/mock.ts";

onTransports("the settings of a project", {}, (mock) => {
  const patch = (project: string, body: unknown) => inProject(mock, project, "PATCH", "/settings", body);

  test("have the defaults of the server until they are changed one by one", async () => {
    const [project, other] = [newProject(), newProject()];
    expect((await inProject(mock, project, "GET", "/settings")).body).toEqual(defaultSettings);
    expect(await patch(project, { unknownIds: "not-found", latency: { fixed: 0 } })).toMatchObject({
      status: 200,
      body: { ...defaultSettings, unknownIds: "not-found", latency: { fixed: 0 } },
    });
    expect((await patch(project, { latency: null })).body).toEqual({ ...defaultSettings, unknownIds: "not-found" });
    expect((await patch(project, {})).body).toMatchObject({ unknownIds: "not-found" });
    expect((await mock.resource(project, "/nobody")).status).toBe(404);

    expect((await inProject(mock, other, "GET", "/settings")).body).toEqual(defaultSettings);
    expect((await mock.resource(other, "/nobody")).status).toBe(200);
  });

  test.each<[unknown, string, string]>([
    [{ auht: "off" }, "/auht", 'Did you mean "auth"?'],
    [{ auth: "on" }, "/auth", 'expected one of "lenient", "present", "strict", "off", found "on"'],
    [{ validation: "enforced" }, "/validation", 'Did you mean "enforce"?'],
    [{ start: "none" }, "/start", 'expected one of "sample", "empty", found "none"'],
    [{ maxBodyBytes: -1 }, "/maxBodyBytes", "found -1"],
    [{ latency: { uniform: [1] } }, "/latency/uniform", ""],
    [{ latency: { fixed: 700_000 } }, "/latency/fixed", "600000"],
    [{ rateLimit: 10 }, "/rateLimit", "expected null or object"],
    [{ rateLimit: { limit: 0, window: 1000 } }, "/rateLimit/limit", "at least 1, found 0"],
    [{ rateLimit: { limit: 1, window: 1, burst: 2 } }, "/rateLimit/burst", "unknown member"],
    [[], "", "expected object"],
  ])("are rejected: %j", async (body, pointer, detail) => {
    const project = newProject();
    const errors = expectProblem(await patch(project, body), 400, "InvalidField");
    expect(errors).toContainEqual({ pointer, detail: expect.stringContaining(detail) });
    expect((await inProject(mock, project, "GET", "/settings")).body).toEqual(defaultSettings);
  });

  test("apply a new journalSize immediately", async () => {
    const project = newProject();
    for (let number = 0; number < 5; number++) await mock.resource(project, `?integerParameter=${number}`);
    await patch(project, { journalSize: 2 });
    const { body } = await inProject(mock, project, "GET", "/requests");
    expect(body).toMatchObject({
      requests: [
        { request: { query: { integerParameter: ["4"] } } },
        { request: { query: { integerParameter: ["3"] } } },
      ],
      total: 2,
    });
  });
});
