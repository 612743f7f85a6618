import { expect, test } from "vitest";
import { json, newProject, onBothTransports } from "../setup/mock.ts";

onBothTransports("updating a resource by actions", {}, (mock) => {
  async function created(project: string): Promise<string> {
    const answer = await mock.resource(project, "", json("POST", { objectTypeProperty: { arrayOfIntExample: [1] } }));
    expect(answer.status).toBe(201);
    return answer.headers.get("Location")?.split("/").at(-1) ?? "";
  }

  test("a current version and one action make the next version", async () => {
    const project = newProject();
    const id = await created(project);
    const answer = await mock.resource(
      project,
      `/${id}`,
      json("POST", { version: 1, actions: [{ action: "doSomeThing" }] }),
    );
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ version: 2, objectTypeProperty: { arrayOfIntExample: [1] } });
  });

  test("a stale version is 409 with the actual one, and changes nothing", async () => {
    const project = newProject();
    const id = await created(project);
    const answer = await mock.resource(
      project,
      `/${id}`,
      json("POST", { version: 7, actions: [{ action: "doSomeThing" }] }),
    );
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({
      statusCode: 409,
      errors: [{ code: "ConcurrentModification", currentVersion: 1 }],
    });
    expect(await (await mock.resource(project, `/${id}`)).json()).toMatchObject({ version: 1 });
  });

  test.each([
    [
      "an unknown action",
      { version: 1, actions: [{ action: "doSomething" }] },
      "/actions/0/action",
      'Did you mean "doSomeThing"?',
    ],
    [
      "a bad action field",
      { version: 1, actions: [{ action: "changeSomeProperty", someProperty: 3 }] },
      "/actions/0/someProperty",
      "expected string, found 3",
    ],
    ["no version", { actions: [] }, "/version", "is required"],
    ["a version of another type", { version: "1", actions: [] }, "/version", 'expected number, found "1"'],
  ])("%s is 400 naming the place, and no action is applied", async (_name, body, field, part) => {
    const project = newProject();
    const id = await created(project);
    const answer = await mock.resource(project, `/${id}`, json("POST", body));
    expect(answer.status).toBe(400);
    const { errors } = (await answer.json()) as { errors: { code: string; field: string; message: string }[] };
    expect(errors).toMatchObject([{ code: "InvalidField", field, message: expect.stringContaining(part) }]);
    expect(await (await mock.resource(project, `/${id}`)).json()).toMatchObject({ version: 1 });
  });
});
