import { describe, expect, test } from "vitest";
import { ControlError, connectResourceMock } from "../../src/client.ts";
import { loadOperations } from "../../src/control/subjects.ts";
import { createResourceMock, startResourceMock } from "../../src/index.ts";
import { controls } from "../../src/services/generic-resource/control/index.ts";
import { describeClients } from "./clients.ts";

const controlOperations = await loadOperations(controls);

describeClients("the client of a mock", (mock) => {
  test("activates and deactivates a scenario for all projects", async () => {
    await mock.client.scenarios.use("server-error");
    expect((await mock.call(mock.project())).status).toBe(500);
    expect(await mock.client.scenarios.list()).toContainEqual(
      expect.objectContaining({ name: "server-error", on: true }),
    );

    const active = await mock.project().scenarios.list({ forAll: true });
    expect(active).toMatchObject([{ name: "server-error", forAll: true }]);

    await mock.client.scenarios.off("server-error");
    expect((await mock.call(mock.project())).status).toBe(200);
  });

  test("streams the events of all projects", async () => {
    const project = mock.project();
    await using events = await mock.client.events();
    await mock.call(project);

    const data = { project: project.key };
    expect(await events.next()).toMatchObject({ value: { type: "project", data: { ...data, change: "created" } } });
    expect(await events.next()).toMatchObject({ value: { type: "request", data } });
  });

  test("finds projects and the requests of all projects", async () => {
    const [quiet, failing] = [mock.project(), mock.project()];
    await mock.call(failing, "?integerParameter=many");
    await mock.call(quiet, "/shirt");

    const [first] = await mock.client.projects({ sort: "failures" });
    expect(first).toMatchObject({ key: failing.key, errors: 1 });
    expect((await mock.client.projects({ q: quiet.key.toUpperCase() })).map(({ key }) => key)).toEqual([quiet.key]);
    const [entry] = await mock.client.requests.list({ status: "4xx" });
    expect(entry).toMatchObject({ project: failing.key, response: { status: 400 } });
    const page = await mock.client.requests.page({ brief: true, limit: 1 });
    expect(page).toMatchObject({ requests: [{ project: quiet.key }], next: expect.any(String) });
    const older = await mock.client.requests.page({ before: page.next, project: failing.key });
    expect(older.requests).toEqual([entry]);
    expect((await mock.client.requests.timeline()).total).toBe(page.total);
  });

  test("returns the coverage of all projects, and resets all projects", async () => {
    await mock.call(mock.project());
    expect((await mock.client.coverage()).requests).toBeGreaterThan(0);

    await mock.client.reset();

    expect((await mock.client.coverage()).requests).toBe(0);
    expect(await mock.client.projects()).not.toContainEqual(expect.objectContaining({ requests: 1 }));
  });
});

test.each([".", ".."])("rejects the project key %j, which would address all projects", async (key) => {
  await using mock = await createResourceMock();
  await expect((async () => mock.project(key).use("conflict"))()).rejects.toThrow(TypeError);
  expect((await mock.scenarios.list()).filter(({ on }) => on)).toEqual([]);
});

test.each([
  [undefined, "projectKey: expected a text, found nothing"],
  [5, "projectKey: expected a text, found 5"],
  ["", "expected 1 to 256 characters, found 0"],
  ["oauth", 'expected a key that is not reserved, found "oauth"'],
  ["__admin", 'expected a key that is not reserved, found "__admin"'],
])("the client rejects the project key %j, which no path of the service can have", async (key, message) => {
  await using mock = await createResourceMock();
  for (const client of [mock, connectResourceMock("http://mock.invalid")]) {
    expect(() => client.project(key as string)).toThrow(TypeError);
    expect(() => client.project(key as string)).toThrow(message);
  }
});

