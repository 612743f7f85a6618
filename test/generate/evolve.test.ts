import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ErrorResponse } from "../../src/contract/error-response.ts";
import type { Schema } from "../../src/contract/json-schema.ts";
import { declaredStatuses } from "../../src/contract/operation-table.ts";
import { loadCheck } from "../../src/contract/validator.ts";
import { readFiles } from "../../src/library/mock.ts";
import { loadContract } from "../../src/openapi/index.ts";
import { createRandom } from "../../src/project/random.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { ObjectTestType, PagedQueryResult } from "../../src/services/generic-resource/schemas.ts";
import { evolve } from "../../src/state/evolve-value.ts";
import { arrayTestType, draft, json } from "../setup/arbitraries.ts";
import { expectPrototypesUntouched } from "../setup/defects.ts";
import { documentOf, jsonResponse, objectOf } from "../setup/documents.ts";
import { effort, runs } from "../setup/runs.ts";

const SEEDS = 50 * effort;
const seeds = Array.from({ length: SEEDS }, (_seed, index) => index);
const { fixtures } = await readFiles();

const bodies = serviceContract.operations.flatMap((operation) =>
  declaredStatuses(operation).flatMap((status) => {
    const schema = operation.responses[status]?.schema;
    const examples = [undefined, ...fixtures.examples(operation.id, status)];
    if (!schema) return [];
    return examples.map((example) => ({
      name: `${operation.id} ${status} ${example ?? ""}`,
      schema,
      value: fixtures.get(operation.id, status, example)?.value,
    }));
  }),
);

const evolved = (value: unknown, schema: Schema, seed: number) =>
  evolve(value, schema, createRandom(String(seed)), serviceContract.protocolValues);

test.each(bodies)(`$name: ${SEEDS} varied bodies are valid, different and repeatable`, async ({ schema, value }) => {
  const check = await loadCheck(schema);
  const before = JSON.stringify(value);
  const all = () => seeds.map((seed) => evolved(value, schema, seed));
  const results = all();
  const texts = results.map((result) => JSON.stringify(result.value));
  expect(texts.flatMap((text) => check(JSON.parse(text)))).toEqual([]);
  expect(texts).not.toContain(before);
  expect(results.filter(({ changes }) => changes.length === 0)).toEqual([]);
  expect(JSON.stringify(all())).toBe(JSON.stringify(results));
  expect(new Set(texts).size).toBeGreaterThan(SEEDS / 10);
  // The value itself is shared with the fixture or the state.
  expect(JSON.stringify(value)).toBe(before);
});

test("every kind of change occurs in the cart", () => {
  const cart = fixtures.get("getCart", 200)?.value;
  const schema = serviceContract.find("getCart")?.responses[200]?.schema ?? {};
  const changes = seeds.flatMap((seed) => evolved(cart, schema, seed).changes.map((each) => each.split(" /")[0]));
  expect(new Set(changes)).toEqual(
    new Set(["added", "dropped", "emptied", "lengthened", "reordered", "reordered the body", "set to a bound"]),
  );
});

