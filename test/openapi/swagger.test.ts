import { join } from "node:path";
import { expect, test } from "vitest";
import { readDocument } from "../../src/openapi/read/index.ts";
import { send } from "../setup/documents.ts";
import { onTransports } from "../setup/mock.ts";

const contract = join(import.meta.dirname, "documents/swagger.yaml");
const FORM = "application/x-www-form-urlencoded";

test("a document of Swagger 2.0 becomes one of OpenAPI 3.1, without warnings", async () => {
  const { document, warnings } = await readDocument(contract);
  expect(warnings).toEqual([]);
  const tokenUrl = "https://example.com/t";
  const authorizationUrl = "https://example.com/a";
  const flows = (flow: string, urls: object) => ({ type: "oauth2", flows: { [flow]: { scopes: {}, ...urls } } });
  expect(document).toMatchObject({
    openapi: "3.1.1",
    servers: [{ url: "https://kitchen.example.com/v1" }, { url: "http://kitchen.example.com/v1" }],
    components: {
      securitySchemes: {
        basic: { type: "http", scheme: "basic" },
        key: { type: "apiKey", in: "header", name: "X-Key", description: "A key." },
        code: flows("authorizationCode", { authorizationUrl, tokenUrl, scopes: { read: "Read." } }),
        application: flows("clientCredentials", { tokenUrl }),
        implicit: flows("implicit", { authorizationUrl }),
        password: flows("password", { tokenUrl }),
      },
      schemas: { Soup: { allOf: [{ $ref: "#/components/schemas/Dish" }, {}] } },
    },
  });
  const own = ["swagger", "host", "basePath", "schemes", "consumes", "produces", "definitions", "parameters"];
  for (const name of [...own, "responses", "securityDefinitions"]) expect(document).not.toHaveProperty(name);
  expect(JSON.stringify(document)).not.toMatch(/"collectionFormat"|formData|#\/(definitions|parameters|responses)/);
});

test("a response without a schema has the media types of its examples, unless the document names others", async () => {
  const responses = { 200: { description: "ok", examples: { "text/plain": "hello" } } };
  const paths = { "/greeting": { get: { responses } } };
  const typesWith = async (members: object) => {
    const { document } = await readDocument({ swagger: "2.0", paths, ...members });
    const { paths: read } = document as {
      paths: Record<string, { get: { responses: Record<string, { content: object }> } }>;
    };
    return Object.keys(read["/greeting"]?.get.responses[200]?.content ?? {});
  };
  expect(await typesWith({})).toEqual(["text/plain"]);
  expect(await typesWith({ produces: ["text/html"] })).toEqual(["text/html", "text/plain"]);
});

test.each<[object, string[] | undefined]>([
  [{ basePath: "v1" }, ["/v1"]],
  [{ host: "a.example.com" }, ["http://a.example.com/"]],
  [{}, undefined],
])("the servers of %j", async (members, urls) => {
  const { document } = await readDocument({ swagger: "2.0", paths: {}, ...members });
  expect(document.servers).toEqual(urls?.map((url) => ({ url })));
});

onTransports("a document of Swagger 2.0", { contract }, (mock) => {
  const post = (request: string, type: string, body?: unknown) =>
    send(mock, request, type === "" ? {} : { "Content-Type": type }, body);
  const soup = { kind: "Soup", name: "Pea" };

  test.each<[request: string, type: string, accepted: unknown[], refused: [unknown, RegExp][]]>([
    ["POST /dishes", "", [soup, { ...soup, price: null, friend: null }], [[undefined, /body is required/]]],
    ["POST /dishes", "", [{ ...soup, price: 1, friend: soup }], [[{ ...soup, price: 0 }, /^\/price/]]],
    ["POST /v1/dishes", "", [soup], [[{ ...soup, friend: { name: 5 } }, /^\/friend\/kind/]]],
    ["PUT /dishes/5", "", [soup], [[undefined, /body is required/]]],
    ["PATCH /dishes/5", "application/merge-patch+json", ['{"name":"x"}', ""], [['{"name":5}', /^\/name/]]],
    ["POST /soups", "", [{ ...soup, heat: 3 }, undefined], [[soup, /^\/heat/]]],
    ["POST /cleared", "", [soup], [[{}, /^\/kind/]]],
    ["POST /forms", FORM, ["name=a&plain=1,2&tsv=1%092&multi=1&multi=2&count=&note=abc"], [["note=a", /^\/name/]]],
    ["POST /forms", FORM, ["name=a&count=5"], [["", /body is required/]]],
    ["POST /forms", FORM, [], [["name=a&plain=1,x", /^\/plain\/1/]]],
    ["POST /forms", FORM, [], [["name=a&tsv=1%09x", /^\/tsv\/1/]]],
    ["POST /forms", FORM, [], [["name=a&multi=1&multi=x", /^\/multi\/1/]]],
    ["POST /forms", FORM, [], [["name=a&note=abcd", /^\/note/]]],
    ["POST /forms", FORM, [], [["name=a&count=x", /^\/count/]]],
    ["PUT /forms", FORM, ["note=abc", ""], [["note=abcd", /^\/note/]]],
  ])("validates a body of %s with the media type %j", async (request, type, accepted, refused) => {
    for (const body of accepted) expect([body, (await post(request, type, body)).reason]).toEqual([body, null]);
    for (const [body, reason] of refused) expect((await post(request, type, body)).reason).toMatch(reason);
  });

  test("forms with files are multipart, and other forms can be", async () => {
    const partsOf = async (fields: Record<string, string | Blob>) => {
      const data = new FormData();
      for (const [name, value] of Object.entries(fields)) data.append(name, value);
      const request = new Request("http://in.process", { method: "POST", body: data });
      return [request.headers.get("Content-Type") ?? "", await request.bytes()] as const;
    };
    const photo = new File([new Uint8Array([0, 255])], "a.png", { type: "image/png" });
    expect((await post("POST /photos", ...(await partsOf({ photo, note: "abc" })))).status).toBe(200);
    expect((await post("POST /photos", ...(await partsOf({ photo, note: "abcd" })))).reason).toMatch(/^\/note/);
    expect((await post("POST /photos", ...(await partsOf({ note: "abc" })))).reason).toMatch(/^\/photo/);
    expect((await post("POST /photos", FORM, "photo=x")).status).toBe(415);
    expect((await post("POST /forms", ...(await partsOf({ name: "a", plain: "1,2" })))).status).toBe(200);
    expect((await post("PUT /forms", ...(await partsOf({ note: "abc" })))).status).toBe(415);
    expect((await post("POST /forms", "application/json", { name: "a" })).reason).toContain(
      `${FORM} or multipart/form-data`,
    );
  });

  test.each<[query: string, isValid: boolean]>([
    ["plain=1,2", true],
    ["plain=1,x", false],
    ["csv=1,2", true],
    ["csv=1|2", false],
    ["ssv=1%202", true],
    ["ssv=1,2", false],
    ["tsv=1%092", true],
    ["tsv=1%09x", false],
    ["tsv=1,2", false],
    ["pipes=1|2", true],
    ["pipes=1,2", false],
    ["multi=1&multi=2", true],
    ["multi=1,2", false],
    ["size=&csv=", true],
    ["size=x", false],
  ])("lists in the query: %s", async (query, isValid) => {
    expect((await send(mock, `GET /lists/1|2?${query}`)).status).toBe(isValid ? 200 : 400);
  });

  test("lists in the path and in headers", async () => {
    expect((await send(mock, "GET /lists/1%7C2", { "X-List": "1 2" })).status).toBe(200);
    expect((await send(mock, "GET /lists/1,2")).status).toBe(400);
    expect((await send(mock, "GET /lists/1", { "X-List": "1,2" })).status).toBe(400);
  });

  test("parameters, examples and headers of shared parts", async () => {
    const { body, headers, type } = await send(mock, "GET /new/dishes?limit=9");
    expect([body, type]).toEqual([[{ id: 1, kind: "Dish", name: "Stew" }], "application/json"]);
    expect([headers.get("X-Ids"), headers.get("X-Spoons")]).toEqual(["0|0", "7"]);
    expect(await send(mock, "GET /dishes", { Accept: "text/csv" })).toMatchObject({
      body: "Dish,Stew",
      type: "text/csv",
    });
    const { status, reason, isOffContract } = await send(mock, "GET /dishes?limit=10");
    expect([status, reason, isOffContract]).toEqual([400, expect.stringMatching(/^limit: /), false]);
  });

  test("media types of an operation, of the document, and of files", async () => {
    const merge = { "Content-Type": "application/merge-patch+json" };
    expect((await send(mock, "PATCH /dishes/5", merge, "{}")).type).toBe("application/vnd.kitchen+json");
    expect((await send(mock, "POST /dishes", {}, soup)).type).toBe("application/json");
    expect((await send(mock, "POST /dishes", { Accept: "application/xml" }, soup)).type).toBe("application/xml");
    expect((await send(mock, "POST /cleared", {}, soup)).type).toBe("application/json");
    expect((await send(mock, "GET /photos")).type).toBe("application/octet-stream");
    expect((await send(mock, "HEAD /photos")).type).toBe("image/png");
  });
});
