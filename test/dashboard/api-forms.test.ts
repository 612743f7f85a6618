import { describe, expect, test } from "vitest";
import type { Schema } from "../../src/contract/index.ts";
import type { OperationId } from "../../src/contract/known-service.ts";
import { loadCheck } from "../../src/contract/validator.ts";
import { loadOperations } from "../../src/control/subjects.ts";
import {
  accessOf,
  JSON_TYPE,
  keyOf,
  limitsOf,
  type OpenApiDocument,
  operationsOf,
  type ParameterObject,
  partsOf,
  sampleOf,
  typeOf,
} from "../../src/page/dashboard/api/document.ts";
import { initialDraft, missingIn, requestOf, targetOf } from "../../src/page/dashboard/api/request.ts";
import { controls } from "../../src/services/generic-resource/control/index.ts";
import { control } from "../setup/control.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { exampleRequests, images } from "../setup/requests.ts";

const controlOperations = await loadOperations(controls);

test.each([
  [{ type: "integer", format: "int32" }, "integer (int32)"],
  [{ type: "array", items: { type: "string" } }, "array of string"],
  [{ anyOf: [{ type: "string" }, { type: "number" }, { type: "string" }] }, "string or number"],
  [{ type: ["string", "null"] }, "string or null"],
  [{ type: "object", additionalProperties: { type: "string" } }, "map of string"],
  [{ const: "a" }, "string"],
  [{ enum: ["a", 1, null] }, "string or number or null"],
  [{}, "any value"],
] as const)("the type of %j is %s", (schema, words) => {
  expect(typeOf(schema)).toBe(words);
});

test("references are replaced by what they name; the type of a schema with a name is this name", () => {
  const schema: Schema = { type: "array", items: { $ref: "#/components/schemas/Rule" } as Schema };
  const put = {
    operationId: "putRules",
    tags: ["a"],
    ...{ summary: "", security: [], parameters: [] },
    requestBody: { content: { [JSON_TYPE]: { schema } } },
    responses: { 200: { $ref: "#/components/responses/Ok" } as object },
  };
  const components = {
    schemas: { Rule: { type: "object", properties: { next: { $ref: "#/components/schemas/Rule" } } } },
    responses: { Ok: { description: "What it says." } },
  };
  const [operation] = operationsOf("service", { paths: { "/": { put } }, components });
  const found = operation?.requestBody?.content[JSON_TYPE]?.schema ?? {};
  expect([typeOf(found), typeOf(found.items?.properties?.next ?? {})]).toEqual(["array of Rule", "Rule"]);
  expect(operation?.responses[0]?.[1].description).toBe("What it says.");
});

test.each([
  [{ minimum: 0, maximum: 500 }, ["at least 0", "at most 500"]],
  [{ minLength: 1 }, ["length at least 1"]],
  [{ maxItems: 3, exclusiveMinimum: 0 }, ["more than 0", "items at most 3"]],
  [{ enum: ["a", 1], pattern: "^a" }, ["one of a, 1", "pattern ^a"]],
  [{ const: 1, default: 1, readOnly: true }, ["always 1", "default 1", "only in responses"]],
] as const)("the limits of %j are %j", (schema, limits) => {
  expect(limitsOf(schema)).toEqual(limits);
});

/** Returns the schema of the body of an operation whose document has these schemas. The name of the schema is `Body`. */
function bodyOf(schemas: Readonly<Record<string, object>>): Schema {
  const schema = { $ref: "#/components/schemas/Body" } as object;
  const post = { operationId: "a", requestBody: { content: { [JSON_TYPE]: { schema } } }, responses: {} };
  const [operation] = operationsOf("service", { paths: { "/": { post } }, components: { schemas } });
  return operation?.requestBody?.content[JSON_TYPE]?.schema ?? {};
}
const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

