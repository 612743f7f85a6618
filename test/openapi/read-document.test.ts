import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type DocumentError, readDocument } from "../../src/openapi/read/index.ts";
import { follow } from "../../src/openapi/references.ts";
import { folderOf } from "../setup/folder.ts";

/** Reads the first of the files. Returns the document, and the warnings as `file:line: message`. */
async function read(files: Record<string, string>) {
  const folder = folderOf(files);
  const [first = ""] = Object.keys(files);
  const { document, warnings, files: used } = await readDocument(join(folder, first));
  const short = (file: string) => file.slice(folder.length + 1);
  return {
    document: document as Record<string, unknown>,
    warnings: warnings.map(({ file, line, message }) => `${short(file)}:${line}: ${message}`),
    files: used.map(short),
  };
}

async function failure(name: string, content: string): Promise<string> {
  const folder = folderOf({ [name]: content });
  const error: DocumentError = await readDocument(join(folder, name)).then(
    () => Promise.reject(new Error("The document is valid.")),
    (reason) => reason,
  );
  expect(error.name).toBe("DocumentError");
  return error.message.replace(`${folder}/`, "");
}

/** Returns the schema `S` of a document with this schema, after reading, and the messages of the warnings. */
async function readSchema(openapi: string, schema: unknown) {
  const { document, warnings } = await readDocument({ openapi, components: { schemas: { S: schema, T: {} } } });
  const { components } = document as { components: { schemas: { S: unknown } } };
  return { schema: components.schemas.S, messages: warnings.map(({ message }) => message) };
}

/** Returns the operation of a path after reading, and the messages of the warnings. */
async function readPath(path: string, item: object) {
  const { document, warnings } = await readDocument({ openapi: "3.0.3", paths: { [path]: item } });
  const { paths } = document as { paths: Record<string, object> };
  return { item: paths[path], messages: warnings.map(({ message }) => message) };
}

describe("files that are no OpenAPI document", () => {
  const expected = "expected an OpenAPI document (openapi: 3.0, 3.1 or 3.2, or swagger: 2.0), found";
  test.each<[string, string, string]>([
    ["empty.yaml", "", `empty.yaml: ${expected} nothing`],
    ["empty.json", "{}", `empty.json: ${expected} an object`],
    ["text.yaml", "hello", `text.yaml: ${expected} "hello"`],
    ["pod.yaml", "apiVersion: v1\nkind: Pod\n", `pod.yaml: ${expected} an object`],
    ["new.yaml", "info: {}\nopenapi: 4.0.0\n", `new.yaml: ${expected} "4.0.0"`],
    [
      "cut.json",
      '{\n "openapi": "3.0.0",\n "paths": {',
      "cut.json:4:1: invalid JSON: unexpected end of the stream within a flow collection",
    ],
    ["wrong.json", '{\n "openapi": [}', "wrong.json:2:14: invalid JSON: missed comma between flow collection entries"],
    ["wrong.yaml", "openapi: 3.0.0\n  x: [\n", "wrong.yaml:2:4: invalid YAML: bad indentation of a mapping entry"],
    ["image.yaml", "PNG\0", "image.yaml: expected JSON or YAML in UTF-8, found other bytes"],
  ])("the error for %s says what was expected", async (name, content, message) => {
    expect(await failure(name, content)).toBe(message);
  });

  test("a missing file and a folder", async () => {
    const folder = folderOf({});
    await expect(readDocument(folder)).rejects.toThrow("expected a file, found none");
    await expect(readDocument(join(folder, "a.yaml"))).rejects.toThrow("a.yaml: expected a file, found none");
  });

  test("documents without an end: deep values, aliases of aliases, a value that contains itself", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(await failure("a.json", `{"openapi": "3.0.0", "x": ${deep}}`)).toContain("expected at most 1000 levels");
    expect(await failure("a.yaml", `openapi: 3.0.0\nx: ${deep}`)).toContain("nesting exceeded");
    expect(await failure("a.yaml", "openapi: 3.0.0\nx: &a [*a]\n")).toContain("expected at most 1000 levels");
    const levels = Array.from({ length: 9 }, (_, i) => `x${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join()}]`);
    const bomb = `openapi: 3.0.0\nx0: &a0 [1]\n${levels.join("\n")}\n`;
    expect(await failure("a.yaml", bomb)).toContain("expected at most 3000000 values with all aliases, found more");
  });
});

