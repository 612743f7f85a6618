import { afterEach, describe, expect, test, vi } from "vitest";
import type { OperationId } from "../../src/contract/known-service.ts";
import { stateResponse } from "../../src/engine/call/response.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { readFiles } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import type { ServiceResponse } from "../../src/rules/effects/effect.ts";
import { defaultService } from "../../src/services/index.ts";
import { exampleRequests } from "../setup/requests.ts";
import { basic, form } from "../setup/tokens.ts";

const files = await readFiles();

/** Sends the example request of an operation whose handler returns or throws `handlerResponse`. Also returns the defects. */
async function respondWith(
  id: OperationId,
  handlerResponse: ServiceResponse | Error,
  options: { checkResponses?: boolean; validation?: "report" },
) {
  const { checkResponses = true, validation = "enforce" } = options;
  const handler = () => {
    if (handlerResponse instanceof Error) throw handlerResponse;
    return handlerResponse;
  };
  const engine = createEngine({ ...files, handlers: { [id]: handler }, checkResponses, settings: { validation } });
  const defects: unknown[] = [];
  engine.onDefect = (error) => defects.push(error);
  const { path, init } = exampleRequests[id];
  const app = createApp(engine, { version: "0.0.0-test", pages, controls: defaultService.controls });
  const response = await app.fetch(new Request(`http://in.process/demo/resource${path}`, init));
  return { status: response.status, source: response.headers.get("Mock-Source"), text: await response.text(), defects };
}

afterEach(() => {
  vi.restoreAllMocks();
});

const wrongResource = stateResponse(200, '{"version":"1","objectTypeProperty":{}}');

/** All tests rely on this check: the mock validates each response against the contract before it sends the response. */
describe("the response check reports a response that violates the contract", () => {
  test.each<[string, OperationId, ServiceResponse, string]>([
    ["a body of a wrong shape", "getResourceById", wrongResource, "getResourceById 200: /version: expected integer"],
    ["no body", "getCart", stateResponse(200, null), "getCart 200: : expected object, found nothing"],
    ["an undeclared status", "getCart", stateResponse(204, null), "getCart returned 204"],
    [
      "an envelope without results",
      "searchResources",
      stateResponse(200, '{"limit":1,"offset":0,"count":0}'),
      "/results",
    ],
  ])("%s", async (_name, id, response, message) => {
    const { status, source, text, defects } = await respondWith(id, response, {});
    expect([status, source]).toEqual([500, "defect"]);
    expect(defects).toEqual([expect.objectContaining({ message: expect.stringContaining(message) })]);
    // The code differs from every mocked error, and the body shows no internals.
    expect(JSON.parse(text)).toMatchObject({ statusCode: 500, errors: [{ code: "Defect" }] });
    expect(text).not.toContain(message);
  });

  test("accepts invalid state if `validation` is `report`", async () => {
    const { status, defects } = await respondWith("getResourceById", wrongResource, { validation: "report" });
    expect([status, defects]).toEqual([200, []]);
  });

  test("accepts an off-contract response only if it is labelled", async () => {
    const response = { ...stateResponse(502, "<html></html>"), source: "rule:r-1" };
    const { status, defects } = await respondWith("getCart", { ...response, offContract: true }, {});
    expect([status, defects]).toEqual([502, []]);
    expect((await respondWith("getCart", response, {})).status).toBe(500);
  });

  test("is inactive without `checkResponses`, to save time outside of tests", async () => {
    const { status, defects } = await respondWith("getResourceById", wrongResource, { checkResponses: false });
    expect([status, defects]).toEqual([200, []]);
  });
});

test("a handler that throws causes a defect response, and the error is reported", async () => {
  const error = new TypeError("x is not a function at /home/us/secret.ts");
  const { status, source, text, defects } = await respondWith("getCart", error, {});
  expect([status, source, defects]).toEqual([500, "defect", [error]]);
  expect(text).not.toContain("secret");
});

test("an error outside of the operations causes a defect response too", async () => {
  const engine = createEngine(files);
  const defects: unknown[] = [];
  engine.onDefect = (error) => defects.push(error);
  vi.spyOn(engine.tokens, "find").mockImplementation(() => {
    throw new TypeError("no tokens today");
  });
  const app = createApp(engine, { version: "0.0.0-test", pages, controls: defaultService.controls });
  const init = form({ token: "abc" }, basic("shop", "secret"));
  const response = await app.fetch(new Request("http://in.process/oauth/token/revoke", init));
  expect([response.status, response.headers.get("Mock-Source")]).toEqual([500, "defect"]);
  expect(response.headers.get("Mock-Request-Id")).toBe("none");
  expect(defects).toHaveLength(1);
});
