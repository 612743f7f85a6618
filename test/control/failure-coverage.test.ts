import { describe, expect, test, vi } from "vitest";
import { createResourceMock } from "../../src/index.ts";
import type { CoverageReport } from "../../src/journal/coverage-report.ts";
import { possibleFailures } from "../../src/journal/failures.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { lastDecisions } from "../setup/activation.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { json, newProject, onTransports, useMock } from "../setup/mock.ts";
import { configure, update, write } from "../setup/resources.ts";

/** Resolves at once, so that a simulated delay takes no time. */
const wait = async () => {};

onTransports("failure coverage", { wait }, (mock) => {
  const coverage = async (project: string) => (await inProject<CoverageReport>(mock, project, "GET", "/coverage")).body;

  /** Returns the failures that the operation was exposed to. */
  async function exposed(project: string, operation: string): Promise<string[]> {
    const report = await coverage(project);
    const failures = report.operations.find((each) => each.operation === operation)?.failures ?? {};
    return Object.keys(failures).filter((name) => failures[name]);
  }

  const cart = async (project: string, init?: RequestInit) => {
    const response = await mock.resource(project, "/namespace-action-with-example", init);
    await response.text();
  };
  const rule = (project: string, effects: object) =>
    inProject(mock, project, "POST", "/rules", { operation: "getCart", ...effects });

  test("lists only the failures that the contract declares for the operation", async () => {
    const { operations } = await coverage(newProject());
    const failuresOf = (id: string) =>
      Object.keys(operations.find(({ operation }) => operation === id)?.failures ?? {}).sort();
    const always = ["400", "401/403", "429", "5xx", "broken", "off-contract", "slow"];
    expect(failuresOf("queryResources")).toEqual([...always, "drift"].sort());
    expect(failuresOf("getResourceById")).toEqual([...always, "404", "drift"].sort());
    expect(failuresOf("checkResourceExists")).toEqual([...always, "404"].sort());
    expect(failuresOf("updateResource")).toEqual([...always, "404", "409", "drift"].sort());
    expect(operations.filter(({ failures }) => "409" in failures).map(({ operation }) => operation)).toEqual([
      "updateResource",
    ]);
  });

  test.each([
    [{ respond: { status: 400 } }, ["400"]],
    [{ respond: { status: 403 } }, ["401/403"]],
    [{ respond: { status: 404 } }, ["404"]],
    [{ respond: { status: 429 } }, ["429"]],
    [{ respond: { status: 500 } }, ["5xx"]],
    [{ respond: { status: 507 }, latency: { fixed: 1000 } }, ["5xx", "slow"]],
    [{ respond: { status: 200 } }, []],
    [{ latency: { fixed: 1000 } }, ["slow"]],
    [{ latency: { fixed: 999 } }, []],
    [{ chunkedDribbleDelay: { numberOfChunks: 2, totalDuration: 1000 } }, ["slow"]],
    [{ raw: { status: 502, body: "<html>" } }, ["off-contract"]],
    [{ evolve: true }, ["drift"]],
    [{ evolve: true, raw: { status: 200, body: {} } }, ["off-contract"]],
  ])("the effect %j exposes to %j", async (effects, failures) => {
    const project = newProject();
    expect((await rule(project, effects)).status).toBe(201);
    await cart(project);
    expect((await exposed(project, "getCart")).sort()).toEqual(failures);
  });

  test.each(["CONNECTION_RESET_BY_PEER", "EMPTY_RESPONSE", "TRUNCATED_BODY", "RANDOM_DATA_THEN_CLOSE"])(
    "the fault %s exposes to a broken connection only",
    async (fault) => {
      const project = newProject();
      await rule(project, { fault });
      await rule(project, { evolve: true });
      await expect(cart(project)).rejects.toThrow();
      expect(await exposed(project, "getCart")).toEqual(["broken"]);
    },
  );

  test.each(["TRUNCATED_BODY", "MALFORMED_RESPONSE_CHUNK"])(
    "the fault %s does not break a response without a body, and does not count",
    async (fault) => {
      const project = newProject();
      await rule(project, { operation: "checkResourceExists", fault });
      const head = async () => {
        const response = await mock.resource(project, "", { method: "HEAD" });
        return [response.status, await response.text()];
      };
      expect(await head()).toEqual([200, ""]);
      expect(await exposed(project, "checkResourceExists")).toEqual([]);
      await inProject(mock, project, "PUT", "/state", { resources: [] });
      expect(await head()).toEqual([404, ""]);
      expect(await exposed(project, "checkResourceExists")).toEqual(["404"]);
      expect(await lastDecisions(mock, project)).toContain(
        "rule r-1 did not break the connection: the response has no body",
      );
    },
  );

  test("the service's own failures count, not only those of rules", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    await mock.resource(project, `/${id}`, update(7));
    await mock.resource(project, `/${id}`, update("one" as never));
    await mock.resource(project, `/${id}`, { method: "DELETE" });
    await mock.resource(project, `/${id}`, update(2));
    await mock.resource(project, `/${id}`, json("POST", {}, { Authorization: "Basic eDp5" }));
    expect(await exposed(project, "updateResource")).toEqual(["400", "404", "409", "401/403"]);
  });

  test("the summary has the percentages over the used operations, rounded down", async () => {
    const project = newProject();
    await rule(project, { raw: { status: 502 } });
    await cart(project);
    await mock.resource(project, "?floatParameter=x");
    const { summary, totals, operations } = await coverage(project);
    expect(operations.filter(({ used }) => used).map(({ operation }) => operation)).toEqual([
      "queryResources",
      "getCart",
    ]);
    expect(totals.failures).toEqual({ exercised: 2, declared: 17 });
    expect(summary).toEqual({ operations: 12.5, failures: 11.76, violations: 1 });
  });

  test("the filter failure lists the requests of a cell", async () => {
    const project = newProject();
    await inProject(mock, project, "POST", "/rules", { times: 1, latency: { fixed: 1000 } });
    await cart(project);
    await inProject(mock, project, "POST", "/rules", { times: 1, raw: { status: 502 } });
    await cart(project);
    await inProject(mock, project, "POST", "/rules", { times: 1, respond: { status: 503 } });
    await cart(project);
    const statuses = async (failure: string) => {
      const path = `/requests?failure=${encodeURIComponent(failure)}`;
      const { body } = await inProject<{ requests: { response: { status: number } }[] }>(mock, project, "GET", path);
      return body.requests.map(({ response }) => response.status);
    };
    expect(await statuses("slow")).toEqual([200]);
    expect(await statuses("5xx,off-contract")).toEqual([503, 502]);
    expect(await statuses("401/403")).toEqual([]);
    expectProblem(
      await inProject(mock, project, "GET", "/requests?failure=500"),
      400,
      "InvalidField",
      'expected 400, 401/403, 404, 409, 429, 5xx, broken, drift, off-contract, slow, found "500"',
    );
  });

  test("the table has the failure matrix, at most 100 columns wide", async () => {
    const project = newProject();
    await write(mock, project, "PUT");
    await mock.resource(project, "/a", update(7));
    const { body } = await inProject<string>(mock, project, "GET", "/coverage", undefined, { Accept: "text/plain" });
    const matrix = body.slice(0, body.indexOf("\nstatuses "));
    expect(matrix.split("\n").filter((line) => line.length > 100)).toEqual([]);
    expect(matrix).toContain(
      "2 requests, 2 of 16 operations (12.5 %), 1 of 18 failures tried (5.55 %), 0 contract violations",
    );
    expect(matrix).toMatch(/^operation +400 {2}401\/403 {2}404 {2}409 {2}429 {2}5xx {2}broken {2}drift/m);
    expect(matrix).toMatch(/^createOrOverwriteResource +· +· +· +· +· +· +· +·$/m);
    expect(matrix).toMatch(/^updateResource +· +· +· +✓ +· +· +· +· +· +·$/m);
    expect(matrix).toMatch(/^no requests: queryResources, /m);
  });
});