describe("forms of a document", () => {
  const yaml = "openapi: 3.0\ninfo: {version: 2020-01-01}\npaths:\n  /a: {get: {responses: {200: {description: x}}}}\n";
  const json = JSON.stringify({
    openapi: "3.0.3",
    info: { version: "2020-01-01" },
    paths: { "/a": { get: { responses: { 200: { description: "x" } } } } },
  });
  test.each([
    ["YAML", "a.yaml", yaml],
    ["JSON", "a.json", json],
    ["YAML in a .json file", "a.json", yaml],
    ["JSON in a .yaml file", "a.yaml", json],
    ["YAML in braces", "a.yaml", json.replaceAll('"', "").replace(/:/g, ": ").replace("2020-01-01", "'2020-01-01'")],
  ])("reads %s", async (_, name, content) => {
    const { document, warnings } = await read({ [name]: content });
    expect({ document, warnings }).toEqual({ document: { ...JSON.parse(json), openapi: "3.1.1" }, warnings: [] });
  });

  test("reads an object, and leaves it unchanged", async () => {
    const given = { openapi: "3.0.3", components: { schemas: { A: { type: "string", nullable: true } } } };
    const before = structuredClone(given);
    expect((await readDocument(given)).document.components).toEqual({ schemas: { A: { type: ["string", "null"] } } });
    expect(given).toEqual(before);
  });

  test("upgrades Swagger 2.0, with the lines of the file in warnings", async () => {
    const content = `swagger: 2.0
paths:
  /pets:
    post:
      parameters:
        - {name: pet, in: body, schema: {$ref: 'pet.yaml#/Pet'}}
        - {name: tags, in: query, type: array, collectionFormat: pipes, items: {type: string}}
      responses:
        200: {description: x, schema: {$ref: '#/definitions/List'}}
definitions:
  List:
    type: array
    items: {type: strng, x-nullable: true}
`;
    const { document, warnings, files } = await read({ "a.yaml": content, "pet.yaml": "Pet:\n  minimum: x\n" });
    expect(warnings).toEqual([
      expect.stringContaining("a.yaml:13: type: expected"),
      expect.stringContaining("pet.yaml:2: minimum: expected"),
    ]);
    expect(files).toEqual(["a.yaml", "pet.yaml"]);
    expect(document).toMatchObject({
      paths: {
        "/pets": {
          post: {
            parameters: [
              { name: "tags", style: "pipeDelimited", schema: { type: "array", items: { type: "string" } } },
            ],
            requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } },
            responses: { 200: { content: { "application/json": { schema: { $ref: "#/components/schemas/List" } } } } },
          },
        },
      },
      components: { schemas: { Pet: {}, List: { type: "array" } } },
    });
  });
});

describe("several files", () => {
  test("makes components of parts of other files, with their names", async () => {
    const { document, warnings, files } = await read({
      "a.yaml": `openapi: 3.0.3
paths:
  /pets: {$ref: paths/pets.yaml}
components:
  schemas:
    Animal: {$ref: schemas/pet.yaml}
    Owner: {type: string}
`,
      "paths/pets.yaml": `get:
  parameters: [{$ref: '../shared.yaml#/parameters/limit'}]
  responses:
    200: {$ref: '../shared.yaml#/responses/Pets'}
`,
      "shared.yaml": `parameters:
  limit: {name: limit, in: query, schema: {type: integer}}
responses:
  Pets:
    description: x
    content:
      application/json:
        schema: {type: array, items: {$ref: 'a.yaml#/components/schemas/Animal'}}
        examples: {one: {$ref: one.json}}
`,
      "one.json": '[{"name": "Rex"}]',
      "schemas/pet.yaml": "properties: {owner: {$ref: 'owner.yaml#/Owner'}, friend: {$ref: '#'}}",
      "schemas/owner.yaml": "Owner: {properties: {pet: {$ref: pet.yaml}}}",
    });
    expect(warnings).toEqual([]);
    expect(files).toHaveLength(6);
    const ref = (pointer: string) => ({ $ref: `#/components/${pointer}` });
    expect(document).toMatchObject({
      paths: { "/pets": { get: { parameters: [ref("parameters/limit")], responses: { 200: ref("responses/Pets") } } } },
      components: {
        schemas: {
          Animal: { properties: { owner: ref("schemas/Owner2"), friend: ref("schemas/Animal") } },
          Owner: { type: "string" },
          Owner2: { properties: { pet: ref("schemas/Animal") } },
        },
        responses: { Pets: { content: { "application/json": { examples: { one: ref("examples/one") } } } } },
        examples: { one: { value: [{ name: "Rex" }] } },
      },
    });
  });

  test("reads maps of other files, and targets of a discriminator", async () => {
    const { document, warnings } = await read({
      "a.yaml": `openapi: 3.1.0
components:
  schemas: {$ref: all.yaml}
paths: {$ref: paths.yaml}
`,
      "all.yaml": `Pet:
  oneOf: [{$ref: '#/Cat'}]
  discriminator: {propertyName: kind, mapping: {cat: '#/Cat', dog: dog.json, any: Pet, none: none.json}}
Cat: {type: object}
`,
      "dog.json": '{"type": "object"}',
      "paths.yaml": "/a: {get: {responses: {default: {description: x}}}}",
    });
    const { schemas } = document.components as { schemas: Record<string, { discriminator: { mapping: object } }> };
    expect(schemas.Pet?.discriminator.mapping).toEqual({
      cat: "#/components/schemas/Cat",
      dog: "#/components/schemas/dog",
      any: "#/components/schemas/Pet",
    });
    expect(document.paths).toHaveProperty(["/a", "get"]);
    expect(warnings).toEqual([expect.stringMatching(/^all\.yaml:3: none: expected an existing file/)]);
  });
});

