import { expect, test } from "vitest";
import { declaredStatuses } from "../../src/contract/operation.ts";
import { serviceContract } from "../../src/contract/service-contract.ts";
import type { CoverageReport } from "../../src/journal/coverage.ts";
import { control, inProject } from "../setup/control.ts";
import { json, newProject, onBothTransports } from "../setup/mock.ts";
import { configure, draft, update, write } from "../setup/resources.ts";

onBothTransports("coverage", {}, (mock) => {
  const coverage = async (project: string) => (await inProject<CoverageReport>(mock, project, "GET", "/coverage")).body;
  const operation = (report: CoverageReport, id: string) => report.operations.find((each) => each.operation === id);

  test("begins with all that the contract declares, none of it exercised", async () => {
    const report = await coverage(newProject());
    expect(report.operations.map(({ operation, statuses }) => [operation, Object.keys(statuses).map(Number)])).toEqual(
      serviceContract.operations.map((each) => [each.id, declaredStatuses(each)]),
    );
    expect(report).toMatchObject({
      requests: 0,
      totals: {
        operations: { exercised: 0, declared: 16 },
        actions: { exercised: 0, declared: 2 },
        errorCodes: { exercised: 0, declared: 14 },
      },
      unmatched: 0,
      violations: [],
    });
  });

  test("counts operations, statuses, update actions that were applied, and error codes", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    await mock.resource(project, `/${id}`, update(1, [{ action: "doSomeThing" }, { action: "doSomeThing" }]));
    await mock.resource(project, `/${id}`, update(1, [{ action: "changeSomeProperty" }]));
    await mock.resource(project, "", { method: "HEAD" });
    await mock.resource(project, "/nowhere/at/all");
    await mock.resource(project, "", { method: "DELETE" });
    const report = await coverage(project);
    expect(operation(report, "createResource")).toMatchObject({
      requests: 1,
      statuses: { 201: 1, 400: 0 },
      errorCodes: {},
    });
    expect(operation(report, "updateResource")).toMatchObject({
      requests: 2,
      statuses: { 200: 1, 409: 1, 404: 0 },
      actions: { doSomeThing: 1, changeSomeProperty: 0 },
      errorCodes: { ConcurrentModification: 1 },
    });
    expect(operation(report, "checkResourceExists")).toMatchObject({ requests: 1, statuses: { 200: 1 } });
    expect(report).toMatchObject({
      requests: 6,
      unmatched: 2,
      errorCodes: { ConcurrentModification: 1, EndpointNotFound: 1, MethodNotAllowed: 1, General: 0 },
      totals: {
        operations: { exercised: 3, declared: 16 },
        statuses: { exercised: 4 },
        actions: { exercised: 1, declared: 2 },
        errorCodes: { exercised: 3, declared: 14 },
      },
    });
  });

  test("counts no action of an update whose connection was broken before it was handled", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/scenarios/connection-reset");
    await expect(mock.resource(project, "/some-id", update(1, [{ action: "doSomeThing" }]))).rejects.toThrow();
    expect(operation(await coverage(project), "updateResource")).toMatchObject({
      requests: 1,
      actions: { doSomeThing: 0 },
    });
  });

  test("groups the violations of the contract by their place", async () => {
    const project = newProject();
    configure(mock, project, { validation: "report" });
    const arrayOfIntExample = [1, "2", 3, "4"];
    await mock.resource(project, "", json("POST", { objectTypeProperty: { arrayOfIntExample } }));
    await mock.resource(project, "", json("POST", { objectTypeProperty: { arrayOfIntExample: ["x"] } }));
    await mock.resource(project, "?floatParameter=x");
    expect((await coverage(project)).violations).toEqual([
      {
        operation: "createResource",
        code: "InvalidField",
        field: "/objectTypeProperty/arrayOfIntExample/*",
        message: '/objectTypeProperty/arrayOfIntExample/1: expected integer, found "2"',
        count: 3,
      },
      {
        operation: "queryResources",
        code: "InvalidField",
        field: "floatParameter",
        message: 'floatParameter: expected a decimal number, found "x"',
        count: 1,
      },
    ]);
  });

  test("does not grow with what clients make up", async () => {
    const project = newProject();
    const sandbox = mock.engine.projects.get(project);
    await mock.resource(project, "?floatParameter=x");
    const [exchange] = sandbox.journal.list();
    if (!exchange) throw new Error("the request was journaled");
    for (let number = 0; number < 3000; number++) {
      const violations = [{ code: "InvalidField" as const, field: `/made-up-${number}`, message: "" }];
      sandbox.coverage.count({ ...exchange, violations });
    }
    const { violations, otherViolations } = await coverage(project);
    expect([violations.length, otherViolations]).toEqual([1000, 2001]);
  });

  test("outlives the journal, and not a reset", async () => {
    const project = newProject();
    configure(mock, project, { journalSize: 1 });
    for (let number = 0; number < 3; number++) await mock.resource(project);
    await inProject(mock, project, "DELETE", "/requests");
    expect(operation(await coverage(project), "queryResources")).toMatchObject({ requests: 3 });
    await inProject(mock, project, "POST", "/reset");
    expect((await coverage(project)).requests).toBe(0);
  });

  test("of all projects has those that have been closed or reset meanwhile", async () => {
    await control(mock, "POST", "/reset");
    const all = async () => (await control<CoverageReport>(mock, "GET", "/coverage")).body;
    const [first, second, third] = [newProject(), newProject(), newProject()];
    await write(mock, first);
    await mock.resource(second, "/a", update(5));
    await mock.resource(third, "?floatParameter=x");
    const before = await all();
    await inProject(mock, first, "POST", "/reset");
    await inProject(mock, second, "DELETE", "");
    expect(await all()).toEqual(before);
    expect(operation(before, "createResource")).toMatchObject({ requests: 1, statuses: { 201: 1 } });
    expect(operation(before, "updateResource")).toMatchObject({ requests: 1, statuses: { 200: 0, 409: 1 } });
    expect(before).toMatchObject({
      requests: 3,
      totals: { operations: { exercised: 3 } },
      errorCodes: { ConcurrentModification: 1, InvalidField: 1 },
      violations: [{ operation: "queryResources", count: 1 }],
    });
    await write(mock, first);
    expect(operation(await all(), "createResource")?.requests).toBe(2);
    await control(mock, "POST", "/reset");
    expect((await all()).requests).toBe(0);
  });

  test("is a table when text is asked for", async () => {
    const project = newProject();
    await write(mock, project, "POST", draft);
    await mock.resource(project, "/a", update(5));
    await mock.resource(project, "?floatParameter=x");
    await mock.resource(project, "/no/such/path");
    for (const path of [`/projects/${project}/coverage`, "/coverage"]) {
      const { headers, body } = await control<string>(mock, "GET", path, undefined, { Accept: "text/plain" });
      expect(headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
      expect(body).toMatch(/^\d+ requests: operations \d+ of 16, statuses \d+ of \d+, update actions 0 of 2/);
    }
    const { body } = await inProject<string>(mock, project, "GET", "/coverage", undefined, { Accept: "text/plain" });
    const lines = body.split("\n").map((line) => line.replace(/ +/g, " ").trimEnd());
    expect(lines).toEqual(
      expect.arrayContaining([
        "operation requests 200 201 203 400 401 403 404 409 413 415 429 500 503",
        "createResource 1 1 . . . . . . . .",
        "update actions: doSomeThing ., changeSomeProperty .",
        "requests that are no operation's: 1",
        "violations of the contract:",
        ' 1 × queryResources InvalidField: floatParameter: expected a decimal number, found "x"',
      ]),
    );
    const json = await inProject(mock, project, "GET", "/coverage", undefined, {
      Accept: "text/plain, application/json",
    });
    expect(json.body).toMatchObject({ requests: 4 });
  });
});