test("the time that a function takes counts as slow", async () => {
  const mock = await createResourceMock();
  const project = mock.project("p");
  let passed = 0;
  const start = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => start + passed);
  try {
    project.handle("getCart", () => {
      passed += 1000;
      return undefined;
    });
    await (await mock.fetch("/p/resource/namespace-action-with-example")).text();
  } finally {
    clock.mockRestore();
  }
  const { operations } = await project.coverage();
  expect(operations.at(-1)).toMatchObject({ operation: "getCart", exposures: { slow: 1 } });
  await mock.close();
});

describe("a client that closes the connection", () => {
  const mock = useMock("in process");

  test("is not exposed to a broken connection, but to the latency that it did not wait for", async () => {
    await configure(mock, "p", { latency: { fixed: 60_000 } });
    const client = new AbortController();
    const response = mock.resource("p", "", { signal: client.signal }).catch(() => {});
    client.abort();
    expect((await inProject(mock, "p", "GET", "/requests/wait?timeout=60000")).status).toBe(200);
    await response;
    const { body } = await inProject<CoverageReport>(mock, "p", "GET", "/coverage");
    expect(body.operations[0]).toMatchObject({ exposures: { slow: 1, broken: 0 } });
  });
});

test("the possible failures of an operation are sorted, as reports sort their names", () => {
  for (const operation of serviceContract.operations) {
    const names = possibleFailures(operation, serviceContract);
    expect(names).toEqual([...names].sort());
  }
});
