import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect, test } from "vitest";
import { declaredStatuses } from "../../src/contract/operation-table.ts";
import { readFiles } from "../../src/library/mock.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { contractDocument } from "../../src/state/openapi/index.ts";
import { onTransports } from "../setup/mock.ts";

interface Document {
  openapi: string;
  info: { version: string };
  servers: { url: string; variables?: Record<string, unknown> }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, object>; headers: Record<string, object> };
}

interface OperationObject {
  operationId: string;
  parameters: { name: string; in: string }[];
  responses: Record<
    string,
    { headers?: object; content?: Record<string, { examples?: Record<string, { value: unknown }> }> }
  >;
}

const { fixtures } = await readFiles();
const document = (await contractDocument(serviceContract, fixtures, "1.2.3", "http://127.0.0.1:8080")) as Document;

test("the document has every operation with its parameters and all statuses", () => {
  for (const operation of serviceContract.operations) {
    const { id, method, path, parameters } = operation;
    const found = document.paths[path]?.[method.toLowerCase()];
    expect(found?.operationId).toBe(id);
    const statuses = Object.keys(found?.responses ?? {}).map(Number);
    expect([id, statuses]).toEqual([id, declaredStatuses(operation)]);
    const described = found?.parameters.map((parameter) => [parameter.in, parameter.name]);
    expect([id, described]).toEqual([id, parameters.map((parameter) => [parameter.in, parameter.name])]);
  }
});

test("every response can have the headers of the rate limit", () => {
  const headers = ["Limit", "Remaining", "Reset"].map((name) => `X-RateLimit-${name}`);
  expect(Object.keys(document.components.headers)).toEqual(headers);
  const responses = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap((operation) => Object.values(operation.responses)),
  );
  for (const response of responses) {
    const references = headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
    expect(response.headers).toMatchObject(Object.fromEntries(references));
  }
});

test("the examples match their schemas", () => {
  const ajv = new Ajv2020({ strict: false });
  formats.default.default(ajv);
  ajv.addSchema(document, "contract.json");
  const problems: unknown[] = [];
  let count = 0;
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { operationId, responses }] of Object.entries(methods))
      for (const [status, { content = {} }] of Object.entries(responses))
        for (const [type, { examples = {} }] of Object.entries(content)) {
          const location = ["paths", path, method, "responses", status, "content", type, "schema"];
          const pointer = location.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")));
          const validate = ajv.compile({ $ref: `contract.json#/${pointer.join("/")}` });
          if (Object.keys(examples).length === 0) problems.push([operationId, status, "no example"]);
          for (const [name, { value }] of Object.entries(examples)) {
            count++;
            if (!validate(value)) problems.push([operationId, status, name, validate.errors]);
          }
        }
  expect(problems).toEqual([]);
  expect(count).toBeGreaterThan(100);
});

onTransports("/__admin/contract.json", {}, (mock) => {
  test("returns the document", async () => {
    const response = await mock.fetch("/__admin/contract.json");
    expect(response.headers.get("Content-Type")).toMatch(/^application\/json/);
    const [, ...others] = document.servers;
    expect(await response.json()).toEqual({
      ...document,
      info: { ...document.info, version: "0.0.0-test" },
      servers: [{ url: mock.url ?? "http://in.process", description: expect.any(String) }, ...others],
    });
  });
});
