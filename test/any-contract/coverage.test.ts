import { expect, test } from "vitest";
import { connectionTo } from "../../src/control/client/connection.ts";
import { projectControl } from "../../src/control/client/index.ts";
import type { CoverageReport } from "../../src/journal/coverage-report.ts";
import { mergedReport, reportSince } from "../../src/tools/gate/reports.ts";
import { missedRequirements, missingCells } from "../../src/tools/gate/requirements.ts";
import { activate, addRule } from "../setup/activation.ts";
import { inProject } from "../setup/control.ts";
import { documentOf, jsonResponse, objectOf, send } from "../setup/documents.ts";
import { newProject, onTransports } from "../setup/mock.ts";

const Ship = objectOf({
  id: { type: "integer" },
  name: { type: "string" },
  version: { type: "integer", readOnly: true },
});
const Note = objectOf({ id: { type: "integer" }, text: { type: "string" } });
const error = jsonResponse(objectOf({ code: { type: "integer" }, message: { type: "string" } }));
const body = (schema: object) => ({ requestBody: { required: true, content: { "application/json": { schema } } } });
const key = [{ key: [] }];

const harbour = documentOf(
  {
    "/ships": {
      get: { operationId: "listShips", responses: { 200: jsonResponse({ type: "array", items: Ship }) } },
      post: {
        operationId: "createShip",
        security: key,
        ...body(objectOf({ name: { type: "string" } })),
        responses: { 201: jsonResponse(Ship), 422: error },
      },
    },
    "/ships/{shipId}": {
      get: { operationId: "getShip", responses: { 200: jsonResponse(Ship), "4XX": error } },
      put: { operationId: "replaceShip", ...body(Ship), responses: { 200: jsonResponse(Ship) } },
      delete: { operationId: "deleteShip", responses: { 204: { description: "Deleted." } } },
    },
    "/notes": {
      get: {
        operationId: "listNotes",
        responses: { 200: jsonResponse({ type: "array", items: Note }), default: error },
      },
      post: { operationId: "createNote", ...body(Note), responses: { 201: jsonResponse(Note) } },
    },
    "/notes/{noteId}": {
      get: { operationId: "getNote", responses: { 200: jsonResponse(Note), 503: error } },
      patch: { operationId: "changeNote", ...body(Note), responses: { 200: jsonResponse(Note), 412: error } },
    },
    "/ping": { get: { operationId: "ping", responses: { 200: { description: "Here." } } } },
    "/any": { get: { operationId: "any", responses: { default: jsonResponse(Note) } } },
  },
  { components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "x-key" } } } },
);

