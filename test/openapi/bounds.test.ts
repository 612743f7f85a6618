import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createResourceMock } from "../../src/library/resource-mock.ts";
import { documentOf, jsonResponse, objectOf, send } from "../setup/documents.ts";

const COUNT = 400;

/** Schemas that refer to each other, so that a value of one needs the validators of all. */
const circle = Object.fromEntries(
  Array.from({ length: COUNT }, (_, index) => {
    const others = [(index + 1) % COUNT, (index * 7) % COUNT].map((number) => `#/components/schemas/Part${number}`);
    const [next, other] = others.map(($ref) => ({ $ref }));
    return [`Part${index}`, { type: "object", properties: { next, other, size: { type: "integer", minimum: index } } }];
  }),
);

test("other requests are served while the validators of a large circle of schemas are made", async () => {
  const part = { $ref: "#/components/schemas/Part0" };
  const paths = {
    "/large": { get: { responses: { 200: jsonResponse(part, { size: 1, next: { next: { size: 2 } } }) } } },
    "/wrong": { get: { responses: { 200: jsonResponse(part, { next: { next: { size: 1 } } }) } } },
    "/small": { get: { responses: { 200: jsonResponse(objectOf({ name: { type: "string" } }), { name: "a" }) } } },
  };
  await using mock = await createResourceMock({ contract: documentOf(paths, { components: { schemas: circle } }) });
  await send(mock, "GET /small");
  let isPending = true;
  const large = send(mock, "GET /large").finally(() => {
    isPending = false;
  });
  let served = 0;
  // At most one slice of the work passes in each turn of the event loop. Undivided work would pass in one turn.
  for (; isPending; await turn()) {
    await send(mock, "GET /small");
    served++;
  }
  await large;
  expect(served).toBeGreaterThan(3);
  expect((await send(mock, "GET /large")).body).toEqual({ size: 1, next: { next: { size: 2 } } });
  // Part2 has a minimum of 2, two references below the first schema.
  expect((await send(mock, "GET /wrong")).body.next?.next?.size ?? 2).toBeGreaterThanOrEqual(2);
});

const MANY = 1000;
const many = Array.from({ length: MANY }, (_, index) => `/things${index}`);
const schema = (index: number) => objectOf({ [`name${index}`]: { type: "string", minLength: 1 } });
const large = documentOf(
  Object.fromEntries(many.map((path, index) => [path, { get: { responses: { 200: jsonResponse(schema(index)) } } }])),
);

test("a thousand operations are used for the first time at once", async () => {
  await using mock = await createResourceMock({ contract: large });
  const answers = await Promise.all(many.map((path) => send(mock, `GET ${path}`)));
  expect(new Set(answers.map(({ status, isOffContract }) => `${status} ${isOffContract}`))).toEqual(
    new Set(["200 false"]),
  );
  expect(answers.map(({ body }) => Object.keys(body)[0])).toEqual(many.map((_, index) => `name${index}`));
});

test("the control API has no more to say for a large document than for a small one", async () => {
  const sizeWith = async (contract: object) => {
    await using mock = await createResourceMock({ contract });
    const lengths = ["/__admin/openapi.json", "/__admin/contract/operations?limit=10", "/p/unknown"].map(
      async (path) => (await (await mock.fetch(path)).text()).length,
    );
    return Promise.all(lengths);
  };
  const few = Object.fromEntries(Object.entries((large as { paths: object }).paths).slice(0, 101));
  const [some, all] = [await sizeWith(documentOf(few)), await sizeWith(large)];
  for (const [index, length] of all.entries()) expect(length).toBeLessThan((some[index] ?? 0) + 100);
});