describe("references", () => {
  test("follows references to any place, and warns of those without a target", async () => {
    const { document, warnings } = await read({
      "a.yaml": `openapi: 3.1.0
paths:
  /pets/{id}:
    parameters: [{name: id, in: path, schema: {}}]
    get:
      responses:
        200: {description: x, content: {application/json: {schema: {type: string}}}}
        404: {$ref: '#/components/responses/None'}
components:
  schemas:
    Same: {$ref: '#/paths/~1pets~1%7Bid%7D/get/responses/200/content/application~1json/schema', title: Kept}
    Other: {$ref: '#/x-more/Thing'}
    Long: {$ref: '${"x".repeat(5000)}.yaml'}
    Web:
      $ref: https://example.com/a.json
    A: {$ref: '#/components/schemas/B'}
    B: {$ref: '#/components/schemas/A'}
x-more:
  Thing: {nullable: true, type: integer}
`,
    });
    const { schemas } = document.components as { schemas: Record<string, Record<string, unknown>> };
    expect(schemas).toMatchObject({ Same: { title: "Kept" }, Web: {}, Thing: { type: ["integer", "null"] } });
    const target = (name: string) => follow(document, schemas[name]);
    expect([target("Same"), target("A"), target("B")]).toEqual([{ type: "string" }, {}, {}]);
    expect(schemas.Other).toEqual({ $ref: "#/components/schemas/Thing" });
    expect(document.paths).not.toHaveProperty(["/pets/{id}", "get", "responses", "404"]);
    expect(warnings).toEqual([
      'a.yaml:8: $ref: expected an existing target, found "#/components/responses/None"; ignored',
      expect.stringContaining("a.yaml:13: $ref: expected an existing file"),
      'a.yaml:14: $ref: expected a local file, as URLs are not read, found "https://example.com/a.json"; any value is valid',
      'a.yaml:16: $ref: expected no cycle of references, found "#/components/schemas/B"; ignored',
    ]);
  });
});

describe("repaired schemas", () => {
  const T = "#/components/schemas/T";
  test.each<[unknown, unknown, number]>([
    [{ type: "string", nullable: true }, { type: ["string", "null"] }, 0],
    [{ type: "string", nullable: true, enum: ["a"] }, { type: ["string", "null"], enum: ["a", null] }, 1],
    [{ nullable: true, allOf: [{ $ref: T }] }, { anyOf: [{ allOf: [{ $ref: T }] }, { type: "null" }] }, 0],
    [{ nullable: true, $ref: T }, { anyOf: [{ allOf: [{ $ref: T }] }, { type: "null" }] }, 0],
    [{ nullable: true }, {}, 0],
    [{ allOf: [{ $ref: T }, { nullable: true }] }, { anyOf: [{ allOf: [{ $ref: T }] }, { type: "null" }] }, 0],
    [{ allOf: [{ $ref: T }, { nullable: false }] }, { allOf: [{ $ref: T }, {}] }, 0],
    [{ oneOf: [{ nullable: true }, { $ref: T }] }, { oneOf: [{ type: "null" }, { $ref: T }] }, 0],
    [{ $ref: T, description: "x" }, { $ref: T }, 0],
    [{ minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }, 0],
    [{ maximum: 1, exclusiveMaximum: false }, { maximum: 1 }, 0],
    [{ example: 1 }, { examples: [1] }, 0],
    [{ required: true }, {}, 1],
    [{ required: ["a", 1, "/^b$/"] }, { required: ["a"] }, 1],
    [{ type: "strng" }, {}, 1],
    [{ type: ["string", "nul"] }, { type: ["string"] }, 1],
    [{ minimum: "1", maximum: "x" }, { minimum: 1 }, 2],
    [{ multipleOf: 0, minLength: -1, maxItems: 1.5 }, {}, 3],
    [{ items: [{ type: "string" }] }, { prefixItems: [{ type: "string" }] }, 0],
    [{ properties: null }, {}, 1],
    [{ properties: { a: null, b: true, c: false } }, { properties: { a: {}, b: {}, c: { not: {} } } }, 1],
    [{ enum: [] }, {}, 1],
    [{ additionalProperties: "false" }, { additionalProperties: false }, 0],
    [{ allOf: [{ type: "string" }], anyOf: [] }, { allOf: [{ type: "string" }] }, 0],
    [{ pattern: "(?<a" }, {}, 1],
    [{ pattern: "^[\\w-.]\\_{x}$" }, { pattern: "^[\\w-.]\\_{x}$" }, 0],
    [{ format: "odd", not: { format: "odd" } }, { format: "odd", not: { format: "odd" } }, 1],
    [{ requird: [], "x-a": 1, $id: "a", id: "a" }, { "x-a": 1 }, 1],
    [{ discriminator: "kind" }, { discriminator: { propertyName: "kind" } }, 0],
    [{ discriminator: {} }, {}, 1],
    [null, {}, 1],
    [{ examples: { a: 1 } }, {}, 1],
  ])("the schema %j is repaired", async (given, expected, warnings) => {
    const { schema, messages } = await readSchema("3.0.3", given);
    expect(schema).toEqual(expected);
    expect(messages).toHaveLength(warnings);
  });

  test("keywords beside $ref, and boolean bounds, in OpenAPI 3.1", async () => {
    expect((await readSchema("3.1.0", { $ref: T, title: "x" })).schema).toEqual({ $ref: T, title: "x" });
    expect((await readSchema("3.1.0", { minimum: 1, exclusiveMinimum: true })).schema).toEqual({ exclusiveMinimum: 1 });
  });
});

