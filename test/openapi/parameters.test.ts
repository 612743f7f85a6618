import { expect, test } from "vitest";
import { createResourceMock } from "../../src/library/resource-mock.ts";
import { inProject } from "../setup/control.ts";
import { documentOf, jsonResponse, objectOf, send } from "../setup/documents.ts";
import { newProject, onTransports } from "../setup/mock.ts";

const integer = { type: "integer" };
const integers = { type: "array", items: integer, minItems: 2 };
const point = { ...objectOf({ x: integer, y: integer }), additionalProperties: false };
const nullable = { ...point, properties: { x: integer, y: { type: ["integer", "null"] } } };

/** Returns the path item of a GET with these parameters, each in `[in, name, schema, others]`. */
function takes(...parameters: [place: string, name: string, schema?: object, others?: object][]): object {
  return {
    get: {
      parameters: parameters.map(([place, name, schema, others]) => {
        return { in: place, name, required: place === "path", ...(schema && { schema }), ...others };
      }),
      responses: { 200: jsonResponse(objectOf({ ok: {} }), { ok: true }), 400: { description: "invalid" } },
    },
  };
}

const document = documentOf({
  "/label/{p}": takes(["path", "p", integers, { style: "label" }]),
  "/labels/{p}": takes(["path", "p", point, { style: "label", explode: true }]),
  "/matrix/{p}": takes(["path", "p", integers, { style: "matrix" }]),
  "/matrices/{p}": takes(["path", "p", point, { style: "matrix", explode: true }]),
  "/simple/{p}": takes(["path", "p", point]),
  "/simples/{p}": takes(["path", "p", point, { explode: true }]),
  "/forms": takes(
    ["query", "list", integers],
    ["query", "commas", integers, { explode: false }],
    ["query", "spaces", integers, { style: "spaceDelimited", explode: false }],
    ["query", "pipes", integers, { style: "pipeDelimited", explode: false }],
    ["query", "pair", point, { explode: false }],
    ["query", "deep", nullable, { style: "deepObject" }],
    ["query", "json", undefined, { content: { "application/json": { schema: point } } }],
  ),
  "/points": takes(["query", "point", point, { required: true }]),
  "/scalars": takes(
    ["query", "long", { type: "integer", format: "int64" }],
    ["query", "any", integer],
    ["query", "flag", { type: "boolean" }],
    ["query", "number", { type: "number", exclusiveMinimum: 0 }],
    ["query", "date", { type: "string", format: "date" }],
    ["query", "size", { enum: ["s", "m", 3] }],
    ["query", "either", { oneOf: [integer, { const: "all" }] }],
    ["query", "code", { type: "string", pattern: "^[0-9]{3}$" }],
    ["query", "empty", { type: "boolean" }, { allowEmptyValue: true }],
    ["query", "full", { type: "string" }, { allowEmptyValue: false }],
  ),
  "/headers": takes(
    ["header", "X-Size", integer, { required: true }],
    ["header", "X-List", integers],
    ["header", "Accept", integer, { required: true }],
    ["cookie", "seat", integer],
  ),
  "/page": takes(["query", "limit", { ...integer, maximum: 50, default: 20 }], ["query", "q", {}, { required: true }]),
});

