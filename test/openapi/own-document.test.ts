import { afterAll, beforeAll, expect, test } from "vitest";
import { declaredStatuses, responseFor } from "../../src/contract/operation-table.ts";
import { findProblems } from "../../src/contract/validator.ts";
import { createResourceMock, type ResourceMock } from "../../src/library/resource-mock.ts";
import { contract } from "../../src/services/generic-resource/contract.ts";
import { json } from "../setup/mock.ts";
import { complexPath, everyOperation, image } from "../setup/requests.ts";

/** The built-in service, and the document of its contract as a contract. */
let mocks: ResourceMock[] = [];

beforeAll(async () => {
  const builtIn = await createResourceMock();
  const document = await (await builtIn.fetch("http://in.process/__admin/contract.json")).json();
  mocks = [
    builtIn,
    await createResourceMock({ contract: document, settings: { collection: "sample", unknownIds: "fixture" } }),
  ];
});

afterAll(() => Promise.all(mocks.map((mock) => mock.close())));

async function answers(path: string, init: RequestInit) {
  const all = mocks.map(async (mock) => {
    const response = await mock.fetch(`http://in.process/p/resource${path}`, init);
    const { status, headers } = response;
    const text = await response.text();
    const body = text === "" ? undefined : JSON.parse(text);
    return { status, type: headers.get("Content-Type"), label: headers.get("Mock-Off-Contract"), body };
  });
  return Promise.all(all);
}

test.each(everyOperation)(
  "the operation %s has each documented response, with the same example",
  async (id, { path, init }) => {
    const operation = contract.find(id);
    if (!operation) throw new Error(id);
    const [builtIn, documented] = await answers(path, init);
    expect({ ...documented, body: {} }).toEqual({ ...builtIn, body: {} });
    for (const status of declaredStatuses(operation)) {
      const headers = { ...(init.headers as Record<string, string>), Prefer: `code=${status}` };
      const [expected, found] = await answers(path, { ...init, headers });
      expect(found).toEqual(expected);
      const { schema } = responseFor(operation, status) ?? {};
      expect(schema && found?.body !== undefined ? await findProblems(schema, found.body) : []).toEqual([]);
    }
  },
);

test.each<[path: string, init?: RequestInit]>([
  ["/sorted-query-parameters?limit=x"],
  ["/sorted-query-parameters?limit=501"],
  ["?sort=,"],
  ["?stringParameter=a&stringParameter=b"],
  ["", json("POST", {})],
  ["", json("POST", { key: 7 })],
  ["", json("POST", [])],
  ["", { method: "POST" }],
  ["", { method: "POST", body: "{", headers: { "Content-Type": "application/json" } }],
  ["", { method: "POST", body: "{}", headers: { "Content-Type": "text/plain" } }],
  ["", { method: "PUT", body: "{}", headers: { "Content-Type": "application/json", "Content-Encoding": "br" } }],
  ["/some-id", json("POST", { version: "1", actions: [] })],
  ["/some-id", json("POST", { version: 1, actions: [{ action: "unknown" }] })],
  [complexPath, json("POST", { id: 7 })],
  [`${complexPath}?bool=maybe`, json("POST", { id: "1" })],
  ["/images?filename=", image("image/png")],
  ["/images?filename=front.png", image("text/plain")],
  ["/some-id", { method: "DELETE", headers: { Prefer: "code=299" } }],
  ["/some-id", { headers: { Prefer: "example=none" } }],
])("a request to %s with %j has the same response", async (path, init = {}) => {
  const [builtIn, documented] = await answers(path, init);
  expect({ ...documented, body: {} }).toEqual({ ...builtIn, body: {} });
});
