import { expect, test } from "vitest";
import { expectProblem, inProject } from "../setup/control.ts";
import { documentOf, jsonResponse, objectOf } from "../setup/documents.ts";
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
          alternates: ["key"],
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

  test("the bytes of a file are returned, and browsers run none of them", async () => {
    const project = newProject();
    const sent = image("image/png");
    await mock.resource(project, "/images", sent);
    const { body } = await inProject<{ resources: { $mock: { id: string } }[] }>(
      mock,
      project,
      "GET",
      "/resources?type=Image",
    );
    const id = body.resources[0]?.$mock.id;
    const response = await mock.fetch(`/__admin/projects/${project}/resources/${id}/content?type=Image`);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(sent.body as Uint8Array));
    expect(response.headers.get("Content-Security-Policy")).toContain("sandbox");
    const { id: other } = await write(mock, project);
    for (const without of [`${other}/content`, "none/content?type=Image"])
      expectProblem(await inProject(mock, project, "GET", `/resources/${without}`), 404, "ResourceNotFound");
  });
});

const path = (name: string) => ({ in: "path", name, required: true, schema: { type: "string" } });
const post = objectOf({ id: { type: "string" }, title: { type: "string" } });
const posts = documentOf({
  "/users/{user}/posts": {
    parameters: [path("user")],
    get: { responses: { 200: jsonResponse({ type: "array", items: post }) } },
    post: {
      requestBody: { content: { "application/json": { schema: post } } },
      responses: { 201: jsonResponse(post) },
    },
  },
  "/users/{user}/posts/{id}": {
    parameters: [path("user"), path("id")],
    get: { responses: { 200: jsonResponse(post) } },
  },
});

onTransports("the types of a document", { contract: posts }, (mock) => {
  test("a type below another one has its collections, with their counts", async () => {
    const project = newProject();
    const seed = { "/users/ann/posts": [{ title: "a" }, { title: "b" }], "/users/b%2Fc/posts": [{ title: "c" }] };
    expect((await inProject(mock, project, "POST", "/resources", seed)).status).toBe(201);
    const { body } = await inProject<List>(mock, project, "GET", "/types");
    expect(body.types).toMatchObject([
      {
        path: "/users/{user}/posts",
        count: 3,
        collections: [
          { path: "/users/ann/posts", count: 2 },
          { path: "/users/b%2Fc/posts", count: 1 },
        ],
      },
    ]);
    const found = await inProject<List>(mock, project, "GET", "/resources?type=/users/b%252Fc/posts");
    expect(found.body.total).toBe(1);
  });
});