describe("a sample", () => {
  test("has the required members, or all members if none is required", () => {
    const properties = { a: { type: "string" }, b: { type: "integer", minimum: 5 } } as const;
    expect(sampleOf({ type: "object", required: ["b"], properties })).toEqual({ b: 5 });
    expect(sampleOf({ type: "object", properties })).toEqual({ a: "text", b: 5 });
  });

  test("a sample of a schema that contains itself ends", () => {
    const properties: Record<string, Schema> = { name: { type: "string" } };
    const tree = { type: "object", properties } as const;
    properties.child = tree;
    expect(JSON.stringify(sampleOf(tree)).length).toBeLessThan(200);
  });

  test.each<[string, Readonly<Record<string, object>>, unknown]>([
    [
      "all parts of allOf",
      {
        Body: { allOf: [refTo("Base"), { required: ["b"], properties: { b: { const: 2 } } }], required: ["c"] },
        Base: { type: "object", required: ["a"], properties: { a: { enum: ["x"] }, c: { type: "boolean" } } },
      },
      { a: "x", c: true, b: 2 },
    ],
    [
      "the first option of a union, with its discriminator",
      {
        Body: { oneOf: [refTo("Cat"), refTo("Dog")], discriminator: { propertyName: "kind" } },
        Cat: { type: "object", required: ["kind", "lives"], properties: { kind: {}, lives: { type: "integer" } } },
        Dog: { type: "object", properties: { kind: {} } },
      },
      { kind: "Cat", lives: 1 },
    ],
    [
      "an option of anyOf that is not null",
      { Body: { anyOf: [{ type: "null" }, { type: "string", format: "date" }] } },
      "2024-01-01",
    ],
    [
      "maps, and an item of a required list",
      { Body: mapOf({ list: { type: "array", items: { type: "string" } } }) },
      { list: ["text"] },
    ],
    ["names that are encoded in references", { Body: refTo("a~1b%7Bc%7D"), "a/b{c}": { const: "found" } }, "found"],
  ])("has %s", (_name, schemas, sample) => {
    expect(sampleOf(bodyOf(schemas))).toEqual(sample);
  });

  function mapOf(properties: object): object {
    return { type: "object", required: Object.keys(properties), properties, additionalProperties: { type: "string" } };
  }
});

test("the description beside a reference is that of the part, whose type keeps its name", () => {
  const part = { ...refTo("Item"), description: "The best one." };
  const body = bodyOf({
    Body: { type: "object", properties: { part } },
    Item: { type: "object", properties: { a: {} } },
  });
  const [found] = partsOf(body);
  expect([found?.name, typeOf(found?.schema ?? {}), found?.schema.description]).toEqual([
    "part",
    "Item",
    "The best one.",
  ]);
  expect(partsOf(found?.schema ?? {}).map(({ name }) => name)).toEqual(["a"]);
});

describe("a parameter", () => {
  const object = { type: "object", properties: { a: {} } };
  const array = { type: "array", items: { type: "string" } };
  test.each<[object, string, string]>([
    [{ in: "query", schema: array }, "a b\nc", "/p?x=a%20b&x=c"],
    [{ in: "query", schema: array, explode: false }, "a,b\nc", "/p?x=a%2Cb,c"],
    [{ in: "query", schema: object }, "a=1\nb=x=y", "/p?a=1&b=x%3Dy"],
    [{ in: "query", content: { [JSON_TYPE]: { schema: object } } }, '{"a":1}', "/p?x=%7B%22a%22%3A1%7D"],
    [{ in: "path", schema: array }, "a/\nb", "/p/a%2F,b"],
    [{ in: "query", schema: object, explode: false }, "a=1\nb=2", "/p?x=a,1,b,2"],
    [{ in: "query", schema: object, style: "deepObject" }, "a=1\nb=x=y", "/p?x[a]=1&x[b]=x%3Dy"],
    [{ in: "query", schema: array, style: "pipeDelimited" }, "a\nb", "/p?x=a%7Cb"],
    [{ in: "query", schema: array, style: "spaceDelimited" }, "a\nb", "/p?x=a%20b"],
    [{ in: "path", schema: array, style: "label" }, "a\nb", "/p/.a,b"],
    [{ in: "path", schema: { type: "string" }, style: "matrix" }, "a", "/p/;x=a"],
    [{ in: "path", schema: array, style: "matrix", explode: true }, "a\nb", "/p/;x=a;x=b"],
    [{ in: "path", schema: object, explode: true }, "a=1\nb=2", "/p/a=1,b=2"],
  ])("the form sends the parameter %j with the value %j as %s", (given, text, target) => {
    const parameter = { name: "x", ...given } as ParameterObject;
    const path = parameter.in === "path" ? "/{x}" : "";
    const document = {
      paths: { [path || "/"]: { get: { operationId: "a", parameters: [parameter], responses: {} } } },
    };
    const [operation] = operationsOf("service", document);
    if (!operation) throw new Error("expected an operation, found none");
    const draft = { ...initialDraft(operation), values: { [keyOf(parameter)]: text } };
    expect(targetOf({ ...operation, path }, draft, "/p")).toBe(target);
  });
});

