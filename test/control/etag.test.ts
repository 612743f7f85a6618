import { expect, test } from "vitest";
import { expectProblem, inProject } from "../setup/control.ts";
import { newProject, onTransports } from "../setup/mock.ts";
import { update } from "../setup/resources.ts";

const draft = { objectTypeProperty: { arrayOfIntExample: [1] } };

onTransports("the tag of a resource", {}, (mock) => {
  const read = (project: string) => inProject(mock, project, "GET", "/resources/a");
  const put = (project: string, body: object, ifMatch?: string) =>
    inProject(mock, project, "PUT", "/resources/a", body, ifMatch === undefined ? {} : { "If-Match": ifMatch });
  const remove = (project: string, ifMatch: string) =>
    inProject(mock, project, "DELETE", "/resources/a", undefined, { "If-Match": ifMatch });
  const tagOf = ({ headers }: { headers: Headers }) => headers.get("ETag") ?? "";

  test("is the same in all responses with the same content", async () => {
    const [project, other] = [newProject(), newProject()];
    const created = await inProject(mock, project, "POST", "/resources", { id: "a", version: 3, ...draft });
    const tag = tagOf(created);
    expect(tag).toMatch(/^"[\w-]+"$/);
    expect(tagOf(await read(project))).toBe(tag);
    await inProject(mock, other, "PUT", "/state", (await inProject(mock, project, "GET", "/state")).body);
    expect(tagOf(await read(other))).toBe(tag);
    expect(tagOf(await put(project, draft))).not.toBe(tag);
  });

  test("permits a change of this content only, also if the version is the same", async () => {
    const project = newProject();
    const tag = tagOf(await put(project, { ...draft, version: 3 }));
    const changed = { version: 3, objectTypeProperty: { arrayOfIntExample: [2] } };
    await put(project, changed);
    for (const reply of [await put(project, draft, tag), await remove(project, tag)]) {
      const [error] = expectProblem(reply, 412, "PreconditionFailed", "the resource has changed");
      expect(error).toMatchObject({ parameter: "If-Match" });
    }
    expect((await read(project)).body).toMatchObject(changed);

    const next = await put(project, draft, tagOf(await read(project)));
    expect(next).toMatchObject({ status: 200, body: { version: 4 } });
    await mock.resource(project, "/a", update(4));
    expect((await remove(project, tagOf(next))).status).toBe(412);
    expect((await remove(project, tagOf(await read(project)))).status).toBe(204);
  });

  test("matches no resource that does not exist", async () => {
    const project = newProject();
    const tag = tagOf(await put(project, draft));
    await inProject(mock, project, "DELETE", "/resources/a");
    for (const ifMatch of [tag, "*"]) {
      expectProblem(await put(project, draft, ifMatch), 412, "PreconditionFailed", "no resource");
      expectProblem(await remove(project, ifMatch), 412, "PreconditionFailed");
    }
    expectProblem(await read(project), 404, "ResourceNotFound");
  });

  test("If-Match can have several tags", async () => {
    const project = newProject();
    const tag = tagOf(await put(project, draft));
    expectProblem(await put(project, draft, '"a", "b"'), 412, "PreconditionFailed");
    expect((await put(project, draft, `"a, b", ${tag}`)).status).toBe(200);
  });

  test("If-Match can be *, but no weak tag", async () => {
    const project = newProject();
    await put(project, draft);
    expect((await put(project, draft, "*")).status).toBe(200);
    expectProblem(await put(project, draft, `W/${tagOf(await read(project))}`), 412, "PreconditionFailed");
  });

  test.each(["x", "1", '"', '"a" "b"', '"a",', '"a", *', "*, *", '"a"x'])("cannot be %s", async (ifMatch) => {
    const project = newProject();
    await put(project, draft);
    const [error] = expectProblem(await put(project, draft, ifMatch), 400, "InvalidField", "If-Match: expected");
    expect(error).toMatchObject({ parameter: "If-Match" });
  });

  test("lets one of many writers win", async () => {
    const project = newProject();
    const tag = tagOf(await put(project, { ...draft, version: 1 }));
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, writer) => put(project, { ...draft, version: 1, writer }, tag)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)]);
  });
});
