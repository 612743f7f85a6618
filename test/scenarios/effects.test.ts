import { describe, expect, test } from "vitest";
import type { OperationId } from "../../src/contract/known-service.ts";
import { declaredStatuses } from "../../src/contract/operation-table.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { operations } from "../../src/services/generic-resource/operations.ts";
import { activate, addRule, lastDecisions } from "../setup/activation.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { everyOperation, exampleRequests } from "../setup/requests.ts";
import { draft, stateOf, update, write } from "../setup/resources.ts";

const everyResponse = operations.flatMap((operation) =>
  declaredStatuses(operation).map((status): [OperationId, number] => [operation.id, status]),
);

onTransports("respond", {}, (mock) => {
  test.each(everyResponse)(
    "the operation %s returns %i with its fixture and the declared headers",
    async (operation, status) => {
      const project = newProject();
      await addRule(mock, project, { operation, respond: { status } });
      const { path, init } = exampleRequests[operation];
      const response = await mock.resource(project, path, init);
      expect([response.status, response.headers.get("Mock-Source")]).toEqual([status, "rule:r-1"]);
      for (const name in serviceContract.find(operation)?.responses[status]?.headers) {
        expect(response.headers.get(name)).toBeTruthy();
      }
      const text = await response.text();
      const fixture = mock.fixtures.get(operation, status);
      expect(text).toBe(fixture?.text ?? "");
    },
  );

  test("returns its own body, and adds and overrides headers", async () => {
    const project = newProject();
    const body = { statusCode: 503, message: "Back at noon.", errors: [{ code: "ServiceUnavailable", message: "…" }] };
    const headers = { "retry-after": "60", "X-Maintenance": "noon" };
    await addRule(mock, project, { respond: { status: 503, body, headers } });
    const response = await mock.resource(project);
    expect([response.status, await response.json()]).toEqual([503, body]);
    expect(response.headers.get("Retry-After")).toBe("60");
    expect(response.headers.get("X-Maintenance")).toBe("noon");
  });

  test("replaces the operation and writes nothing", async () => {
    const project = newProject();
    await addRule(mock, project, { operation: "createResource", respond: { status: 201 } });
    const { resources } = await stateOf(mock, project);
    const response = await mock.resource(project, "", json("POST", draft));
    expect(response.headers.get("Location")).toMatch(new RegExp(`^/${project}/resource/[0-9a-f-]{36}$`));
    expect((await stateOf(mock, project)).resources).toHaveLength(resources.length);
  });

  test("applies to all operations that declare the status", async () => {
    const project = newProject();
    await addRule(mock, project, { respond: { status: 409 } });
    for (const [operation, { path, init, status }] of everyOperation) {
      const response = await mock.resource(project, path, init);
      expect([operation, response.status]).toEqual([operation, operation === "updateResource" ? 409 : status]);
    }
  });
});

onTransports("conflict", {}, (mock) => {
  test("writes the resource as another client would, up to times", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    await addRule(mock, project, { operation: "updateResource", times: 2, conflict: true });
    for (const actual of [2, 3]) {
      const response = await mock.resource(project, `/${id}`, update(actual - 1));
      expect(await response.json()).toMatchObject({ statusCode: 409, errors: [{ currentVersion: actual }] });
      expect(await lastDecisions(mock, project)).toContain(`another client wrote version ${actual}`);
    }
    expect((await mock.resource(project, `/${id}`, update(3))).status).toBe(200);
  });

  test("an unknown id is created from the fixture first", async () => {
    const project = newProject();
    await addRule(mock, project, { conflict: true });
    const response = await mock.resource(project, "/new-id", update(1));
    expect(await response.json()).toMatchObject({ statusCode: 409, errors: [{ currentVersion: 2 }] });
  });

  test("leaves the response of another effect as it is if there is no resource", async () => {
    const project = newProject();
    await inProject(mock, project, "PATCH", "/settings", { unknownIds: "not-found" });
    await addRule(mock, project, { operation: "updateResource", conflict: true });
    expect((await mock.resource(project, "/new-id", update(1))).status).toBe(404);
    await addRule(mock, project, { operation: "updateResource", respond: { status: 503 } });
    expect((await mock.resource(project, "/new-id", update(1))).status).toBe(503);
    const preferred = await mock.resource(
      project,
      "/new-id",
      json("POST", { version: 1, actions: [] }, { Prefer: "code=500" }),
    );
    expect(preferred.status).toBe(500);
  });

  test("fails a delete with a stale version", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    await addRule(mock, project, { operation: "deleteResource", conflict: true });
    const response = await mock.resource(project, `/${id}`, { method: "DELETE" });
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ version: 2 })]);
  });
});