describe("credentials", () => {
  const schemes = {
    key: { type: "apiKey", in: "query", name: "api_key" },
    basic: { type: "http", scheme: "basic" },
    oauth: { type: "oauth2" },
    certificate: { type: "mutualTLS" },
  };
  const operationWith = (security: readonly Readonly<Record<string, readonly string[]>>[]) => {
    const get = { operationId: "a", responses: {} };
    const [operation] = operationsOf("service", {
      ...{ paths: { "/a": { get } }, security, components: { securitySchemes: schemes } },
    });
    if (!operation) throw new Error("expected an operation, found none");
    return operation;
  };

  test("are those of the operation, or else of the document, in words", () => {
    expect(accessOf(operationWith([{ key: [], basic: [] }, { oauth: ["read"] }, { other: [] }, {}]))).toBe(
      "Takes the API key `api_key` (query) and a basic token, or a bearer token with `read`, or the credentials `other`.",
    );
    expect(accessOf(operationWith([]))).toBe("Needs no credentials.");
  });
});

test("forms have a member in each line, and a multipart body a file", async () => {
  const schema = {
    type: "object",
    required: ["name"],
    properties: { name: { const: "a&b" }, file: { format: "binary" } },
  };
  const content = { "multipart/form-data": { schema }, "application/x-www-form-urlencoded": { schema } };
  const post = { operationId: "a", requestBody: { required: true, content }, responses: {} };
  const [operation] = operationsOf("service", { paths: { "/a": { post } } } as OpenApiDocument);
  if (!operation) throw new Error("expected an operation, found none");
  const draft = initialDraft(operation);
  const file = new File(["content"], "a.txt", { type: "text/plain" });
  const upload = requestOf(operation, { ...draft, file });
  const form = upload.body as FormData;
  expect([form.get("name"), await (form.get("file") as File).text()]).toEqual(["a&b", "content"]);
  const encoded = requestOf(operation, { ...draft, mediaType: "application/x-www-form-urlencoded" });
  expect([encoded.body, encoded.headers["Content-Type"]]).toEqual(["name=a%26b", "application/x-www-form-urlencoded"]);
  expect(() => requestOf(operation, { ...draft, body: "name" })).toThrow('Body: expected name=value, found "name"');
});

test.each([
  ["application/xml", "<root><a>text</a></root>", "application/xml"],
  ["application/x-www-form-urlencoded", "a=text&b=1&b=2", "application/x-www-form-urlencoded"],
  ["text/yaml", undefined, "text/yaml"],
  ["image/*", undefined, "application/octet-stream"],
])("the first body of %s is %s", (mediaType, body, sentAs) => {
  const schema = { type: "object", properties: { a: { type: "string" }, b: { enum: [[1, 2]] } } };
  if (mediaType !== "application/x-www-form-urlencoded") schema.properties = { a: schema.properties.a } as never;
  const content = { [mediaType]: { schema } };
  const post = { operationId: "a", requestBody: { required: true, content }, responses: {} };
  const [operation] = operationsOf("service", { paths: { "/a": { post } } } as OpenApiDocument);
  if (!operation) throw new Error("expected an operation, found none");
  const first = initialDraft(operation);
  expect(requestOf(operation, first).body).toBe(body);
  expect(requestOf(operation, { ...first, file: new Blob(["x"]) }).headers["Content-Type"]).toBe(sentAs);
});

