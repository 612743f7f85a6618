import { describe, expect, test } from "vitest";
import seed from "../../fixtures/seed.json" with { type: "json" };
import { expectProblem, inProject } from "../setup/control.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { draft, update, write } from "../setup/resources.ts";

/** Bytes with the signature of a PNG. */
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255]);

onTransports("the state of a project", {}, (mock) => {
  const exported = async (project: string) => (await mock.fetch(`/__admin/projects/${project}/state`)).text();

  /** Returns a project whose state contains data of every kind. */
  async function usedProject(): Promise<string> {
    const project = newProject();
    const { id } = await write(mock, project, "POST", { ...draft, "ünusual ": { nested: [null, 1.5, "\ud800"] } });
    await mock.resource(project, `/${id}`, update(1, [{ action: "changeSomeProperty", someProperty: "x" }]));
    await write(mock, project);
    await mock.resource(project, `/${id}`, { method: "DELETE" });
    await mock.resource(project, "/created-from-fixture");
    await mock.resource(project, "/namespace-action", json("POST", [null, { a: 1 }]));
    const headers = { "Content-Type": "image/png" };
    await mock.resource(project, "/images?sku=s&variant=2&staged=true", { method: "POST", body: png, headers });
    return project;
  }

  test("is the same document after export and import, byte for byte", async () => {
    const [project, other] = [await usedProject(), newProject()];
    const document = await exported(project);
    expect(JSON.parse(document)).toMatchObject({
      resources: [...seed.resources, { version: 1 }, { id: "created-from-fixture" }],
      deleted: { ids: [expect.any(String)], keys: [] },
      lastWritten: expect.any(String),
      namespaceAction: { body: [null, { a: 1 }] },
      images: [{ sku: "s", variant: 2, staged: true, base64: Buffer.from(png).toString("base64") }],
    });
    expect(await inProject(mock, other, "PUT", "/state", JSON.parse(document))).toMatchObject({
      status: 204,
      body: "",
    });
    expect(await exported(other)).toBe(document);
  });

  test("is served by the service after an import", async () => {
    const [project, other] = [await usedProject(), newProject()];
    await inProject(mock, other, "PUT", "/state", JSON.parse(await exported(project)));
    const { resources, deleted } = JSON.parse(await exported(other));
    expect((await mock.resource(other, `/${deleted.ids[0]}`)).status).toBe(404);
    expect(await (await mock.resource(other, "/namespace-action")).json()).toEqual([null, { a: 1 }]);
    const last = await mock.resource(other, "", json("PUT", draft));
    expect(last.headers.get("Location")).toMatch(`/${resources.at(-2).id}`);
  });

  test("can be replaced with a seed file", async () => {
    const project = newProject();
    await write(mock, project);
    expect((await inProject(mock, project, "PUT", "/state", seed)).status).toBe(204);
    expect(JSON.parse(await exported(project))).toEqual({
      ...seed,
      deleted: { ids: [], keys: [] },
      images: [],
      numbered: 0,
    });
  });

  test("is independent after a fork from another project", async () => {
    const [project, fork] = [await usedProject(), newProject()];
    const document = await exported(project);
    expect((await inProject(mock, fork, "PUT", "/state", { from: project })).status).toBe(204);
    expect(await exported(fork)).toBe(document);
    await write(mock, fork);
    expect(await exported(fork)).not.toBe(document);
    expect(await exported(project)).toBe(document);
  });

  test("alone determines the ids of later resources", async () => {
    const project = newProject();
    const before = JSON.parse(await exported(project));
    const first = await write(mock, project);
    await inProject(mock, project, "PUT", "/state", before);
    expect((await write(mock, project)).id).toBe(first.id);
  });

  describe("an invalid import", () => {
    test.each<[string, unknown, string[]]>([
      ["a document without resources", {}, ["/resources"]],
      ["a misspelt member", { resources: [], image: [] }, ["/image"]],
      [
        "resources that violate the schema, and each violation is reported",
        { resources: [{ id: 1, objectTypeProperty: {} }, { objectTypeProperty: { arrayOfIntExample: ["1"] } }, {}] },
        ["/resources/0/id", "/resources/1/objectTypeProperty/arrayOfIntExample/0", "/resources/2/objectTypeProperty"],
      ],
      [
        "a duplicate id",
        {
          resources: [
            { id: "a", objectTypeProperty: {} },
            { id: "a", objectTypeProperty: {} },
          ],
        },
        ["/resources/1/id"],
      ],
      [
        "bytes that are not base64",
        {
          resources: [],
          images: [{ id: "i", contentType: "image/png", uploadedAt: "2025-01-01T00:00:00Z", base64: "?" }],
        },
        ["/images/0/base64"],
      ],
      ["a fork of an unknown project", { from: "nobody" }, ["/from"]],
    ])("changes nothing, and returns 400 with the location: %s", async (_name, body, pointers) => {
      const project = await usedProject();
      const before = await exported(project);
      const errors = expectProblem(await inProject(mock, project, "PUT", "/state", body), 400, "InvalidField");
      expect(errors.map(({ pointer }) => pointer)).toEqual(pointers);
      expect(await exported(project)).toBe(before);
    });
  });
});
