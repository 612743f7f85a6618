import { describe, expect, test } from "vitest";
import type { Schema } from "../../src/contract/index.ts";
import type { OperationId } from "../../src/contract/known-service.ts";
import { loadCheck } from "../../src/contract/validator.ts";
import { loadOperations } from "../../src/control/subjects.ts";
import {
  bodyExample,
  JSON_TYPE,
  limitsOf,
  type OpenApiDocument,
  operationsOf,
  sampleOf,
  typeOf,
} from "../../src/page/dashboard/api/document.ts";
import { curlOf, initialDraft, requestOf } from "../../src/page/dashboard/api/request.ts";
import { controls } from "../../src/services/generic-resource/control/index.ts";
import { ARCHIVE_TYPE } from "../setup/archives.ts";
import { control } from "../setup/control.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { exampleRequests, images } from "../setup/requests.ts";

const controlOperations = await loadOperations(controls);

test.each([
  [{ type: "integer", format: "int32" }, "integer (int32)"],
  [{ type: "array", items: { type: "string" } }, "array of string"],
  [{ anyOf: [{ type: "string" }, { type: "number" }, { type: "string" }] }, "string or number"],
  [{ type: ["string", "null"] }, "string or null"],
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
    responses: { 200: { description: "", headers: { "X-A": { $ref: "#/components/headers/X-A" } as object } } },
  };
  const components = {
    schemas: { Rule: { type: "object", properties: { next: { $ref: "#/components/schemas/Rule" } } } },
    headers: { "X-A": { description: "What it says." } },
  };
  const [operation] = operationsOf("service", { tags: [{ name: "a" }], paths: { "/": { put } }, components });
  const found = operation?.requestBody?.content[JSON_TYPE]?.schema ?? {};
  expect([typeOf(found), typeOf(found.items?.properties?.next ?? {})]).toEqual(["array of Rule", "Rule"]);
  expect(operation?.responses[0]?.[1].headers?.["X-A"]?.description).toBe("What it says.");
});

test.each([
  [{ minimum: 0, maximum: 500 }, ["0 to 500"]],
  [{ minLength: 1 }, ["at least 1 character"]],
  [{ maxItems: 3, exclusiveMinimum: 0 }, ["more than 0", "at most 3 items"]],
  [{ enum: ["a"] }, ['always "a"']],
  [{ enum: ["a", 1], pattern: "^a" }, ['one of "a", 1', "pattern ^a"]],
] as const)("the limits of %j are %j", (schema, limits) => {
  expect(limitsOf(schema)).toEqual(limits);
});

describe("a sample", () => {
  test("has the required members, or all members if none is required", () => {
    const properties = { a: { type: "string" }, b: { type: "integer", minimum: 5 } } as const;
    expect(sampleOf({ type: "object", required: ["b"], properties })).toEqual({ b: 5 });
    expect(sampleOf({ type: "object", properties })).toEqual({ a: "text", b: 5 });
  });

  test("of a schema that contains itself ends", () => {
    const properties: Record<string, Schema> = { name: { type: "string" } };
    const tree = { type: "object", properties } as const;
    properties.child = tree;
    expect(JSON.stringify(sampleOf(tree)).length).toBeLessThan(200);
  });
});

describe("the forms of all operations", () => {
  const mock = useMock("in process");
  const load = async (path: string, api: "service" | "control") => {
    const { body } = await control<OpenApiDocument>(mock, "GET", path);
    return operationsOf(api, body);
  };

  test("have examples of path parameters and valid bodies, so that the first request needs no input", async () => {
    for (const operation of await load("/openapi.json", "control")) {
      expect(requestOf(operation, initialDraft(operation), "").target).not.toMatch(/[{}]|\/\/|\/$|=$/);
      const known = controlOperations.find(({ id }) => id === operation.id)?.body;
      const schema = known?.schemas?.[ARCHIVE_TYPE] ?? known?.schema;
      if (!schema || !operation.requestBody?.required) continue;
      const text = bodyExample(operation);
      const check = await loadCheck(schema);
      const problems = (operation.requestBody.content[ARCHIVE_TYPE] ? text.trimEnd().split("\n") : [text]).flatMap(
        (value) => check(JSON.parse(value)),
      );
      expect([operation.id, problems]).toEqual([operation.id, []]);
    }
  });

  test("of JSON lines send the example, which is a whole archive, or a file", async () => {
    const [operation] = (await load("/openapi.json", "control")).filter(({ id }) => id === "restoreArchive");
    if (!operation) throw new Error("expected restoreArchive, found no such operation");
    const draft = initialDraft(operation);
    const { target, ...init } = requestOf(operation, draft, "");
    expect((await mock.fetch(target, init)).status).toBe(204);
    const file = new Blob(["{}"]);
    expect(requestOf(operation, { ...draft, file }, "").body).toBe(file);
  });

  test("succeed for each operation of the service without a change", async () => {
    for (const operation of await load("/contract.json", "service")) {
      // A user chooses the file of an upload.
      const file = operation.id === "uploadImage" ? new Blob([images["image/jpeg"]]) : undefined;
      const draft = initialDraft(operation);
      const values = { ...draft.values, projectKey: newProject() };
      const { target, ...init } = requestOf(operation, { ...draft, values, file }, "");
      const { status } = await mock.fetch(target, init);
      expect([operation.id, status]).toEqual([operation.id, exampleRequests[operation.id as OperationId].status]);
    }
  });

  test("put lists, pattern-named parameters, headers and the token into the request", async () => {
    const [operation] = (await load("/contract.json", "service")).filter(
      ({ id }) => id === "queryWithSortedParameters",
    );
    if (!operation) throw new Error("expected queryWithSortedParameters, found no such operation");
    const values = { projectKey: "a b/ü", where: 'key = ":k"\nversion > 1', limit: "2", var: "var.k=x=y" };
    const draft = { values, prefer: "code=503", headers: "\nX-A:b", body: "", mediaType: "" };
    const request = requestOf(operation, draft, "secret");
    expect(request.target).toBe(
      "/a%20b%2F%C3%BC/resource/sorted-query-parameters?where=key+%3D+%22%3Ak%22&where=version+%3E+1&limit=2&var.k=x%3Dy",
    );
    expect(request.headers).toEqual({ Authorization: "Bearer secret", Prefer: "code=503", "X-A": "b" });
    const curl = curlOf(request, "http://localhost");
    expect(curl).toContain('-H "Authorization: Bearer $TOKEN"');
    expect(curl).not.toContain("secret");
    // curl would read a file for -d @..., and drop line breaks.
    const post = { target: "/a", method: "POST", headers: { "Content-Type": "text/plain" }, body: "@a\nb" };
    expect(curlOf(post, "http://localhost")).toContain("-H 'content-type: text/plain' --data-raw '@a\nb'");
    const upload = { ...post, body: new File(["a"], "my image.gif") };
    expect(curlOf(upload, "http://localhost")).toMatch(/ --data-binary '@my image\.gif'$/);

    for (const [changes, message] of [
      [{ values: { projectKey: ".." } }, 'projectKey: expected a value other than "." and "..", found ".."'],
      [{ values: { var: "k" } }, 'var: expected name=value, found "k"'],
      [{ target: "//other.example" }, 'URL: expected a path that begins with one /, found "//other.example"'],
      [{ headers: "Prefer" }, 'Headers: expected "Name: value" on each line, found "Prefer"'],
      [{ headers: "Ünicode: 1" }, 'Headers: expected a valid name and value, found "Ünicode: 1"'],
    ] as const) {
      expect(() => requestOf(operation, { ...draft, ...changes }, "")).toThrow(message);
    }
  });
});