describe("values of the protocol stay", () => {
  test("the version of a resource, also in a page with its numbers", () => {
    const resource = { version: 7, objectTypeProperty: { arrayOfIntExample: [1, 2] } };
    const page = { limit: 20, offset: 5, count: 2, total: 7, results: [resource, resource] };
    for (const seed of seeds) {
      const { value } = evolved(page, PagedQueryResult, seed);
      expect(value).toMatchObject({
        limit: 20,
        offset: 5,
        count: 2,
        total: 7,
        results: [{ version: 7 }, { version: 7 }],
      });
    }
  });

  test("the id and the version of an item of a document, also in a list", async () => {
    const integer = { type: "integer" };
    const Plan = objectOf({ id: integer, version: integer, pages: integer });
    const PlanDraft = objectOf({ pages: integer });
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const parameters = [{ in: "path", name: "planId", required: true, schema: integer }];
    const created = { requestBody: { content: { "application/json": { schema: ref("PlanDraft") } } } };
    const responses = { 200: jsonResponse(ref("Plan")) };
    const paths = {
      "/plans": {
        get: { operationId: "list", responses: { 200: jsonResponse({ type: "array", items: ref("Plan") }) } },
        post: { ...created, responses },
      },
      "/plans/{planId}": { parameters, get: { responses } },
    };
    const { contract } = await loadContract(documentOf(paths, { components: { schemas: { Plan, PlanDraft } } }));
    const list = contract.find("list")?.responses[200]?.schema ?? {};
    const plans = [{ id: 7, version: 3, pages: 5 }];
    const results = seeds.map((seed) => evolve(plans, list, createRandom(String(seed)), contract.protocolValues).value);
    const items = results.flatMap((value) => value as typeof plans);
    expect(new Set(items.map(({ id, version }) => `${id} ${version}`))).toEqual(new Set(["7 3"]));
    expect(new Set(items.map(({ pages }) => pages)).size).toBeGreaterThan(1);
  });

  test("the status, code and current version of an error", () => {
    const error = { code: "ConcurrentModification", message: "stale", currentVersion: 3 };
    const body = { statusCode: 409, message: "stale", errors: [error] };
    for (const seed of seeds) {
      const { value } = evolved(body, ErrorResponse, seed) as { value: typeof body };
      expect(value).toMatchObject({ statusCode: 409, message: "stale" });
      expect(value.errors[0]).toMatchObject({ code: "ConcurrentModification", currentVersion: 3 });
    }
  });
});

test.each([
  ["resources with any members", ObjectTestType, draft.map((content) => ({ version: 1, ...content }))],
  ["bodies of a union", serviceContract.find("queryResources")?.responses[200]?.schema ?? {}, arrayTestType],
])("varied %s are valid and different", async (_what, schema, contents) => {
  const check = await loadCheck(schema);
  fc.assert(
    fc.property<[object, number]>(contents, fc.nat(), (content, seed) => {
      const body = JSON.parse(JSON.stringify(content));
      const { value } = evolved(body, schema, seed);
      expect(check(value)).toEqual([]);
      expect(JSON.stringify(value)).not.toBe(JSON.stringify(body));
    }),
    runs(60, 300),
  );
  expectPrototypesUntouched();
});

test("of any JSON, only objects and non-empty arrays vary", () => {
  fc.assert(
    fc.property(json, fc.nat(), (content, seed) => {
      const { value, changes } = evolved(content, { description: "Any JSON value." }, seed);
      const canVary = typeof content === "object" && content !== null && JSON.stringify(content) !== "[]";
      expect(JSON.stringify(value) !== JSON.stringify(content)).toBe(canVary);
      expect(changes.length > 0).toBe(canVary);
    }),
    runs(100, 500),
  );
});

test("a value of a union that contains itself varies, and keeps to the keywords beside the union", () => {
  const union: { oneOf: Schema[]; additionalProperties: false } = { oneOf: [], additionalProperties: false };
  union.oneOf.push(union, { type: "object", properties: { a: { type: "integer" } } });
  for (const seed of seeds)
    expect(Object.keys(evolved({ a: 1 }, union, seed).value as object)).not.toContain("addedLater");
  expect(seeds.some((seed) => evolved({ a: 1 }, union, seed).count > 0)).toBe(true);
});

test("a large body grows by a limited amount", { tags: ["slow"] }, () => {
  const item = { integerExample: 1 };
  const body = { version: 1, objectTypeProperty: { arrayOfObjectType: Array.from({ length: 20_000 }, () => item) } };
  const { length } = JSON.stringify(body);
  for (const seed of seeds.slice(0, 5)) {
    expect(JSON.stringify(evolved(body, ObjectTestType, seed).value).length).toBeLessThan(length + 600 * 1024);
  }
});