test("every call rejects unknown options, and names the nearest option", async () => {
  await using mock = await createResourceMock();
  const project = mock.project("p");
  await project.seed({ id: "a", objectTypeProperty: {} });
  // As without types.
  const wrong: [call: (options: never) => unknown, options: unknown, message: string][] = [
    [(it) => project.requests.wait({}, it), { timeoutMs: 1 }, 'timeoutMs: unknown option. Did you mean "timeout"?'],
    [(it) => project.requests.list(it), { statuss: 404 }, 'statuss: unknown parameter. Did you mean "status"?'],
    [(it) => project.requests.list(it), { limit: 1 }, "requests: limit: unknown option. The list has all pages."],
    [(it) => project.requests.timeline(it), { bucket: 1 }, 'bucket: unknown parameter. Did you mean "buckets"?'],
    [(it) => project.requests.har(it), { statuss: 404 }, 'statuss: unknown parameter. Did you mean "status"?'],
    [(it) => project.verify(it), { cuont: 1 }, '/cuont: unknown member. Did you mean "count"?'],
    [(it) => project.assertReceived({}, it), { cuont: 1 }, 'cuont: unknown option. Did you mean "count"?'],
    [(it) => project.use("conflict", it), { time: 1 }, '/time: unknown member. Did you mean "times"?'],
    [(it) => project.rule(it), { operatoin: "getCart" }, '/operatoin: unknown member. Did you mean "operation"?'],
    [(it) => project.handle("getCart", () => undefined, it), { offcontract: true }, 'Did you mean "offContract"?'],
    [(it) => project.resources.list(it), { wher: "" }, 'wher: unknown parameter. Did you mean "where"?'],
    [(it) => project.resources.put("a", { objectTypeProperty: {} }, it), { ifmatch: "x" }, 'Did you mean "ifMatch"?'],
    [(it) => project.resources.delete("a", it), { ifmatch: "x" }, "condition: ifmatch: unknown option"],
    [(it) => project.scenarios.list(it), { forall: true }, 'forall: unknown parameter. Did you mean "forAll"?'],
    [(it) => project.settings.set(it), { auht: "off" }, '/auht: unknown member. Did you mean "auth"?'],
    [(it) => project.token(it), { scope: [] }, '/scope: unknown member. Did you mean "scopes"?'],
    [(it) => project.pact(it), { consumer: "a", providr: "b" }, 'providr: unknown parameter. Did you mean "provider"?'],
    [(it) => project.events(it), { afte: "1" }, 'events: afte: unknown option. Did you mean "after"?'],
    [(it) => mock.events(it), { sumary: true }, 'events: sumary: unknown option. Did you mean "summary"?'],
    [(it) => mock.projects(it), { limit: 1 }, "projects: limit: unknown option. The list has all pages."],
    [(it) => connectResourceMock(mock.url, it), { token: "x" }, "token: unknown option. Known: adminToken, fetch."],
  ];
  for (const [call, options, message] of wrong) {
    await expect((async () => call(options as never))(), message).rejects.toThrow(message);
    if (/option/.test(message))
      await expect((async () => call(3 as never))()).rejects.toThrow(/object of options, found 3/);
  }
  expect(await project.resources.list()).toContainEqual(expect.objectContaining({ id: "a", version: 1 }));
});

test.each([undefined, "", true])("rejects the name %j, which would become a part of a path", async (name) => {
  await using mock = await createResourceMock();
  const project = mock.project("p");
  const calls = [project.resources.get, project.rules.delete, project.tokens.revoke, project.restore, project.use];
  for (const call of calls)
    await expect((async () => call(name as string))()).rejects.toThrow(/…\S*: expected a segment/);
  await expect(project.state.at(undefined as never)).rejects.toThrow(/404 .*"undefined" not found/);
});

test.each([createResourceMock, startResourceMock])("fails after close() of a mock (%s)", async (open) => {
  const mock = await open();
  const project = mock.project("p");
  await mock.close();
  const message = "expected a running mock, found one after close()";
  await expect(mock.fetch("/p/resource")).rejects.toThrow(message);
  await expect(project.use("conflict")).rejects.toThrow(`resource-mock cannot be reached: ${message}`);
  expect(() => project.handle("getCart", () => undefined)).toThrow(message);
});

test("a list of requests that grows while its pages are read is complete and has no duplicates", async () => {
  await using mock = await createResourceMock();
  await mock.project("growing").settings.set({ journalSize: 10_000 });
  for (let index = 0; index < 1100; index++) await mock.fetch(`/growing/resource/${index}`);
  const fetch: typeof mock.fetch = async (...request) => {
    const response = await mock.fetch(...request);
    await mock.fetch("/growing/resource/another");
    return response;
  };
  const requests = await connectResourceMock("http://mock.invalid", { fetch }).project("growing").requests.list();
  expect(new Set(requests.map(({ id }) => id)).size).toBe(requests.length);
  expect(requests).toHaveLength(1100);
});

