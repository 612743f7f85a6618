import { join } from "node:path";
import { expect, test } from "vitest";
import { createResourceMock } from "../../src/library/resource-mock.ts";
import { inProject } from "../setup/control.ts";
import { documentOf, jsonResponse, send } from "../setup/documents.ts";
import { newProject, onTransports } from "../setup/mock.ts";

const contract = join(import.meta.dirname, "documents/responses.yaml");

onTransports("responses of a document", { contract }, (mock) => {
  test.each<[accept: string, expected: string | number]>([
    ["", "application/vnd.kitchen+json"],
    ["*/*", "application/vnd.kitchen+json"],
    ["text/csv", "text/csv"],
    ["application/json;q=0.1, text/csv", "text/csv"],
    ["application/json, text/plain, */*", "application/vnd.kitchen+json"],
    ["application/*, text/csv;q=0.5", "application/vnd.kitchen+json"],
    ["text/*;q=0.3, image/*;q=0.2", "text/csv"],
    ["text/csv;q=0, */*", "application/vnd.kitchen+json"],
    ["image/png", "image/png"],
    ["image/gif", 406],
    ["text/csv;q=0", 406],
    ["nonsense", "application/vnd.kitchen+json"],
  ])("Accept: %s is answered with %s", async (accept, expected) => {
    const { status, type, isOffContract } = await send(mock, "GET /menu", accept === "" ? {} : { Accept: accept });
    expect([typeof expected === "number" ? status : type, isOffContract]).toEqual([expected, expected === 406]);
  });

  test.each<[path: string, accept: string, expected: string | number]>([
    ["any", "", "application/json"],
    ["any", "*/*", "application/json"],
    ["any", "text/html, application/json;q=0.9", "application/json"],
    ["any", "application/vnd.kitchen+json", "application/vnd.kitchen+json"],
    ["text", "", "text/plain"],
    ["text", "application/json", "application/json"],
    ["text", "text/csv;q=0.5, text/markdown", "text/markdown"],
    ["text", "text/*", "text/plain"],
    ["image", "", "image/png"],
    ["image", "image/gif, */*", "image/gif"],
    ["image", "application/json", 406],
    ["mixed", "text/csv", "text/csv"],
    ["mixed", "application/hal+json", "application/hal+json"],
  ])("the range of /ranges/%s with Accept: %s becomes %s", async (path, accept, expected) => {
    const answer = await send(mock, `GET /ranges/${path}`, accept === "" ? {} : { Accept: accept });
    const { status, type, isOffContract } = answer;
    expect([typeof expected === "number" ? status : type, isOffContract]).toEqual([expected, expected === 406]);
  });

  test.each([
    [
      "/feed",
      "text/xml",
      '<f:x-feed xmlns:f="https://example.com/feed" key="&#34;7&#34;" xml:lang="en"><heading>A &#38; B</heading>'.concat(
        "<tag>t</tag><tag>t</tag><writers><writers><name>Ann</name></writers></writers></f:x-feed>",
      ),
    ],
    ["/xml/list", "application/xml", "<numbers><number>1</number><number>2</number></numbers>"],
    ["/xml/text", "application/atom+xml", "<feed/>"],
    ["/xml/any", "application/xml", "<_5><a_b><_1></_1></a_b><a_b>true</a_b><c>&#60;&#38;&#62;</c><d>1</d></_5>"],
  ])("the XML of %s has the form of its schema", async (path, accept, xml) => {
    const { type, body, isOffContract } = await send(mock, `GET ${path}`, { Accept: accept });
    expect([type, body, isOffContract]).toEqual([accept, xml, false]);
  });

  test("a dynamic response has the media type that the client accepts", async () => {
    for (const type of ["application/vnd.kitchen+json", "text/csv"]) {
      const answer = await send(mock, "GET /menu", { Accept: type, Prefer: "dynamic=true" });
      expect([answer.status, answer.type, answer.headers.get("Mock-Source")]).toEqual([200, type, "generated"]);
    }
  });

  test("documented headers have the value of their example, or a valid one", async () => {
    const { headers } = await send(mock, "GET /menu");
    const names = ["X-Total", "X-Window", "X-Range", "X-Mode", "X-Json", "X-Named"];
    const values = names.map((name) => headers.get(name));
    expect(values).toEqual(["5", "1,2,3", "from=1,to=2", "fast", '{"a":1}', "first"]);
    expect(headers.get("X-Trace")).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  });

  test("HEAD is GET without the body, and OPTIONS is answered as documented", async () => {
    const { status, body, headers, type } = await send(mock, "HEAD /menu");
    expect([status, body, headers.get("X-Total"), type]).toEqual([200, "", "5", "application/vnd.kitchen+json"]);
    const options = await send(mock, "OPTIONS /menu");
    expect([options.status, options.headers.get("Allow"), options.body]).toEqual([200, "GET, OPTIONS", ""]);
  });

  test.each<[request: string, status: number, type: string | null]>([
    ["DELETE /menu", 204, null],
    ["GET /ping", 200, null],
    ["POST /orders", 201, "application/json"],
    ["GET /class", 200, "application/json"],
    ["GET /moved", 302, null],
    ["GET /sole", 200, "application/json"],
    ["GET /none", 204, null],
    ["POST /none", 204, null],
    ["GET /text", 200, "text/plain"],
  ])("the request %s gets the status %i", async (request, status, type) => {
    for (const headers of [{}, { Accept: type ?? "application/json" }] as Record<string, string>[]) {
      const init = { method: request.split(" ")[0] ?? "", headers, redirect: "manual" } as const;
      const response = await mock.fetch(request.split(" ")[1] ?? "", init);
      expect([response.status, response.headers.get("Content-Type")]).toEqual([status, type]);
      expect((await response.text()) !== "").toBe(type !== null);
      expect(response.headers.get("Mock-Off-Contract")).toBe(request.endsWith("/none") ? "true" : null);
    }
  });

  test.each<[prefer: string, status: number, body: unknown]>([
    ["code=200", 200, { text: "plain" }],
    ["example=fancy", 200, { text: "fancy" }],
    ["code=200, example=fancy", 200, { text: "fancy" }],
    ["code=404", 404, { error: "none" }],
    ["code=451", 451, { error: "none" }],
    ["code=503", 503, { error: "night" }],
    ["example=night", 503, { error: "night" }],
    ["code=500", 500, { odd: true }],
    ["dynamic=true", 200, { text: expect.not.stringMatching(/^(plain|fancy)$/) }],
  ])("Prefer: %s chooses the status and the example", async (prefer, status, body) => {
    const answer = await send(mock, "GET /greeting", { Prefer: prefer });
    expect([answer.status, answer.body, answer.isOffContract]).toEqual([status, body, false]);
    expect(answer.headers.get("Preference-Applied")).toBe(prefer);
  });

  test("a preference that the document does not have is refused with those that it has", async () => {
    const examples = await send(mock, "GET /greeting", { Prefer: "example=plane" });
    expect([examples.status, examples.reason]).toEqual([400, expect.stringContaining("plain, fancy")]);
    const codes = await send(mock, "GET /ping", { Prefer: "code=404" });
    expect([codes.status, codes.reason]).toEqual([400, expect.stringMatching(/expected a status of getPing \(200\)/)]);
  });

  test("the setting responses: generated replaces examples by values of the schema", async () => {
    const project = newProject();
    await inProject(mock, project, "PATCH", "/settings", { responses: "generated" });
    const { body, headers } = await send(mock, `GET /${project}/dishes/7`);
    expect([body, headers.get("Mock-Source")]).toEqual([expect.objectContaining({ id: 7 }), "generated"]);
    expect(body.name).not.toBe("Soup");
    expect((await send(mock, `GET /${project}/dishes/7`)).body).toEqual(body);
    const fancy = await send(mock, `GET /${project}/greeting`, { Prefer: "example=fancy" });
    expect(fancy.body).toEqual({ text: "fancy" });
  });

  test("a path parameter is in the member that it identifies, where the schema allows it", async () => {
    expect((await send(mock, "GET /dishes/42")).body).toEqual({ id: 42, name: "Soup", price: 3 });
    expect((await send(mock, "GET /dishes/x")).body).toEqual({ id: 1, name: "Soup", price: 3 });
    expect((await send(mock, "GET /names/Stew")).body).toEqual({ dishName: "Stew" });
    expect((await send(mock, "GET /names/Goulash")).body).toEqual({ dishName: "Soup" });
  });

  test("the invalid members of an example are replaced by generated ones, and the others stay", async () => {
    const { body, isOffContract, headers } = await send(mock, "PUT /dishes/x");
    expect(body).toEqual({ id: expect.any(Number), name: expect.stringMatching(/^.{3,9}$/s), price: 3 });
    expect([isOffContract, headers.get("Mock-Source")]).toEqual([false, "example:default"]);
  });

  test("generated arrays have the items that contains requires", async () => {
    const { body, isOffContract } = await send(mock, "GET /contains");
    expect(body).toEqual({
      title: "Menu",
      mail: expect.stringContaining("@"),
      numbers: expect.arrayContaining([expect.any(Number)]),
      pairs: expect.any(Array),
    });
    expect(body.pairs.filter((letter: string) => /^[ab]$/.test(letter)).length).toBeGreaterThanOrEqual(2);
    expect(isOffContract).toBe(false);
  });

  test("a schema that contains itself ends at its optional members", async () => {
    const { status, body } = await send(mock, "GET /tree");
    expect(status).toBe(200);
    for (let next = body.next; next !== undefined; next = next.next) expect(next.leaf).toEqual(expect.any(Boolean));
  });
});

test("where no value is valid, the generated one also has optional members", async () => {
  const option = { type: "object", required: ["a"], properties: { a: { const: 1 }, b: { const: 2 } } };
  const responses = { 200: jsonResponse({ oneOf: [option, { ...option, title: "the same" }] }) };
  await using unchecked = await createResourceMock({ contract: documentOf({ "/": { get: { responses } } }) });
  const { body, isOffContract } = await send(unchecked, "GET /");
  expect([body, isOffContract]).toEqual([{ a: 1, b: 2 }, true]);
});
