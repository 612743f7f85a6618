import { describe, expect, test } from "vitest";
import { expectProblem, inProject } from "../setup/control.ts";
import { expectError } from "../setup/errors.ts";
import { json, newProject, onAllTransports } from "../setup/mock.ts";
import { draft, read, recordOf, update, write } from "../setup/resources.ts";

const doSomeThing = { action: "doSomeThing" };
const changeTo = (someProperty: string) => ({ action: "changeSomeProperty", someProperty });

onAllTransports("updating a resource by actions", {}, (mock) => {
  test.each([
    ["one action", [doSomeThing]],
    ["several actions", [doSomeThing, changeTo("a"), doSomeThing]],
  ])("the current version and %s create the next version", async (_name, actions) => {
    const project = newProject();
    const { id } = await write(mock, project);
    const response = await mock.resource(project, `/${id}`, update(1, actions));
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ version: 2, ...draft })]);
    expect(await read(mock, project, `/${id}`)).toMatchObject({ version: 2 });
  });

  test("the time grows with the number of fields plus actions, not with their product", {
    tags: ["slow"],
  }, async () => {
    const project = newProject();
    const fields = Object.fromEntries(Array.from({ length: 9000 }, (_, number) => [`field${number}`, number]));
    const { id } = await write(mock, project, "POST", { ...draft, ...fields });
    // One copy of all fields for each action would take minutes.
    const actions = Array.from({ length: 20_000 }, (_, number) => changeTo(`${number}`));
    expect((await mock.resource(project, `/${id}`, update(1, actions))).status).toBe(200);
    expect(await recordOf(mock, project, id)).toMatchObject({ version: 2, someProperty: "19999", field8999: 8999 });
  });

  test("an empty list of actions keeps the version", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    const response = await mock.resource(project, `/${id}`, update(1, []));
    expect([response.status, await response.json()]).toEqual([200, { version: 1, ...draft }]);
  });

  test.each([0, 2, 7, -1, 1.5, 9007199254740991])(
    "a stale version (%s) is 409 with the current version, and changes nothing",
    async (version) => {
      const project = newProject();
      const { id } = await write(mock, project);
      for (const actions of [[doSomeThing], []]) {
        const response = await mock.resource(project, `/${id}`, update(version, actions));
        await expectError(response, "ConcurrentModification", { field: "/version", currentVersion: 1 });
      }
      expect(await read(mock, project, `/${id}`)).toEqual({ version: 1, ...draft });
    },
  );

  test("each write to a resource at the highest version is 400, and changes nothing", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    const highest = 1_000_000_000_000_000;
    const put = (version: number) => inProject(mock, project, "PUT", `/resources/${id}`, { ...draft, version });
    expect((await put(highest + 1)).status).toBe(400);
    expect((await put(highest - 1)).status).toBe(200);
    expect((await mock.resource(project, `/${id}`, update(highest - 1))).status).toBe(200);
    const message = expect.stringContaining(`expected a version below ${highest}, found ${highest}`);
    for (const method of ["PUT", "PATCH"]) {
      await expectError(await mock.resource(project, "", json(method, draft)), "InvalidInput", { message });
    }
    await expectError(await mock.resource(project, `/${id}`, update(highest)), "InvalidInput", { message });
    await expectError(await mock.resource(project, `/${id}`, update(highest + 1)), "ConcurrentModification", {
      currentVersion: highest,
    });
    expectProblem(await inProject(mock, project, "PUT", `/resources/${id}`, draft), 400, "InvalidInput");
    expect((await mock.resource(project, `/${id}`, update(highest, []))).status).toBe(200);
    expect(await read(mock, project, `/${id}`)).toEqual({ version: highest, ...draft });
    const { body } = await inProject(mock, project, "GET", "/state");
    expect((await inProject(mock, newProject(), "PUT", "/state", body)).status).toBe(204);
  });

  test("changeSomeProperty stores its value in the record; the last action wins", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    await mock.resource(project, `/${id}`, update(1, [changeTo("first"), changeTo("last")]));
    expect(await recordOf(mock, project, id)).toMatchObject({ version: 2, someProperty: "last" });
    await mock.resource(project, `/${id}`, update(2, [{ action: "changeSomeProperty" }, doSomeThing]));
    expect(await recordOf(mock, project, id)).toMatchObject({ version: 3, someProperty: "last" });
  });

  test("one of two concurrent updates of one version gets 409", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    const responses = await Promise.all(Array.from({ length: 8 }, () => mock.resource(project, `/${id}`, update(1))));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    expect(await read(mock, project, `/${id}`)).toMatchObject({ version: 2 });
  });

  describe("an invalid body is 400 with the location, and no action is applied", () => {
    test.each([
      [
        "an unknown action",
        { version: 1, actions: [changeTo("x"), { action: "paint" }] },
        "/actions/1/action",
        'expected one of "doSomeThing", "changeSomeProperty", found "paint"',
      ],
      ["an action without a name", { version: 1, actions: [changeTo("x"), {}] }, "/actions/1/action", "found nothing"],
      [
        "an invalid action field",
        { version: 1, actions: [changeTo("x"), { action: "changeSomeProperty", someProperty: 3 }] },
        "/actions/1/someProperty",
        "expected string, found 3",
      ],
      ["no version", { actions: [changeTo("x")] }, "/version", "is required"],
      ["no actions", { version: 1 }, "/actions", "is required"],
      ["a version of another type", { version: "1", actions: [] }, "/version", 'expected number, found "1"'],
    ])("%s", async (_name, body, field, part) => {
      const project = newProject();
      const { id } = await write(mock, project);
      const response = await mock.resource(project, `/${id}`, json("POST", body));
      await expectError(response, "InvalidField", { field, message: expect.stringContaining(part) });
      expect(await read(mock, project, `/${id}`)).toEqual({ version: 1, ...draft });
      expect(await recordOf(mock, project, id)).not.toHaveProperty("someProperty");
    });
  });

  test("unknown fields are accepted", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    const body = { version: 1, actions: [{ ...doSomeThing, reason: "spring sale" }], comment: "x" };
    expect((await mock.resource(project, `/${id}`, json("POST", body))).status).toBe(200);
  });
});