describe("a failed call", () => {
  test("throws the problems with their locations", async () => {
    await using mock = await createResourceMock();
    const project = mock.project("refusing");

    const unknown = project.use("conflictt");
    await expect(unknown).rejects.toThrow(ControlError);
    await expect(unknown).rejects.toThrow(/PUT .*\/scenarios\/conflictt: 404 .*conflict"/);
    // @ts-expect-error: no such setting
    await expect(project.settings.set({ auht: "off" })).rejects.toThrow(/400 Invalid value: \/auht: .*auth/);
    const twice = project.settings.set({ auht: "off", journalSize: -1 } as object);
    await expect(twice).rejects.toThrow(/400 Invalid value\n {2}\/auht: .*\n {2}\/journalSize: expected at least 0/);
  });

  test("throws the address of a mock that cannot be reached", async () => {
    const mock = await startResourceMock();
    await mock.close();

    const gone = connectResourceMock(mock.url).project("gone").reset();
    await expect(gone).rejects.toThrow(`${mock.url}: resource-mock cannot be reached: connect ECONNREFUSED`);
    await expect(gone).rejects.toMatchObject({ name: "ControlError", status: undefined });
  });

  test.each(["/demo", "/__admin", "/__admin/ui/"])("says that the address has a path: %s", async (path) => {
    await using mock = await startResourceMock();
    const client = connectResourceMock(mock.url + path);
    const message = `expected the address of the mock without a project or another path, found "${path.replace(/\/$/, "")}"`;
    await expect(client.health()).rejects.toThrow(message);
    await expect(client.project("x").use("conflict")).rejects.toThrow(message);
  });

  test.each([
    [{ errors: "bad gateway", message: "no upstream" }, "502 no upstream"],
    [{ errors: null, title: "Bad gateway" }, "502 Bad gateway"],
    [{ errors: [null, { detail: "b" }], title: "Bad gateway" }, "502 Bad gateway\n  b"],
  ])("throws the JSON response of a proxy: %j", async (body, message) => {
    const fetch = async () => Response.json(body, { status: 502 });
    const mock = connectResourceMock("http://proxy.example/", { fetch });

    await expect(mock.health()).rejects.toThrow(`GET /__admin/health: ${message}`);
  });
});

describe("the client", () => {
  /** Operations without a method: pages, documents and the CA, the call for Pact, and the GET form of `requests.wait`. */
  const withoutMethod = [
    "getCaCertificate",
    "getContract",
    "getControlApi",
    "getDashboard",
    "getDocs",
    "getOperation",
    "getSecurity",
    "listOperations",
    "setProviderState",
    "waitForRequests",
  ];

  test("calls every operation of the control API and no other path", async () => {
    const called: string[] = [];
    const fetch = async (url: string, init?: RequestInit) => {
      called.push(`${init?.method} ${new URL(url).pathname}`);
      return Response.json({ resources: [] });
    };
    const mock = connectResourceMock("http://anywhere.example", { fetch });
    await Promise.all(callEverything(mock).concat(callEverything(mock.project("p")), mock.project("p").rewind(1)));

    // A literal segment wins over a parameter.
    const parameters = ({ path }: { path: string }) => path.split("{").length;
    const byPath = controlOperations.toSorted((a, b) => parameters(a) - parameters(b));
    const operationOf = (call: string) =>
      byPath.find(({ method, path }) => RegExp(`^${method} ${path.replace(/\{\w+\}/g, "[^/]+")}$`).test(call));
    expect(called.filter((call) => !operationOf(call))).toEqual([]);
    const missed = controlOperations.filter(({ id }) => !called.some((call) => operationOf(call)?.id === id));
    expect(missed.map(({ id }) => id).sort()).toEqual(withoutMethod);
  });
});

/** Calls every method of an object and of its nested objects. */
function callEverything(controls: object): Promise<unknown>[] {
  return Object.values(controls).flatMap((member) => {
    if (typeof member === "object") return callEverything(member);
    if (typeof member !== "function") return [];
    // The first argument is a name, or the options.
    return [["x", {}], [{}]].map(async (given) => member(...given)).map((call) => call.catch(() => {}));
  });
}
