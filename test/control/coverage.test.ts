import { expect, test } from "vitest";
import { declaredStatuses } from "../../src/contract/operation-table.ts";
import type { CoverageReport } from "../../src/journal/coverage-report.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { ARCHIVE_TYPE } from "../setup/archives.ts";
import { control, inProject } from "../setup/control.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { configure, draft, update, write } from "../setup/resources.ts";

onTransports("coverage", { inOneProcess: "records requests in the engine" }, (mock) => {
  const coverage = async (project: string) => (await inProject<CoverageReport>(mock, project, "GET", "/coverage")).body;
  const operation = (report: CoverageReport, id: string) => report.operations.find((each) => each.operation === id);

  test("starts with every declared operation and status, none exercised", async () => {
    const report = await coverage(newProject());
    expect(report.operations.map(({ operation, statuses }) => [operation, Object.keys(statuses).map(Number)])).toEqual(
      serviceContract.operations.map((each) => [each.id, declaredStatuses(each)]),
    );
    expect(report).toMatchObject({
      requests: 0,
      totals: {
        operations: { exercised: 0, declared: 16 },
        actions: { exercised: 0, declared: 2 },
        errorCodes: { exercised: 0, declared: 16 },
      },
      unmatched: 0,
      violations: [],
    });
  });

  test("counts operations, statuses, applied update actions and error codes", async () => {
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
        errorCodes: { exercised: 3, declared: 16 },
      },
    });
  });

  test("counts off-contract responses in a column of their own", async () => {
    const project = newProject();
    const body = { statusCode: 500, message: "", errors: [{ code: "General", message: "" }] };
    await inProject(mock, project, "POST", "/rules", { operation: "getCart", raw: { status: 500, body } });
    for (let request = 0; request < 2; request++) await mock.resource(project, "/namespace-action-with-example");
    await mock.resource(project);
    const report = await coverage(project);
    expect(operation(report, "getCart")).toMatchObject({
      requests: 2,
      offContract: 2,
      statuses: { 200: 0, 500: 0 },
      errorCodes: {},
    });
    expect(operation(report, "queryResources")).toMatchObject({ requests: 1, offContract: 0, statuses: { 200: 1 } });
    expect(report).toMatchObject({ errorCodes: { General: 0 }, totals: { statuses: { exercised: 1 } } });
  });

  const actions = [{ action: "doSomeThing" }, { action: "changeSomeProperty", someProperty: "a" }];

  test.each<[string, object, Record<string, string>]>([
    ["a rule", { respond: { status: 200 } }, {}],
    ["Prefer", {}, { Prefer: "code=200" }],
    ["a conflict", { conflict: true }, {}],
  ])("counts no action of an update if the response comes from %s", async (_name, effect, headers) => {
    const project = newProject();
    const rule = { operation: "updateResource", latency: { fixed: 0 }, ...effect };
    expect((await inProject(mock, project, "POST", "/rules", rule)).status).toBe(201);
    await mock.resource(project, "/some-id", json("POST", { version: 1, actions }, headers));
    expect(operation(await coverage(project), "updateResource")).toMatchObject({
      requests: 1,
      actions: { doSomeThing: 0, changeSomeProperty: 0 },
    });
  });

  test("counts the actions of an update with a truncated response", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/scenarios/truncated-body");
    const response = await mock.resource(project, "/some-id", update(1, actions));
    await expect(response.text()).rejects.toThrow();
    expect(operation(await coverage(project), "updateResource")).toMatchObject({
      actions: { doSomeThing: 1, changeSomeProperty: 1 },
    });
  });

  test("counts no action of an update if the connection broke before the update", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/scenarios/connection-reset");
    await expect(mock.resource(project, "/some-id", update(1, [{ action: "doSomeThing" }]))).rejects.toThrow();
    expect(operation(await coverage(project), "updateResource")).toMatchObject({
      requests: 1,
      actions: { doSomeThing: 0 },
    });
    expect((await coverage(project)).totals.statuses.exercised).toBe(0);
  });

  test("groups violations of the contract by location", async () => {
    const project = newProject();
    await configure(mock, project, { validation: "report" });
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

  test("lists the most frequent violations first, per operation and code", async () => {
    const project = newProject();
    for (const path of ["?limit=x", "?floatParameter=x", "/sorted-query-parameters?limit=x", "?floatParameter=x"]) {
      await mock.resource(project, path);
    }
    for (let time = 0; time < 3; time++) await mock.resource(project, "/images", { method: "POST" });
    const { violations } = await coverage(project);
    expect(violations.map(({ operation, code, count }) => [count, operation, code])).toEqual([
      [3, "uploadImage", "InvalidInput"],
      [2, "queryResources", "InvalidField"],
      [1, "queryWithSortedParameters", "InvalidField"],
    ]);
  });

  test("keeps at most 1,000 violations of a project", async () => {
    const project = newProject();
    const letters = [..."abcdefghijklmnopqrst"];
    for (const language of letters.flatMap((first) => ["a", "b", "c"].map((second) => first + second))) {
      const names = letters.map((letter) => `text.${language}-A${letter.toUpperCase()}`);
      await mock.resource(project, `/searchApiPattern?${names.map((name) => `${name}=a&${name}=b`).join("&")}`);
    }
    const { violations, otherViolations } = await coverage(project);
    expect([violations.length, otherViolations]).toEqual([1000, 200]);
  });

  test("is kept when the journal is cleared, and cleared by a reset", async () => {
    const project = newProject();
    await configure(mock, project, { journalSize: 1 });
    for (let number = 0; number < 3; number++) await mock.resource(project);
    await inProject(mock, project, "DELETE", "/requests");
    expect(operation(await coverage(project), "queryResources")).toMatchObject({ requests: 3 });
    await inProject(mock, project, "POST", "/reset");
    expect((await coverage(project)).requests).toBe(0);
  });

  test("the coverage of all projects includes deleted and reset projects", async () => {
    await control(mock, "POST", "/reset");
    const all = async () => (await control<CoverageReport>(mock, "GET", "/coverage")).body;
    const [first, second, third] = [newProject(), newProject(), newProject()];
    await write(mock, first);
    await mock.resource(second, "/a", update(5));
    await mock.resource(second, "/a", update(1));
    await mock.resource(third, "?floatParameter=x");
    const before = await all();
    await inProject(mock, first, "POST", "/reset");
    await inProject(mock, second, "DELETE", "");
    expect(await all()).toEqual(before);
    expect(operation(before, "createResource")).toMatchObject({ requests: 1, statuses: { 201: 1 } });
    expect(operation(before, "updateResource")).toMatchObject({
      requests: 2,
      statuses: { 200: 1, 409: 1 },
      actions: { doSomeThing: 1 },
    });
    expect(before).toMatchObject({
      requests: 4,
      totals: { operations: { exercised: 3 } },
      errorCodes: { ConcurrentModification: 1, InvalidField: 1 },
      violations: [{ operation: "queryResources", count: 1 }],
    });
    await write(mock, first);
    expect(operation(await all(), "createResource")?.requests).toBe(2);
    await control(mock, "POST", "/reset");
    expect((await all()).requests).toBe(0);
  });

  test("the coverage of all projects counts the requests of copies and restored archives once", async () => {
    await control(mock, "POST", "/reset");
    const all = async () => (await control<CoverageReport>(mock, "GET", "/coverage")).body;
    const [original, copy] = [newProject(), newProject()];
    await write(mock, original);
    await mock.resource(original, "?floatParameter=x");
    const before = await all();
    for (let time = 0; time < 3; time++) {
      await inProject(mock, copy, "PUT", "/archive", { from: original });
      expect([await all(), await coverage(copy)]).toEqual([before, before]);
    }
    // An archive of a copy, in place of the original.
    const archive = await (await mock.fetch(`/__admin/projects/${copy}/archive`)).text();
    const put = { method: "PUT", body: archive, headers: { "Content-Type": ARCHIVE_TYPE } };
    expect((await mock.fetch(`/__admin/projects/${original}/archive`, put)).status).toBe(204);
    expect([await all(), await coverage(original)]).toEqual([before, before]);
    // Requests to a copy count, also after its end.
    await mock.resource(copy, "?floatParameter=x");
    await inProject(mock, copy, "POST", "/reset");
    const { requests, violations } = await all();
    expect({ requests, violations }).toMatchObject({ requests: 3, violations: [{ count: 2 }] });
    expect(await coverage(copy)).toMatchObject({ requests: 0 });
  });

  test("is a table if the client accepts plain text", async () => {
    const project = newProject();
    await write(mock, project, "POST", draft);
    await mock.resource(project, "/a", update(5));
    await mock.resource(project, "?floatParameter=x");
    await mock.resource(project, "/no/such/path");
    for (const path of [`/projects/${project}/coverage`, "/coverage"]) {
      const { headers, body } = await control<string>(mock, "GET", path, undefined, { Accept: "text/plain" });
      expect(headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
      expect(body).toMatch(/^\d+ requests, \d+ of 16 operations /);
      expect(body).toMatch(/^statuses \d+ of \d+, update actions 0 of 2/m);
    }
    const { body } = await inProject<string>(mock, project, "GET", "/coverage", undefined, { Accept: "text/plain" });
    const lines = body.split("\n").map((line) => line.replace(/ +/g, " ").trimEnd());
    expect(lines).toEqual(
      expect.arrayContaining([
        "operation requests 200 201 203 400 401 403 404 409 413 415 429 500 503 507 off-contract",
        "createResource 1 1 . . . . . . . . . .",
        "update actions: doSomeThing ., changeSomeProperty .",
        "requests that match no operation: 1",
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
