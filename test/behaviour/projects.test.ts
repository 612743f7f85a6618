import { expect, test } from "vitest";
import { inProject } from "../setup/control.ts";
import { expectError } from "../setup/errors.ts";
import { json, newProject, onAllTransports } from "../setup/mock.ts";
import { configure, read, update, write } from "../setup/resources.ts";

const seeded = "39864e91-340c-4f1c-944d-31e169ddb441";

onAllTransports("projects", {}, (mock) => {
  test("each starts with the seed, independent of other projects", async () => {
    const [one, other] = [newProject(), newProject()];
    await mock.resource(one, `/${seeded}`, update(4));
    await mock.resource(one, "/d7837e18-cc45-4c00-8db9-da596e263d96", { method: "DELETE" });
    expect(await read(mock, one, `/${seeded}`)).toMatchObject({ version: 5 });
    expect(await read(mock, other, `/${seeded}`)).toMatchObject({ version: 4 });
    expect(await read(mock, other, "/key=summer-dress-blue")).toMatchObject({ version: 1 });
  });

  test("do not share resources, images, facts and settings", async () => {
    const [one, other] = [newProject(), newProject()];
    const { id } = await write(mock, one);
    await read(mock, one, "/key=only-here");
    await mock.resource(one, "/namespace-action", json("POST", { only: "here" }));
    await configure(mock, one, { collection: "paged" });

    await configure(mock, other, { unknownIds: "not-found" });
    await expectError(await mock.resource(other, `/${id}`), "ResourceNotFound");
    await expectError(await mock.resource(other, "/key=only-here"), "ResourceNotFound");
    expect(await read(mock, other, "/namespace-action")).not.toHaveProperty("only");
    expect(await read(mock, other, "")).not.toHaveProperty("results");
  });

  test("keys that differ in one character are different projects", async () => {
    const key = newProject();
    const variants = [key, key.toUpperCase(), `${key} `, `${key}%`, `${key}é`, `${key}e\u0301`, `${key}/`, `${key}.`];
    for (const [index, variant] of variants.entries()) {
      const { id } = await write(mock, variant, "POST", { objectTypeProperty: { arrayOfIntExample: [index] } });
      expect(await read(mock, variant, `/${id}`)).toEqual({
        version: 1,
        objectTypeProperty: { arrayOfIntExample: [index] },
      });
      expect(await read(mock, variant, "/sorted-query-parameters?where=key+is+not+defined")).toMatchObject({
        total: 1,
      });
    }
  });

  test("a reset project has its initial state, and generates the same ids again", async () => {
    const project = newProject();
    const first = [await write(mock, project), await write(mock, project)].map(({ id }) => id);
    await mock.resource(project, `/${seeded}`, { method: "DELETE" });
    await inProject(mock, project, "POST", "/reset");
    expect(await read(mock, project, `/${seeded}`)).toMatchObject({ version: 4 });
    const again = [await write(mock, project), await write(mock, project)].map(({ id }) => id);
    expect(again).toEqual(first);
  });
});
