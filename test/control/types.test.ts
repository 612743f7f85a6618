import { expect, test } from "vitest";
import { expectProblem, inProject } from "../setup/control.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { image } from "../setup/requests.ts";
import { write } from "../setup/resources.ts";

interface List {
  readonly total: number;
  readonly [name: string]: unknown;
}

onTransports("the types of stored items", {}, (mock) => {
  test("are listed with their paths and counts", async () => {
    const project = newProject();
    await write(mock, project);
    await mock.resource(project, "/images", image("image/png"));
    const { body } = await inProject<List>(mock, project, "GET", "/types");
    expect(body).toEqual({
      types: [
        {
          name: "Resource",
          path: "/resource",
          kind: "collection",
          id: "id",
          version: "version",
          paging: ["limit", "offset", "withTotal"],
          sorting: ["sort"],
          filters: ["where"],
          readBack: true,
          count: 6,
        },
        { name: "Image", path: "/resource/images", kind: "files", id: "$mock.id", count: 1 },
        { name: "NamespaceAction", path: "/resource/namespace-action", kind: "singleton", count: 0 },
      ],
      total: 3,
    });
  });

  test("select items: those of a file and of a singleton have their bookkeeping under $mock", async () => {
    const project = newProject();
    await mock.resource(project, "/images?sku=s", image("image/png"));
    await mock.resource(project, "/namespace-action", json("POST", { points: 1 }));
    await mock.resource(project, "/namespace-action", json("POST", { points: 2 }));
    const list = async (type: string) => (await inProject<List>(mock, project, "GET", `/resources?type=${type}`)).body;
    const bookkeeping = { createdAt: expect.any(String), lastModifiedAt: expect.any(String) };
    const images = await list("Image");
    expect(images).toEqual({
      resources: [
        {
          sku: "s",
          contentType: "image/png",
          bytes: 10,
          $mock: { id: expect.any(String), version: 1, ...bookkeeping },
        },
      ],
      total: 1,
    });
    expect((await list("NamespaceAction")).resources).toEqual([
      { points: 2, $mock: { id: "", version: 2, ...bookkeeping } },
    ]);
    expect(await list("Resource")).toEqual((await inProject(mock, project, "GET", "/resources")).body);
  });

  test("select one item, its history, and its deletion", async () => {
    const project = newProject();
    await mock.resource(project, "/images", image("image/png"));
    const [{ id } = { id: "" }] = (await inProject<{ images: { id: string }[] }>(mock, project, "GET", "/images")).body
      .images;
    const call = (method: string, path = "") => inProject(mock, project, method, `/resources/${id}${path}?type=Image`);
    const [item, history] = [await call("GET"), await call("GET", "/history")];
    expect(item.body).toMatchObject({ contentType: "image/png", $mock: { id } });
    expect(history.body).toMatchObject({ versions: [{ version: 1, resource: item.body }] });
    expectProblem(await inProject(mock, project, "GET", `/resources/${id}`), 404, "ResourceNotFound");
    expect((await call("DELETE")).status).toBe(204);
    expectProblem(await call("GET"), 404, "ResourceNotFound");
    expect((await inProject<List>(mock, project, "GET", "/images")).body.total).toBe(0);
  });

  test("an unknown one is 400 with the known ones", async () => {
    const reply = await inProject(mock, newProject(), "GET", "/resources?type=Resuorce");
    expectProblem(reply, 400, "InvalidField", 'type: unknown type. Did you mean "Resource"?');
  });
});
