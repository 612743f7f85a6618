import { afterEach, describe, expect, test, vi } from "vitest";
import { type ServiceResponse, stateResponse } from "../../src/call/response.ts";
import type { OperationId } from "../../src/contract/contract.ts";
import { dashboardPage } from "../../src/dashboard-page.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { readFiles } from "../../src/mock.ts";
import { handlers } from "../../src/operations/handlers.ts";
import { exampleRequests } from "../setup/requests.ts";
import { basic, form } from "../setup/tokens.ts";

const files = await readFiles();

/** What a handler that answers like this makes of its operation's example request, and what is reported as our defect. */
async function answeredWith(
  id: OperationId,
  answer: ServiceResponse | Error,
  options: { checkAnswers?: boolean; validation?: "report" },
) {
  const { checkAnswers = true, validation = "enforce" } = options;
  const engine = createEngine({ ...files, checkResponses: checkAnswers, settings: { validation } });
  const defects: unknown[] = [];
  engine.onDefect = (error) => defects.push(error);
  vi.spyOn(handlers, id).mockImplementation(() => {
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const { path, init } = exampleRequests[id];
  const app = createApp(engine, { version: "0.0.0-test", dashboardPage });
  const response = await app.fetch(new Request(`http://in.process/demo/resource${path}`, init));
  return { status: response.status, source: response.headers.get("Mock-Source"), text: await response.text(), defects };
}

afterEach(() => {
  vi.restoreAllMocks();
});

const wrongResource = stateResponse(200, '{"version":"1","objectTypeProperty":{}}');

/** The suite relies on this: each of its answers is held against the contract on its way out. */
describe("an answer that breaks the contract is caught", () => {
  test.each<[string, OperationId, ServiceResponse, string]>([
    ["a body of a wrong shape", "getResourceById", wrongResource, "getResourceById 200: /version: expected integer"],
    ["no body", "getCart", stateResponse(200, null), "getCart 200: : expected object, found nothing"],
    ["a status that is not declared", "getCart", stateResponse(204, null), "getCart answered 204"],
    ["a status of another operation", "getResourceById", stateResponse(201, "{}"), "getResourceById answered 201"],
    [
      "an envelope without results",
      "searchResources",
      stateResponse(200, '{"limit":1,"offset":0,"count":0}'),
      "/results",
    ],
  ])("%s", async (_name, id, response, message) => {
    const { status, source, text, defects } = await answeredWith(id, response, {});
    expect([status, source]).toEqual([500, "defect"]);
    expect(defects).toEqual([expect.objectContaining({ message: expect.stringContaining(message) })]);
    // Told apart from every mocked error, and nothing of the machine shows.
    expect(JSON.parse(text)).toMatchObject({ statusCode: 500, errors: [{ code: "Defect" }] });
    expect(text).not.toContain(message);
  });

  test("a fixture is held against the contract whatever the settings let pass", async () => {
    const response = { ...wrongResource, source: "fixture:getResourceById/200.json" };
    const { status } = await answeredWith("getResourceById", response, { validation: "report" });
    expect(status).toBe(500);
  });

  test("state is not, where the settings let in what breaks it", async () => {
    const { status, defects } = await answeredWith("getResourceById", wrongResource, { validation: "report" });
    expect([status, defects]).toEqual([200, []]);
  });

  test("nor is anything outside of the suite: it would cost each answer time", async () => {
    const { status, defects } = await answeredWith("getResourceById", wrongResource, { checkAnswers: false });
    expect([status, defects]).toEqual([200, []]);
  });
});

test("a handler that fails is our defect, and the server goes on", async () => {
  const error = new TypeError("x is not a function at /home/us/secret.ts");
  const { status, source, text, defects } = await answeredWith("getCart", error, {});
  expect([status, source, defects]).toEqual([500, "defect", [error]]);
  expect(text).not.toContain("secret");
});

test("so is anything that fails outside of the operations", async () => {
  const engine = createEngine(files);
  const defects: unknown[] = [];
  engine.onDefect = (error) => defects.push(error);
  vi.spyOn(engine.tokens, "issue").mockImplementation(() => {
    throw new TypeError("no tokens today");
  });
  const app = createApp(engine, { version: "0.0.0-test", dashboardPage });
  const init = form({ grant_type: "client_credentials" }, basic("shop", "secret"));
  const response = await app.fetch(new Request("http://in.process/oauth/token", init));
  expect([response.status, response.headers.get("Mock-Source")]).toEqual([500, "defect"]);
  expect(response.headers.get("Mock-Request-Id")).toBe("none");
  expect(defects).toHaveLength(1);
});