onTransports("parameters of a document", { contract: document }, (mock) => {
  test.each<[path: string, accepted: string[], refused: string[]]>([
    ["/label/", [".3,4", ".3.4"], [".3", ".3,x", "3,4"]],
    ["/labels/", [".x=1.y=2"], [".x=1", ".x=1.y=b", "x=1,y=2"]],
    ["/matrix/", [";p=3,4", ";p=3%2C4"], [";p=3", ";q=3,4", "3,4"]],
    ["/matrices/", [";x=1;y=2"], [";x=1", ";x=1;y=two"]],
    ["/simple/", ["x,1,y,2"], ["x,1", "x,1,y,b", "x,1,y,2,z,3"]],
    ["/simples/", ["x=1,y=2"], ["x=1", "x=a,y=2"]],
    ["/forms?list=", ["3&list=4", "-3&list=0&list=8"], ["3", "3&list=x", ""]],
    ["/forms?commas=", ["3,4", "3%2C4"], ["3", "3,x", "3,,4"]],
    ["/forms?spaces=", ["3%204", "3+4"], ["3", "3%20x"]],
    ["/forms?pipes=", ["3|4", "3%7C4"], ["3", "3|x"]],
    ["/forms?pair=", ["x,1,y,2"], ["x,1", "x,1,y,b"]],
    ["/forms?deep", ["[x]=1&deep[y]=2", "%5Bx%5D=1&deep%5By%5D=", "[x]=1&deep[y]=null"], ["[x]=1", "[x]=a&deep[y]=2"]],
    ["/forms?json=", ['{"x":1,"y":2}', "%7B%22x%22%3A1,%22y%22:2%7D"], ["{", '{"x":1}', "x"]],
    ["/points?", ["x=1&y=2", "y=2&x=1&z=3"], ["x=1", "x=1&y=b", ""]],
    ["/scalars?long=", ["9007199254740993", "-9223372036854775808"], ["9223372036854775808", "1.5", "", "0x10"]],
    ["/scalars?any=", ["123456789012345678901234567890", "-0", "7"], ["1.5", "+1", "%201", "1a", "null", "07"]],
    ["/scalars?flag=", ["true", "false"], ["True", "1", "", "yes", "true&flag=false"]],
    ["/scalars?number=", ["0.5", "1e3"], ["0", "NaN", "Infinity", "1e999", ".5", "1,5"]],
    ["/scalars?date=", ["2024-02-29"], ["2023-02-29", "today", "2024-02-29T00:00:00Z"]],
    ["/scalars?size=", ["s", "3"], ["l", "4", "S"]],
    ["/scalars?either=", ["7", "all"], ["some", "7.5"]],
    ["/scalars?code=", ["007", "123"], ["7", "1234"]],
    ["/scalars?empty", ["", "=", "=true"], ["=x", "=1"]],
    ["/scalars?full", ["=x", "=%20"], ["", "="]],
    ["/page?q=", ["", "x&limit=50", "x&unknown=1"], ["x&limit=51"]],
    ["/page?", ["q"], ["", "limit=5"]],
  ])("the path %s accepts the values %j and refuses %j", async (path, accepted, refused) => {
    for (const [values, expected] of [
      [accepted, 200],
      [refused, 400],
    ] as const) {
      for (const value of values) {
        const { status, reason } = await send(mock, `GET ${path}${value}`);
        expect([value, status, reason]).toEqual([value, expected, expected === 200 ? null : expect.any(String)]);
      }
    }
  });

  test("headers and cookies are read by their schemas, and Accept is no parameter", async () => {
    const statusOf = async (headers: Record<string, string>) => (await send(mock, "GET /headers", headers)).status;
    expect(await statusOf({ "X-Size": "3", "x-list": "1, 2", Cookie: "a=b; seat=4" })).toBe(200);
    expect(await statusOf({ "X-Size": "3", Cookie: "seats=x" })).toBe(200);
    for (const headers of [
      {},
      { "X-Size": "x" },
      { "X-Size": "3", "X-List": "1" },
      { "X-Size": "3", Cookie: "seat=x" },
    ])
      expect([headers, await statusOf(headers as Record<string, string>)]).toEqual([headers, 400]);
  });

  test("the reason names the parameter, what it allows, and what was found", async () => {
    expect((await send(mock, "GET /scalars?any=x")).reason).toBe('any: expected integer, found "x"');
    expect((await send(mock, "GET /forms?deep[x]=1&deep[y]=b")).reason).toMatch(/^deep\[y\]: expected /);
    expect((await send(mock, "GET /page")).reason).toMatch(/^q: is required/);
  });

  test("with validation off, nothing is refused, and the journal has the request", async () => {
    const project = newProject();
    await inProject(mock, project, "PATCH", "/settings", { validation: "off" });
    expect((await send(mock, `GET /${project}/scalars?any=x`)).status).toBe(200);
    await inProject(mock, project, "PATCH", "/settings", { validation: "report" });
    expect((await send(mock, `GET /${project}/scalars?any=x`)).status).toBe(200);
    const { body } = await inProject(mock, project, "GET", "/requests");
    expect(JSON.stringify(body)).toContain("any: expected integer");
  });
});

test("a field of a Swagger 2.0 form can be empty unless allowEmptyValue is false", async () => {
  const field = (name: string, others: object) => ({ in: "formData", name, type: "string", ...others });
  const parameters = [field("full", { allowEmptyValue: false }), field("any", {})];
  const post = {
    consumes: ["application/x-www-form-urlencoded"],
    parameters,
    responses: { 200: { description: "ok" } },
  };
  await using form = await createResourceMock({ contract: { swagger: "2.0", paths: { "/": { post } } } });
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const answers = ["full=a&any=", "any", "full=", "full"].map((body) => send(form, "POST /", headers, body));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 400, 400]);
});
