// @module-tag slow
import { afterEach, describe, expect, test } from "vitest";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { expectSmallError, long, MiB, million } from "../setup/large.ts";
import { useMock } from "../setup/mock.ts";
import { everyOperation } from "../setup/requests.ts";

const mock = useMock("over a socket");

afterEach(() => mock.engine.resetAll());

/** The operations of the service with a request body. */
const ofService = everyOperation.flatMap(([id, { path, init }]): [string, string, RequestInit][] =>
  serviceContract.find(id)?.body ? [[id, path, init]] : [],
);

test.each(ofService)(
  "the operation %s returns a success or a small error for an array of a million items",
  async (...row) => {
    const [, path, init] = row;
    const response = await mock.resource("large", path, { ...init, body: million("{}") });
    if (response.status >= 400) await expectSmallError(response);
    else expect((await response.text()).length).toBeGreaterThan(0);
  },
);

test.each(["", "/images"])("returns 413 for a body of 17 MiB, also in chunks (%j)", async (path) => {
  const init = { method: "POST", headers: { "Content-Type": path === "" ? "application/json" : "image/png" } };
  await expectSmallError(await mock.resource("large", path, { ...init, body: long }), 413);
  const body = new Blob(Array(17).fill(new Uint8Array(MiB))).stream();
  await expectSmallError(await mock.resource("large", path, { ...init, body, duplex: "half" } as RequestInit), 413);
});

describe("60,000", () => {
  const draft = (field: string, item: string) => `{"objectTypeProperty":{"${field}":[${Array(60_000).fill(item)}]}}`;
  const headers = { "Content-Type": "application/json" };
  const post = (path: string, body: string) => mock.resource("large", path, { method: "POST", body, headers });

  test("numbers in a draft are accepted", async () => {
    const response = await post("", draft("arrayOfIntExample", "1"));
    expect(response.status).toBe(201);
    expect((await response.text()).length).toBeGreaterThan(120_000);
  });

  test("values of the wrong type in a draft return a small error", async () => {
    await expectSmallError(await post("", draft("arrayOfIntExample", '"x"')), 400);
    await expectSmallError(await post("", draft("arrayOfObjectType", '{"a":0},"x"')), 400);
  });

  test("invalid update actions return a small error", async () => {
    await expectSmallError(await post("/a", `{"version":1,"actions":[${Array(60_000).fill("{}")}]}`), 400);
  });
});

test.each([
  ["3,000 parentheses", "(".repeat(3000)],
  ["3,000 that are closed", `${"(".repeat(3000)}version = 1${")".repeat(3000)}`],
  ["3,000 negations", `${"not(".repeat(3000)}version = 1`],
])("a where parameter with %s returns a small error", async (_name, where) => {
  // Not percent-encoded: the encoded query is longer than the limit of a request line.
  const path = `/sorted-query-parameters?where=${where.replaceAll(" ", "+")}`;
  await expectSmallError(await mock.resource("large", path), 400);
});
