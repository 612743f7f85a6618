import { expect, test } from "vitest";
import { control, expectProblem, inProject } from "../setup/control.ts";
import { newProject, onTransports } from "../setup/mock.ts";
import { write } from "../setup/resources.ts";

onTransports("snapshots", { now: () => Date.parse("2025-06-01T12:00:00Z") }, (mock) => {
  const take = (project: string, name: string) => inProject(mock, project, "POST", "/snapshots", { name });
  const restore = (project: string, name: string) =>
    inProject(mock, project, "POST", `/snapshots/${encodeURIComponent(name)}/restore`);
  const state = async (project: string) => (await inProject(mock, project, "GET", "/state")).body;
  const list = async (project: string) =>
    (await inProject<{ snapshots: { name: string }[] }>(mock, project, "GET", "/snapshots")).body;

  test("are taken, listed and restored, any number of times", async () => {
    const project = newProject();
    await write(mock, project);
    const before = await state(project);
    const { resources } = before as { resources: unknown[] };
    expect(await take(project, "ein Name/ü")).toMatchObject({
      status: 201,
      body: { name: "ein Name/ü", takenAt: "2025-06-01T12:00:00.000Z", resources: resources.length },
    });
    for (let time = 0; time < 2; time++) {
      await write(mock, project);
      expect(await state(project)).not.toEqual(before);
      expect(await restore(project, "ein Name/ü")).toMatchObject({ status: 204, body: "" });
      expect(await state(project)).toEqual(before);
    }
    expect(await list(project)).toMatchObject({ snapshots: [{ name: "ein Name/ü" }], total: 1 });
    expect((await inProject(mock, project, "GET", "")).body).toMatchObject({ snapshots: 1 });
  });

  test("are kept when the project is reset, and end with the project", async () => {
    const project = newProject();
    await write(mock, project);
    const before = await state(project);
    await take(project, "a");
    await inProject(mock, project, "POST", "/reset");
    expect(await state(project)).not.toEqual(before);
    await restore(project, "a");
    expect(await state(project)).toEqual(before);
    await inProject(mock, project, "DELETE", "");
    expect(await list(project)).toEqual({ snapshots: [], total: 0 });
  });

  test("can be deleted", async () => {
    const project = newProject();
    await take(project, "monday");
    expect((await inProject(mock, project, "DELETE", "/snapshots/monday")).status).toBe(204);
    expectProblem(await restore(project, "monday"), 404, "ResourceNotFound");
    await take(project, "tuesday");
    expectProblem(await restore(project, "tusday"), 404, "ResourceNotFound", 'Did you mean "tuesday"?');
    expectProblem(await inProject(mock, project, "DELETE", "/snapshots/monday"), 404, "ResourceNotFound", "monday");
    expectProblem(await restore(newProject(), "tuesday"), 404, "ResourceNotFound");
  });

  test.each([".", "..", "\ud800"])("cannot have a name that no path can have: %j", async (name) => {
    const project = newProject();
    const detail = 'expected a text other than "." and ".."';
    expectProblem(await take(project, name), 400, "InvalidField", `/name: ${detail}`);
    const draft = { id: name, objectTypeProperty: {} };
    expectProblem(await inProject(mock, project, "POST", "/resources", draft), 400, "InvalidField", `/id: ${detail}`);
    const document = { resources: [draft] };
    expectProblem(await inProject(mock, project, "PUT", "/state", document), 400, "InvalidField", detail);
    const states = { state: "a resource exists", params: { project: name, id: "a" } };
    expectProblem(await control(mock, "POST", "/provider-states", states), 400, "InvalidField", detail);
  });

  test("are limited to 100 per project", async () => {
    const project = newProject();
    for (let number = 0; number < 100; number++) expect((await take(project, `s-${number}`)).status).toBe(201);
    expectProblem(await take(project, "one more"), 409, "LimitReached", "expected fewer than 100");
    expect((await take(project, "s-7")).status).toBe(201);
    expect((await take(newProject(), "of another")).status).toBe(201);
  });

  test.each([[{}], [{ name: "" }], [{ name: "x".repeat(101) }], [{ name: 1 }], [{ name: "a", title: "b" }]])(
    "are rejected for the body %j",
    async (body) => {
      expectProblem(await inProject(mock, newProject(), "POST", "/snapshots", body), 400, "InvalidField");
    },
  );
});
