import { expect, test } from "vitest";
import { createResourceMock } from "../../src/library/resource-mock.ts";
import { control, inProject } from "../setup/control.ts";
import { documentOf, jsonResponse, objectOf, send } from "../setup/documents.ts";
import { type MockUnderTest, newProject, onTransports, useMock } from "../setup/mock.ts";

const text = { type: "string" };

/** Returns operations that say which of them responds. */
function says(name: string, methods: string[] = ["get"], more: object = {}): object {
  const operation = { ...more, responses: { 200: jsonResponse(objectOf({ says: text }), { says: name }) } };
  return Object.fromEntries(methods.map((method) => [method, operation]));
}

function inPath(name: string, schema: object): object {
  return { name, in: "path", required: true, schema };
}

async function said(mock: MockUnderTest, request: string): Promise<unknown> {
  const { status, body } = await send(mock, request);
  return status === 200 ? (body.says ?? body) : status;
}

const menus = documentOf(
  {
    "/menus/{menu}/{course}": says("course"),
    "/menus/{menu}": says("menu", ["get", "patch", "options"]),
    "/menus/{menu}.txt": says("as text"),
    "/menus/{menu}:print": says("print", ["post"]),
    "/menus/{from}...{to}": says("difference"),
    "/menus/today": says("today", ["get", "put"]),
    "/menus/today/soup-of-the.day": says("soup"),
    "/menus/{other}/": says("slash", ["delete"]),
    "/tables/{number}": { parameters: [inPath("number", { type: "integer" })], ...says("by number") },
    "/tables/{key}": { parameters: [inPath("key", { format: "uuid", type: "string" })], ...says("by key") },
    "/tables/{name}": says("by name", ["get", "options"]),
    "/orders/{id}/close?tip=true": says("close", ["post"]),
    "/orders?beta=true": says("beta orders", ["get", "post"]),
    "/orders#all": says("all orders"),
    "/orders": says("orders"),
    "/chefs": { servers: [{ url: "https://chefs.example.com/v3/" }], ...says("chefs") },
    "/bills": says("bill", ["post"], { servers: [{ url: "/{year}/b", variables: { year: { default: "2024" } } }] }),
    "/rooms/{roomId}": { $ref: "#/components/pathItems/Room" },
  },
  {
    servers: [{ url: "/kitchen/v1" }, { url: "https://api.example.com/kitchen" }],
    components: {
      pathItems: {
        Room: {
          parameters: [{ $ref: "#/components/parameters/RoomId" }],
          get: { responses: { 200: { $ref: "#/components/responses/Room" }, 422: { description: "invalid" } } },
        },
      },
      parameters: { RoomId: { name: "roomId", in: "path", required: true, schema: { type: "integer", maximum: 99 } } },
      headers: { Floor: { schema: { const: 3 } } },
      responses: {
        Room: {
          ...jsonResponse(objectOf({ name: text })),
          headers: { "X-Floor": { $ref: "#/components/headers/Floor" } },
        },
      },
    },
  },
);