test("a form names the values that it misses", () => {
  const parameters: ParameterObject[] = [
    { name: "owner", in: "path", required: true },
    { name: "q", in: "query", required: true },
    { name: "session", in: "cookie", required: true },
  ];
  const [operation] = operationsOf("service", { paths: { "/{owner}": { get: { operationId: "a", parameters } } } });
  if (!operation) throw new Error("expected an operation, found none");
  const draft = initialDraft(operation);
  expect([missingIn(operation, draft), targetOf(operation, draft, "/p")]).toEqual([["owner", "q"], "/p/{owner}"]);
});

describe("the forms of all operations", () => {
  const mock = useMock("in process");
  const load = async (path: string, api: "service" | "control") => {
    const { body } = await control<OpenApiDocument>(mock, "GET", path);
    return operationsOf(api, body);
  };

  test("have examples of path parameters and valid bodies, so that the first request needs no input", async () => {
    for (const operation of await load("/openapi.json", "control")) {
      expect(requestOf(operation, initialDraft(operation)).target).not.toMatch(/[{}]|\/\/|\/$|=$/);
      const schema = controlOperations.find(({ id }) => id === operation.id)?.body?.schema;
      const { body, mediaType } = initialDraft(operation);
      if (!schema || !operation.requestBody?.required || mediaType !== JSON_TYPE) continue;
      const check = await loadCheck(schema);
      expect([operation.id, check(JSON.parse(body))]).toEqual([operation.id, []]);
    }
  });

  test("succeed for each operation of the service without a change", async () => {
    for (const operation of await load("/contract.json", "service")) {
      // A user chooses the file of an upload.
      const file = operation.id === "uploadImage" ? new Blob([images["image/jpeg"]]) : undefined;
      const draft = initialDraft(operation);
      const values = { ...draft.values, "path projectKey": newProject() };
      const { target, ...init } = requestOf(operation, { ...draft, values, file });
      const { status } = await mock.fetch(target, init);
      expect([operation.id, status]).toEqual([operation.id, exampleRequests[operation.id as OperationId].status]);
    }
  });

  test("put lists, pattern-named parameters and headers into the request", async () => {
    const [operation] = (await load("/contract.json", "service")).filter(
      ({ id }) => id === "queryWithSortedParameters",
    );
    if (!operation) throw new Error("expected queryWithSortedParameters, found no such operation");
    const where = 'key = ":k"\nversion > 1';
    const values = { "path projectKey": "a b", "query where": where, "query limit": "2", "query var": "var.k=x=y" };
    const draft = { values, headers: "\nX-A:b", body: "", mediaType: "" };
    const request = requestOf(operation, draft, "", { Authorization: "Bearer secret" });
    const query = "where=key%20%3D%20%22%3Ak%22&where=version%20%3E%201&limit=2&var.k=x%3Dy";
    expect(request.target).toBe(`/a%20b/resource/sorted-query-parameters?${query}`);
    expect(request.headers).toEqual({ Authorization: "Bearer secret", "X-A": "b" });

    for (const [changes, message] of [
      [{ target: "//other.example" }, 'URL: expected a path that begins with one /, found "//other.example"'],
      [{ headers: "Prefer" }, 'Headers: expected "Name: value" on each line, found "Prefer"'],
      [{ headers: "Ünicode: 1" }, 'Headers: expected "Name: value" on each line, found "Ünicode: 1"'],
    ] as const) {
      expect(() => requestOf(operation, { ...draft, ...changes })).toThrow(message);
    }
  });
});
