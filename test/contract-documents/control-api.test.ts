import { expect, test } from "vitest";
import { loadOperations } from "../../src/control/subjects.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { controls } from "../../src/services/generic-resource/control/index.ts";
import { control } from "../setup/control.ts";
import { onTransports } from "../setup/mock.ts";
import type { Document } from "./documents.ts";

const controlOperations = await loadOperations(controls);

onTransports("the document of the control API", {}, (mock) => {
  async function document(): Promise<Document> {
    const { status, body } = await control<Document>(mock, "GET", "/openapi.json");
    expect(status).toBe(200);
    return body;
  }

  test("is OpenAPI 3.1 and has every routed operation", async () => {
    const { openapi, info, paths } = await document();
    expect([openapi, info.version]).toEqual(["3.1.0", "0.0.0-test"]);
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, `${method.toUpperCase()} ${path}`]),
    );
    const routed = controlOperations.map(({ id, method, path }) => [id, `${method} ${path}`]);
    expect(described.sort()).toEqual(routed.sort());
  });

  test("lists the operations of the service", async () => {
    const { OperationName, OperationOrAny } = (await document()).components.schemas;
    expect(OperationName).toMatchObject({ type: "string", enum: [...serviceContract.ids, "token"] });
    expect(OperationOrAny).toMatchObject({ type: "string", enum: ["*", ...serviceContract.ids, "token"] });
  });
});

onTransports("with an admin token", { adminToken: "secret" }, (mock) => {
  test("the document declares that health needs no token", async () => {
    const { body } = await control<Document>(mock, "GET", "/openapi.json", undefined, {
      Authorization: "Bearer secret",
    });
    expect(body.paths["/__admin/health"]?.get?.security).toEqual([]);
    expect(body.paths["/__admin/reset"]?.post?.security).toEqual([{}, { adminToken: [] }]);
  });
});

test("every path parameter has a description", () => {
  const parameters = controlOperations.flatMap((operation) => operation.parameters);
  expect(parameters.filter((parameter) => parameter.in === "path" && !parameter.description)).toEqual([]);
});

test("every operation within a project declares 400, 401, 404 and 503", () => {
  for (const { id, responses } of controlOperations.filter(({ isInProject }) => isInProject)) {
    expect([id, Object.keys(responses)]).toEqual([id, expect.arrayContaining(["400", "401", "404", "503"])]);
  }
});