onTransports("the coverage of a document", { contract: harbour, wait: async () => {} }, (mock) => {
  const coverage = async (project: string) => (await inProject<CoverageReport>(mock, project, "GET", "/coverage")).body;
  const operation = async (project: string, id: string) => {
    return (await coverage(project)).operations.find((each) => each.operation === id);
  };

  test("has the failures that the document declares, and those that each client can get", async () => {
    const { operations } = await coverage(newProject());
    const always = ["5xx", "broken", "off-contract", "slow"];
    const found = operations.map(({ operation, failures }) => {
      return [operation, ...Object.keys(failures).filter((name) => !always.includes(name))];
    });
    expect(operations.every(({ failures }) => always.every((name) => name in failures))).toBe(true);
    expect(Object.fromEntries(found.map(([id, ...failures]) => [id, failures.sort().join(" ")]))).toEqual({
      listShips: "drift",
      createShip: "400 401/403 drift",
      getShip: "400 401/403 404 409 429 drift",
      replaceShip: "400 404 409 drift",
      deleteShip: "400 404 409",
      listNotes: "400 401/403 404 409 429 drift",
      createNote: "400 drift",
      getNote: "400 404 drift",
      changeNote: "400 404 409 drift",
      ping: "",
      any: "drift",
    });
  });

  test("counts the mock's errors by status and code, in whichever form the document has them", async () => {
    const project = newProject();
    const json = (body: object, more = {}) =>
      [{ "Content-Type": "application/json", ...more }, JSON.stringify(body)] as const;
    await send(mock, `POST /${project}/ships`, ...json({ name: "Ada" }));
    await send(mock, `POST /${project}/ships`, ...json({ name: 5 }));
    await send(mock, `PUT /${project}/ships/1`, ...json({ id: 1, name: "Eve", version: 1 }));
    await send(mock, `PUT /${project}/ships/1`, ...json({ id: 1, name: "Eve", version: 1 }));
    await send(mock, `DELETE /${project}/ships/1`, { "If-Match": '"none"' });
    await send(mock, `DELETE /${project}/ships/77`);
    const report = await coverage(project);
    const tried = report.operations.flatMap(({ operation, failures }) =>
      Object.entries(failures).flatMap(([name, isTried]) => (isTried ? [`${operation} ${name}`] : [])),
    );
    expect(tried.sort()).toEqual(["createShip 400", "deleteShip 404", "deleteShip 409", "replaceShip 409"]);
    expect(report.errorCodes).toEqual({
      InvalidField: 1,
      ConcurrentModification: 1,
      PreconditionFailed: 1,
      ResourceNotFound: 1,
    });
    expect(report.totals.errorCodes).toEqual({ exercised: 4, declared: 4 });
  });

  test.each([
    [{ respond: { status: 503 } }, ["5xx"], 0],
    [{ respond: { status: 404 } }, ["404"], 0],
    [{ respond: { status: 429 } }, ["429"], 0],
    [{ respond: { status: 401 } }, ["401/403"], 0],
    [{ raw: { status: 503 } }, ["off-contract"], 1],
  ])("a rule with %j exposes to %j, whatever the document declares", async (effects, failures, offContract) => {
    const project = newProject();
    await addRule(mock, project, { operation: "ping", times: 1, ...effects });
    await send(mock, `GET /${project}/ping`);
    const ping = await operation(project, "ping");
    expect(Object.entries(ping?.failures ?? {}).flatMap(([name, isTried]) => (isTried ? [name] : []))).toEqual(
      failures,
    );
    expect(ping).toMatchObject({ offContract, errorCodes: {} });
  });

  test.each(["server-error", "rate-limited", "unauthorized", "conflict", "unavailable-then-ok"])(
    "the scenario %s is a tried failure of the operations that it applies to",
    async (scenario) => {
      const project = newProject();
      await send(mock, `POST /${project}/ships`, { "Content-Type": "application/json" }, '{ "name": "Ada" }');
      await activate(mock, project, scenario);
      const body = '{ "id": 1, "name": "Eve", "version": 1 }';
      const { status } = await send(mock, `PUT /${project}/ships/1`, { "Content-Type": "application/json" }, body);
      expect(status).toBeGreaterThan(399);
      const { failures, offContract } = (await operation(project, "replaceShip")) ?? {};
      expect([Object.values(failures ?? {}).filter(Boolean), offContract]).toEqual([[true], 0]);
    },
  );

  test("each failure that is not tried has a line that tries it", async () => {
    const fetch = (url: string, request?: RequestInit) => mock.fetch(url.replace("http://mock", ""), request);
    const connection = connectionTo("http://mock", { fetch });
    const requests: readonly (readonly [string, string, string?])[] = [
      ["getShip", "GET /ships/1"],
      ["replaceShip", "PUT /ships/1", '{ "id": 1, "name": "Eve" }'],
      ["createNote", "POST /notes", '{ "id": 1, "text": "a" }'],
      ["listNotes", "GET /notes"],
      ["ping", "GET /ping"],
    ];
    for (const [operation, request, body] of requests) {
      const call = (key: string) =>
        send(mock, request.replace(" ", ` /${key}`), { "Content-Type": "application/json" }, body).catch(() => {});
      const used = newProject();
      await call(used);
      for (const { failure, line } of missingCells(await projectControl({ connection, key: used }).coverage())) {
        // A small body does not always vary.
        if (failure === "drift") continue;
        const project = projectControl({ connection, key: newProject() });
        await new Function("mock", `return (async () => { ${line} })()`)(project);
        await call(project.key);
        const found = (await project.coverage()).operations.find((each) => each.operation === operation);
        expect([operation, failure, line, found?.failures[failure]]).toEqual([operation, failure, line, true]);
      }
    }
  });

  test("the text of a document without update actions has no list of them", async () => {
    const { body: text } = await inProject<string>(mock, newProject(), "GET", "/coverage", undefined, {
      Accept: "text/plain",
    });
    expect(text).not.toContain("update actions");
    expect(text).toContain("error codes: none\n");
  });
});

const many = documentOf(
  Object.fromEntries(
    Array.from({ length: 200 }, (_, number) => [
      `/things${number}`,
      { get: { operationId: `get${number}`, responses: { 200: jsonResponse(Note) } } },
    ]),
  ),
);

onTransports(
  "the coverage of a document of 200 operations",
  { contract: many, inOneProcess: "merges reports" },
  (mock) => {
    test("merged reports have all operations once, and the gate names the first unused ones", async () => {
      const [first, second] = [newProject(), newProject()];
      await send(mock, `GET /${first}/things0`);
      await send(mock, `GET /${second}/things0`);
      await send(mock, `GET /${second}/things9`);
      const [a, b] = await Promise.all(
        [first, second].map(
          async (project) => (await inProject<CoverageReport>(mock, project, "GET", "/coverage")).body,
        ),
      );
      if (!a || !b) throw new Error("no reports");
      expect(JSON.stringify(b).length).toBeLessThan(5000);
      const merged = mergedReport([a, b]);
      expect(merged.operations.map(({ operation, requests }) => [operation, requests])).toEqual([
        ["get0", 2],
        ["get9", 1],
      ]);
      expect(merged.totals.operations).toEqual({ exercised: 2, declared: 200 });
      expect(merged.unused).toHaveLength(198);
      expect(reportSince(b, a).totals.operations).toEqual({ exercised: 1, declared: 200 });
      const [missed] = missedRequirements(merged, { operations: 80 });
      expect(missed?.message.split("\n")).toEqual([
        "expected at least 80 %, found 1 %. Without requests:",
        ...[1, 2, 3, 4, 5, 6, 7, 8, 10, 11].map((number) => `  get${number}`),
        "  … and 188 others",
      ]);
    });
  },
);
