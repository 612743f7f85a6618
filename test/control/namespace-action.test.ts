import { expect, test } from "vitest";
import { expectProblem, inProject } from "../setup/control.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";

onTransports("the body of the custom action", {}, (mock) => {
  const stored = async (project: string) => (await inProject(mock, project, "GET", "/namespace-action")).body;
  const served = async (project: string) => (await mock.resource(project, "/namespace-action")).json();

  test("is the last one that a client has sent", async () => {
    const project = newProject();
    expect(await stored(project)).toEqual({});
    await mock.resource(project, "/namespace-action", json("POST", { points: 1 }));
    expect(await stored(project)).toEqual({ body: { points: 1 } });
  });

  test.each([[{ points: 2 }], [null]])("is set to %j, and deleted", async (body) => {
    const project = newProject();
    const fixture = await served(project);
    expect((await inProject(mock, project, "PUT", "/namespace-action", { body })).status).toBe(204);
    expect([await stored(project), await served(project)]).toEqual([{ body }, body]);
    expect((await inProject(mock, project, "GET", "/state")).body).toMatchObject({ namespaceAction: { body } });

    expect((await inProject(mock, project, "DELETE", "/namespace-action")).status).toBe(204);
    expect([await stored(project), await served(project)]).toEqual([{}, fixture]);
    expect((await inProject(mock, project, "GET", "/state")).body).not.toHaveProperty("namespaceAction");
    expect((await inProject(mock, project, "DELETE", "/namespace-action")).status).toBe(204);
  });

  test.each([
    [{}, "/body"],
    [{ body: 1, more: 2 }, "/more"],
  ])("is rejected in %j", async (body, pointer) => {
    const reply = await inProject(mock, newProject(), "PUT", "/namespace-action", body);
    expect(expectProblem(reply, 400, "InvalidField")).toMatchObject([{ pointer }]);
  });
});