describe("repaired operations", () => {
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  test.each<[string, object, object, string[]]>([
    ["an undeclared path parameter", { get: {} }, { get: { responses: {} }, parameters: [id] }, ["added"]],
    [
      "a path parameter that one operation does not declare",
      { get: { parameters: [id] }, put: {} },
      { get: { parameters: [id], responses: {} }, put: { responses: {} }, parameters: [id] },
      ["added"],
    ],
    [
      "repeated, unnamed and unknown parameters",
      { parameters: [id, id, { in: "query" }, { ...id, name: "other" }, null] },
      { parameters: [id] },
      ["again", "expected a name", "the path has none", "an object"],
    ],
    [
      "an operationId of two operations",
      { parameters: [id], get: { operationId: "a" }, put: { operationId: "a" } },
      { parameters: [id], get: { operationId: "a", responses: {} }, put: { responses: {} } },
      ["an id of one operation"],
    ],
    [
      "members of the wrong type",
      {
        parameters: [id],
        get: { parameters: {}, responses: { 200: null, ok: {} }, tags: "a", security: {} },
        put: null,
      },
      { parameters: [id], get: { responses: { 200: { description: "" } } } },
      ["parameters", "tags", "security", "put", "responses"],
    ],
  ])("an operation with %s is repaired", async (_, given, expected, warnings) => {
    const { item, messages } = await readPath("/pets/{id}", given);
    expect(item).toEqual(expected);
    expect(messages).toHaveLength(warnings.length);
    for (const part of warnings) expect(messages.join("\n")).toContain(part);
  });

  test("paths that are no paths", async () => {
    expect((await readPath("pets", { get: {} })).messages).toEqual([
      'expected a path that starts with /, found "pets"; ignored',
    ]);
    expect((await readPath("/a", null as never)).item).toBeUndefined();
  });
});

describe("lines", () => {
  const schema = { allOf: [{}, { minimum: "x", enum: ['"{[,:\\"', 1] }] };
  const json = JSON.stringify(
    { openapi: "3.0.0", components: { schemas: { "a/b": schema, B: { type: "x" } } } },
    null,
    1,
  );
  const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split("\n").length;
  test("a problem of a JSON file has its line", async () => {
    const { warnings } = await read({ "a.json": json });
    const parts = ['"minimum"', '"type"'].map((part) => `a.json:${lineOf(json, part)}: `);
    expect(warnings.map((warning) => warning.replace(/: .*/, ": "))).toEqual(parts);
  });

  test("a problem of a YAML file with aliases, merged keys and blocks has its line", async () => {
    const yaml = `openapi: 3.0.0
x-base: &base
  minimum: x
components:
  schemas:
    A:
      <<: *base
      description: |
        type: x
      allOf:
      - {}
      - type: x
    'B': {
      maximum: y }
`;
    const { warnings } = await read({ "a.yaml": yaml });
    expect(warnings.map((warning) => warning.split(": ").slice(0, 2).join(" "))).toEqual([
      "a.yaml:6 minimum",
      "a.yaml:12 type",
      "a.yaml:14 maximum",
    ]);
  });
});
