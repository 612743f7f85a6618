import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { json as readJson } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { isObject } from "../../src/contract/text/shown.ts";
import { command } from "../setup/command.ts";
import { inProject } from "../setup/control.ts";
import { newProject, onTransports, useMock } from "../setup/mock.ts";
import { type Document, documentPaths, operationsOf, type ParameterObject } from "./documents.ts";

/** Returns every object in a JSON value, at any depth. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return isObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}

/** Returns all objects of a document that can be schemas. Examples are data, so they are left out. */
function schemasIn({ paths, components }: Document): Record<string, unknown>[] {
  const withoutExamples = JSON.stringify([paths, components], (name, value) =>
    name === "examples" ? undefined : value,
  );
  return objectsIn(JSON.parse(withoutExamples));
}

onTransports("documents", {}, (mock) => {
  const load = async (path: string) => (await (await mock.fetch(path)).json()) as Document;

  describe.each(Object.entries(documentPaths))("the %s document", (_name, path) => {
    test("declares the items of every array", async () => {
      const arrays = schemasIn(await load(path)).filter(({ type }) => [type].flat().includes("array"));
      expect(arrays.length).toBeGreaterThan(10);
      expect(arrays.filter(({ items }) => !isObject(items))).toEqual([]);
    });

    test("writes constants as typed enums of one value, and every discriminator has a mapping", async () => {
      const schemas = schemasIn(await load(path));
      expect(schemas.filter((schema) => "const" in schema)).toEqual([]);
      const constants = schemas.filter(({ enum: values }) => Array.isArray(values) && values.length === 1);
      expect(constants.length).toBeGreaterThan(1);
      for (const { type, enum: values } of constants)
        expect([type]).toEqual((values as unknown[]).map((v) => typeof v));
      expect(schemas.filter(({ discriminator }) => isObject(discriminator) && !discriminator.mapping)).toEqual([]);
    });

    test("has no default that a generated client would send", async () => {
      expect(schemasIn(await load(path)).filter((schema) => "default" in schema && "type" in schema)).toEqual([]);
    });

    test("has an example of every path parameter", async () => {
      const parameters = operationsOf(await load(path)).flatMap(({ operation }) => operation.parameters);
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      expect(inPath.length).toBeGreaterThan(10);
      expect(inPath.filter(({ example }) => typeof example !== "string" || example === "")).toEqual([]);
    });

    test("limits every integer query parameter to 32 bits", async () => {
      const parameters = operationsOf(await load(path)).flatMap(({ operation }) => operation.parameters);
      const whole = parameters.flatMap(({ schema }) => (schema?.type === "integer" ? [schema] : []));
      expect(whole.length).toBeGreaterThan(3);
      for (const { minimum, maximum } of whole) {
        expect(minimum).toBeGreaterThanOrEqual(-(2 ** 31));
        expect(maximum).toBeLessThan(2 ** 31);
      }
    });
  });

  test("the examples of the contract identify resources of the initial state", async () => {
    await inProject(mock, "my-project", "PATCH", "/settings", { unknownIds: "not-found" });
    const reads = operationsOf(await load(documentPaths.contract)).filter(({ path }) => /\{(id|key)\}$/.test(path));
    for (const { path, operation } of reads.filter(({ method }) => method === "get")) {
      const filled = path.replace(/\{(\w+)\}/g, (_all, name) => {
        return operation.parameters.find((parameter) => parameter.name === name)?.example ?? "";
      });
      expect([filled, (await mock.fetch(filled)).status]).toEqual([filled, 200]);
    }
  });

  test("the declared types of query parameters match the accepted values", async () => {
    const operations = operationsOf(await load(documentPaths.contract)).map(({ operation }) => operation);
    const declared = (operationId: string, name: string): ParameterObject | undefined =>
      operations
        .find((operation) => operation.operationId === operationId)
        ?.parameters.find((parameter) => parameter.name === name);
    const int32 = { type: "integer", format: "int32", minimum: -2147483648, maximum: 2147483647 };
    expect(declared("queryResources", "integerParameter")?.schema).toEqual(int32);
    expect(declared("uploadImage", "variant")?.schema).toEqual(int32);
    const list = "queryWithSortedParameters";
    expect(declared(list, "limit")?.schema).toEqual({ type: "integer", minimum: 0, maximum: 500 });
    expect(declared(list, "offset")?.schema).toEqual({ type: "integer", minimum: 0, maximum: 10_000 });
    // Its members are texts: OpenAPI does not define how to send an array in an exploded object.
    expect(declared(list, "var")).toMatchObject({
      style: "form",
      explode: true,
      schema: { type: "object", patternProperties: { "^var[.][a-zA-Z0-9]+$": { type: "string" } } },
    });
  });

  test("unionParameter accepts JSON of each type of its union, as declared", async () => {
    const [query] = operationsOf(await load(documentPaths.contract)).flatMap(({ operation }) =>
      operation.parameters.filter(({ name }) => name === "unionParameter"),
    );
    expect(Object.keys(query?.content ?? {})).toEqual(["application/json"]);
    for (const value of [1.5, "2024-05-17T09:30:00Z", { version: 1, objectTypeProperty: {} }]) {
      const text = encodeURIComponent(JSON.stringify(value));
      expect((await mock.resource(newProject(), `?unionParameter=${text}`)).status).toBe(200);
    }
  });
});

describe("the first server of a document", () => {
  const socket = useMock("over a socket");

  test.each(Object.values(documentPaths))("is the host that the client called: %s", async (path) => {
    for (const host of ["mock.example:18080", "127.0.0.1:49153", "[::1]:8080"]) {
      const [response] = (await once(get(`${socket.url}${path}`, { headers: { host } }), "response")) as [
        IncomingMessage,
      ];
      const { servers } = (await readJson(response)) as Document;
      expect(servers[0]?.url).toBe(`http://${host}`);
    }
  });

  test("is the default address in the output of the command", { tags: ["process"] }, async () => {
    const { stdout } = await command(["openapi"]);
    const { servers } = JSON.parse(stdout) as Document;
    expect(servers.map(({ url }) => url)).toEqual([
      "http://localhost:8080",
      expect.stringContaining("{region}.{cloudProvider}"),
    ]);
  });
});
