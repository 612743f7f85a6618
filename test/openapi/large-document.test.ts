/**
 * A large document as its publisher wrote it: that of GitHub, from npm.
 * @module-tag tools
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createResourceMock, type ResourceMock } from "../../src/library/resource-mock.ts";
import { send } from "../setup/documents.ts";

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: ParameterSchema;
}

interface ParameterSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly oneOf?: readonly ParameterSchema[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
}

interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean };
  readonly responses: Readonly<Record<string, unknown>>;
}

const file = createRequire(import.meta.url).resolve("@octokit/openapi/generated/api.github.com.json");
const document = JSON.parse(readFileSync(file, "utf8"));
const paths: Readonly<Record<string, Readonly<Record<string, Described>>>> = document.paths;

/** Returns a value that the parameter allows. */
function sampleOf({ schema: declared }: Parameter): string {
  const { oneOf, ...own }: ParameterSchema = componentOf("schemas", declared);
  const schema: ParameterSchema = oneOf?.[0] ?? own;
  return String(schema.default ?? schema.enum?.[0] ?? (/^(integer|number)$/.test(schema.type ?? "") ? 7 : "abc"));
}

/** Returns the component that an object refers to, or the object. */
function componentOf<Part extends { readonly $ref?: string }>(kind: string, part: Part): Part {
  const name = part.$ref?.split("/").at(-1);
  return name === undefined ? part : document.components[kind][name];
}

/** Returns a request with all required parameters. */
function requestTo(method: string, path: string, { parameters = [] }: Described): string {
  const all = parameters.map((each) => componentOf("parameters", each));
  const filled = path.replace(/\{([^}]+)\}/g, (_all, name: string) => {
    const parameter = all.find((each) => each.in === "path" && each.name === name);
    return parameter ? sampleOf(parameter) : "abc";
  });
  const query = all
    .filter((each) => each.in === "query" && each.required)
    .map((each) => `${each.name}=${sampleOf(each)}`);
  return `${method.toUpperCase()} ${filled}${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

let mock: ResourceMock;
beforeAll(async () => {
  mock = await createResourceMock({ contract: file, settings: { unknownIds: "fixture" } });
});
afterAll(() => mock.close());

test("each operation without a required body returns a documented success that its schema allows", async () => {
  const others: string[] = [];
  let count = 0;
  for (const { path, method, operation } of operations) {
    if (operation.requestBody) continue;
    const request = requestTo(method, path, operation);
    // Clients of this service send tokens with a scheme of its own.
    const { status, isOffContract, reason } = await send(mock, request, { Authorization: "token abc" });
    // What is below a deleted item is 404.
    if (method === "delete") await mock.project("default").reset();
    const isDocumented = status < 400 && String(status) in operation.responses;
    if (!isDocumented || isOffContract) others.push(`${request}: ${status} ${reason}`);
    count++;
  }
  expect(others).toEqual([]);
  expect(count).toBeGreaterThan(400);
});

test("an empty list instead of the body is refused in a documented form, or accepted, but never a defect", async () => {
  const statuses = new Set<number>();
  for (const { path, method, operation } of operations) {
    if (!operation.requestBody) continue;
    const { status, headers } = await send(mock, requestTo(method, path, operation), {}, []);
    expect(headers.get("Mock-Source")).not.toBe("defect");
    statuses.add(status);
  }
  expect([...statuses].filter((status) => status >= 500)).toEqual([]);
  expect(statuses).toContain(422);
});

test("the coverage counts each operation that was used", async () => {
  const { status, body } = await send(mock, "GET /__admin/projects/default/coverage");
  expect([status, body.operations.length + body.unused.length]).toEqual([200, operations.length]);
});