onTransports("settings", {}, (mock) => {
  test("auth: requires a token", async () => {
    const project = newProject();
    await addRule(mock, project, { operation: "queryResources", settings: { auth: "strict" } });
    expect((await mock.resource(project)).status).toBe(401);
    expect((await mock.resource(project, "/some-id")).status).toBe(200);
    expect(await lastDecisions(mock, project)).toContain("rule r-1 skipped: it applies to other operations");
  });

  test("validation: accepts an invalid request", async () => {
    const project = newProject();
    await addRule(mock, project, { times: 1, settings: { validation: "off" } });
    expect((await mock.resource(project, "?floatParameter=x")).status).toBe(200);
    expect((await mock.resource(project, "?floatParameter=x")).status).toBe(400);
  });

  test("unknownIds and collection", async () => {
    const project = newProject();
    await addRule(mock, project, { settings: { unknownIds: "not-found", collection: "paged" } });
    expect((await mock.resource(project, "/some-id")).status).toBe(404);
    expect(await (await mock.resource(project)).json()).toHaveProperty("results");
    expect((await inProject(mock, project, "GET", "/settings")).body).toMatchObject({ collection: "sample" });
  });
});

describe("effects of different kinds", () => {
  const waits: number[] = [];
  onTransports("combine", { wait: async (ms) => void waits.push(ms) }, (mock) => {
    test("combine the latency, the response and the chunks of three scenarios", async () => {
      const project = newProject();
      await activate(mock, project, "conflict");
      await activate(mock, project, "slow");
      await activate(mock, project, "dribble");
      waits.length = 0;
      const response = await mock.resource(project, "/some-id", update(1));
      expect(await response.json()).toMatchObject({ statusCode: 409 });
      expect(waits).toEqual([2000, 200, 200, 200, 200, 200]);
      expect(response.headers.get("Mock-Source")).toBe("scenario:conflict");
      expect(await lastDecisions(mock, project)).toEqual([
        expect.stringMatching(/^auth passed: /),
        "scenario dribble rule 1 sends the body in 5 chunks",
        "scenario conflict rule 1 responded with 409",
        "scenario slow rule 1 delayed the response by 2000 ms",
      ]);
    });

    test("combine within one rule", async () => {
      const project = newProject();
      await addRule(mock, project, {
        settings: { collection: "paged" },
        latency: { fixed: 30 },
        chunkedDribbleDelay: { numberOfChunks: 2, totalDuration: 10 },
        times: 1,
      });
      waits.length = 0;
      expect(await (await mock.resource(project)).json()).toHaveProperty("results");
      expect(waits).toEqual([30, 5, 5]);
      expect(await (await mock.resource(project)).json()).not.toHaveProperty("results");
    });

    test("send an error of the operation in chunks too, and a short body in fewer chunks", async () => {
      const project = newProject();
      await addRule(mock, project, { chunkedDribbleDelay: { numberOfChunks: 1000, totalDuration: 1000 } });
      await mock.resource(project, "/some-id", update(1));
      waits.length = 0;
      const response = await mock.resource(project, "/some-id", update(1));
      const { length } = await response.text();
      expect([response.status, waits.length]).toEqual([409, length]);
    });

    test("a broken connection excludes chunks", async () => {
      const project = newProject();
      await activate(mock, project, "dribble");
      await activate(mock, project, "connection-reset");
      await expect(mock.resource(project)).rejects.toThrow(TypeError);
      expect(await lastDecisions(mock, project)).toContain(
        "scenario dribble rule 1 skipped: another effect has higher precedence",
      );
    });
  });
});
