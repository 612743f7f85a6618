import { expect, test } from "vitest";
import { inProject } from "../setup/control.ts";
import { expectError } from "../setup/errors.ts";
import { json, type MockUnderTest, newProject, onAllTransports, onTransports } from "../setup/mock.ts";
import { configure, draft, read, stateOf, update, write } from "../setup/resources.ts";

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

/** Resets the project, and returns the number of its resources. */
async function resourcesAfterReset(mock: MockUnderTest, project: string): Promise<number> {
  expect((await inProject(mock, project, "POST", "/reset")).status).toBe(204);
  return (await stateOf(mock, project)).resources.length;
}

onTransports("projects of a server with the setting start: empty", { settings: { start: "empty" } }, (mock) => {
  test("have no resources at their first use and after a reset", async () => {
    const project = newProject();
    expect((await stateOf(mock, project)).resources).toEqual([]);
    await expectError(await mock.resource(project, `/${seeded}`, update(4)), "ConcurrentModification");
    await write(mock, project);
    expect(await resourcesAfterReset(mock, project)).toBe(0);
  });

  test("have the sample of the cart, and create unknown resources from the fixture", async () => {
    const project = newProject();
    expect(await read(mock, project, "/namespace-action-with-example")).toHaveProperty("lineItems");
    expect(await read(mock, project, "/key=unknown")).toMatchObject({ version: 1 });
  });

  test("start with the resources of seed.json after a change of the setting and a reset", async () => {
    const project = newProject();
    await configure(mock, project, { start: "sample" });
    expect(await resourcesAfterReset(mock, project)).toBe(5);
    expect(await read(mock, project, `/${seeded}`)).toMatchObject({ version: 4 });
  });
});

onTransports("the setting start of a project", {}, (mock) => {
  test("takes effect at the next reset, which keeps it, until the project is deleted", async () => {
    const [project, other] = [newProject(), newProject()];
    await configure(mock, project, { start: "empty", auth: "strict" });
    expect((await stateOf(mock, project)).resources).toHaveLength(5);
    for (const _reset of ["first", "second"]) {
      expect(await resourcesAfterReset(mock, project)).toBe(0);
      const { body } = await inProject(mock, project, "GET", "/settings");
      expect(body).toMatchObject({ start: "empty", auth: "lenient" });
    }
    expect(await resourcesAfterReset(mock, other)).toBe(5);

    await inProject(mock, project, "DELETE", "");
    expect((await stateOf(mock, project)).resources).toHaveLength(5);
  });

  test("is part of archives and forks", async () => {
    const [project, restored, fork] = [newProject(), newProject(), newProject()];
    await configure(mock, project, { start: "empty" });
    await inProject(mock, project, "POST", "/resources", { ...draft, id: "shirt" });
    const { body: archive } = await inProject(mock, project, "GET", "/archive");
    expect((await inProject(mock, restored, "PUT", "/archive", archive)).status).toBe(204);
    expect((await inProject(mock, fork, "PUT", "/archive", { from: project })).status).toBe(204);
    for (const copy of [restored, fork]) {
      expect((await stateOf(mock, copy)).resources).toHaveLength(6);
      expect(await resourcesAfterReset(mock, copy)).toBe(0);
    }
  });
});
