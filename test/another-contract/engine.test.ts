import { expect, test } from "vitest";
import { createContract } from "../../src/contract/contract.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { layersOf } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { handlers } from "../../src/services/generic-resource/handlers.ts";
import { defaultService } from "../../src/services/index.ts";
import { loadFixtures } from "../../src/state/fixtures/fixtures.ts";
import { folderOf } from "../setup/folder.ts";

/** An operation outside the interface. */
const getPrice = {
  id: "getPrice",
  method: "GET",
  path: "/{projectKey}/price/{currency}",
  tag: "prices",
  summary: "Get the price",
  parameters: [
    { in: "path", name: "projectKey", schema: { type: "string" } },
    { in: "path", name: "currency", schema: { type: "string" } },
  ],
  responses: {
    200: {
      description: "The price.",
      schema: { type: "object", required: ["centAmount"], properties: { centAmount: { type: "integer" } } },
    },
  },
} as const;

const contract = createContract({ ...serviceContract, operations: [...serviceContract.operations, getPrice] });

function loadWith(price: object) {
  const own = folderOf({ "getPrice/200.json": price });
  return loadFixtures(contract, [...layersOf({}, defaultService).fixtures, { directory: own, label: "own" }]);
}

test("an engine serves, validates and publishes a custom contract", async () => {
  const { fixtures, problems } = await loadWith({ centAmount: 495 });
  expect(problems).toEqual([]);
  const app = createApp(createEngine({ contract, handlers, fixtures, checkResponses: true }), {
    version: "0.0.0-test",
    pages,
  });
  const get = async (path: string) => {
    const response = await app.fetch(new Request(`http://in.process${path}`));
    return { status: response.status, body: await response.json() };
  };

  expect(await get("/shop/price/EUR")).toEqual({ status: 200, body: { centAmount: 495 } });
  expect((await get("/shop/resource/some-id")).status).toBe(200);
  expect(Object.keys((await get("/__admin/contract.json")).body.paths)).toContain(getPrice.path);
  const { operations } = (await get("/__admin/coverage")).body;
  expect(operations.find((each: { operation: string }) => each.operation === "getPrice")).toMatchObject({
    requests: 1,
    statuses: { 200: 1 },
  });
});

test("fixtures are validated against a custom contract", async () => {
  const { problems } = await loadWith({ centAmount: "495" });
  expect(problems).toEqual([
    { file: "own/getPrice/200.json", pointer: "/centAmount", message: 'expected integer, found "495"' },
  ]);
});