onTransports("paths of a document", { contract: menus }, (mock) => {
  test.each<[says: unknown, ...requests: string[]]>([
    ["today", "GET /menus/today", "PUT /menus/today", "GET /menus/%74oday", "GET /kitchen/v1/menus/today"],
    ["menu", "GET /menus/monday", "GET /menus/monday/", "PATCH /menus/today", "GET /menus/a%2Fb", "GET /menus/100%"],
    ["menu", "OPTIONS /menus/monday", "GET /kitchen/menus/monday"],
    ["as text", "GET /menus/monday.txt"],
    ["difference", "GET /menus/monday...friday"],
    ["print", "POST /menus/monday:print"],
    ["soup", "GET /menus/today/soup-of-the.day"],
    ["course", "GET /menus/today/fish", "GET /menus/monday/soup-of-the.day"],
    ["by number", "GET /tables/12"],
    ["by key", "GET /tables/0d9e5a4e-8f0a-4a3b-9d5b-6a3a2f1c7e10"],
    ["by name", "GET /tables/window", "OPTIONS /tables/12"],
    ["close", "POST /orders/7/close", "POST /orders/7/close?tip=true"],
    ["orders", "GET /orders", "GET /orders?beta=true"],
    ["beta orders", "POST /orders"],
    ["slash", "DELETE /menus/today", "DELETE /menus/today/"],
    ["chefs", "GET /v3/chefs", "GET /chefs"],
    ["bill", "POST /2024/b/bills"],
    [404, "GET /kitchen/v9/menus/today", "GET /menus", "GET /menus/a/b/c", "GET /Menus/today", "HEAD /menus/a/b/c"],
  ])("returns '%s' for %s", async (expected, ...requests) => {
    for (const request of requests) {
      expect([request, await said(mock, request)]).toEqual([request, expected]);
      // An unknown first segment is a project.
      if (expected !== 404) expect(await said(mock, request.replace("/", `/${newProject()}/`))).toBe(expected);
    }
  });

  test("an undocumented method is 405 with the methods of all paths that match", async () => {
    for (const [request, allowed] of [
      ["DELETE /menus/monday/soup", "GET, HEAD"],
      ["POST /menus/today", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"],
      ["PUT /kitchen/v1/chefs", "GET, HEAD"],
      ["GET /bills", "POST"],
    ] as const) {
      const { status, headers } = await send(mock, request);
      const found = (headers.get("Allow") ?? "").split(", ").sort();
      expect([request, status, ...found]).toEqual([request, 405, ...allowed.split(", ").sort()]);
    }
  });

  test("a path item behind a reference has its parameters, response and headers", async () => {
    const { status, headers, body } = await send(mock, "GET /rooms/12");
    expect([status, headers.get("X-Floor"), body]).toEqual([200, "3", { name: expect.any(String) }]);
    for (const room of ["twelve", "100", "1.5"]) {
      const refused = await send(mock, `GET /rooms/${room}`);
      expect([room, refused.status, refused.body, refused.isOffContract]).toEqual([room, 422, "", false]);
      expect(refused.reason).toMatch(/^roomId/);
    }
  });

  test("every response names its project, and first segments of paths are no projects", async () => {
    const project = newProject();
    const projectOf = async (path: string) => (await send(mock, `GET ${path}`)).headers.get("Mock-Project");
    expect(await projectOf("/menus/today")).toBe("default");
    expect(await projectOf("/kitchen/v1/menus/today")).toBe("default");
    expect(await projectOf(`/${project}/kitchen/menus/today`)).toBe(project);
    expect(await projectOf(`/${project}/menus`)).toBe(project);
    for (const key of ["menus", "kitchen", "v3", "2024"]) {
      const { status, body } = await inProject(mock, key, "PATCH", "/settings", { journalSize: 7 });
      expect([key, status, body.detail]).toEqual([key, 400, expect.stringContaining("paths of the service start")]);
    }
  });
});

const reports = documentOf({
  "/reports": says("reports"),
  "/reports:{action}": says("action"),
  "/{name}.pdf": says("file"),
  "/reports/{name}": says("report"),
});

onTransports("first segments with a text and a parameter", { contract: reports }, (mock) => {
  test.each([
    ["GET /reports:close", "action", "default"],
    ["GET /may.pdf", "file", "default"],
    ["GET /may.pdf/reports", 404, "default"],
    ["GET /p/reports:close", "action", "p"],
    ["GET /p/may.pdf", "file", "p"],
  ])("the request %s reaches %s in the project %s", async (request, expected, project) => {
    expect(await said(mock, request)).toBe(expected);
    expect((await send(mock, request)).headers.get("Mock-Project")).toBe(project);
  });

  test("are no projects", async () => {
    for (const key of ["reports:close", "may.pdf"]) {
      const { status, body } = await inProject(mock, key, "PATCH", "/settings", { journalSize: 7 });
      expect([key, status, body.detail]).toEqual([key, 400, expect.stringContaining("paths of the service start")]);
    }
  });
});

const shops = documentOf(
  { "/{shop}": says("shop"), "/{shop}/shelves/{shelf}": says("shelf"), "/{shop}/shelves": says("shelves") },
  { servers: [{ url: "/v4" }] },
);

onTransports("paths that begin with a free text", { contract: shops }, (mock) => {
  test("their first segment is the project", async () => {
    const [a, b] = [newProject(), newProject()];
    for (const path of [`/${a}`, `/v4/${a}/shelves`, `/${b}/shelves/7`]) await send(mock, `GET ${path}`);
    const pathsOf = async (project: string) => {
      const { body } = await inProject<{ requests: { request: { path: string } }[] }>(
        mock,
        project,
        "GET",
        "/requests",
      );
      return body.requests.map(({ request }) => request.path).sort();
    };
    expect(await pathsOf(a)).toEqual([`/${a}`, `/v4/${a}/shelves`]);
    expect(await pathsOf(b)).toEqual([`/${b}/shelves/7`]);
    const { status, headers } = await send(mock, `GET /${a}/tables`);
    expect([status, headers.get("Mock-Project")]).toEqual([404, a]);
  });
});

const mock = useMock("in process", { contract: documentOf({ "/": says("root"), "/__admin": says("admin") }) });

test("the root belongs to the document unless the client prefers HTML, and below a project also the paths of the mock", async () => {
  expect(await said(mock, "GET /")).toBe("root");
  expect((await send(mock, "GET /", { Accept: "text/html,*/*;q=0.8" })).headers.get("Location")).toBe("/__admin/ui");
  expect(await said(mock, "GET /p/__admin")).toBe("admin");
  expect((await control(mock, "GET", "/health")).status).toBe(200);
});

test("a document without paths responds 404", async () => {
  const empty = await createResourceMock({ contract: documentOf({}) });
  expect((await send(empty, "GET /nothing/at/all")).status).toBe(404);
  await empty.close();
});
