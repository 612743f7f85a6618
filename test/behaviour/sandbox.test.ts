import { describe, expect, test } from "vitest";
import { addRule } from "../setup/activation.ts";
import { control, inProject } from "../setup/control.ts";
import { expectError } from "../setup/errors.ts";
import { journalOf, lastRequest } from "../setup/journal.ts";
import { json, type MockUnderTest, newProject, onAllTransports } from "../setup/mock.ts";
import { everyOperation } from "../setup/requests.ts";
import { configure, draft, read, write } from "../setup/resources.ts";
import { basic, bearer, form } from "../setup/tokens.ts";

const inSandbox = (name: string) => ({ "Mock-Sandbox": name });
const inBaggage = (value: string) => ({ baggage: value });
const total = "/sorted-query-parameters?limit=0";

/** Returns the number of resources that requests with these headers see. */
async function resources(mock: MockUnderTest, project: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await mock.resource(project, total, { headers });
  return ((await response.json()) as { total: number }).total;
}

/** Returns the keys of the projects whose keys start with this text. */
async function keysOf(mock: MockUnderTest, start: string): Promise<string[]> {
  const { body } = await control<{ projects: { key: string }[] }>(mock, "GET", "/projects");
  return body.projects.map(({ key }) => key).filter((key) => key.startsWith(start));
}

onAllTransports("a request with a sandbox", {}, (mock) => {
  test.each(everyOperation)("a request to %s is served in the sandbox", async (id, { path, init, status }) => {
    const project = newProject();
    const headers = { ...(init.headers as Record<string, string>), ...inSandbox("t1") };
    expect((await mock.resource(project, path, { ...init, headers })).status).toBe(status);
    expect(await mock.has(project)).toBe(false);
    expect(await lastRequest(mock, `${project}~t1`)).toMatchObject({
      operation: id,
      request: {
        path: expect.stringMatching(new RegExp(`^/${project}/resource`)),
        pathParameters: { projectKey: project },
      },
      decisions: expect.arrayContaining(['sandbox "t1", selected by the header Mock-Sandbox']),
    });
  });

  test("does not share state, rules, settings and clock with the project and other sandboxes", async () => {
    const project = newProject();
    const seeded = await resources(mock, project);
    const { id } = await write(mock, project, "POST", draft, inSandbox("t1"));
    await inProject(mock, `${project}~t1`, "PUT", "/clock", { now: "2030-01-01T00:00:00.000Z", frozen: true });
    await configure(mock, `${project}~t1`, { unknownIds: "not-found" });

    expect(await resources(mock, project, inSandbox("t1"))).toBe(seeded + 1);
    for (const headers of [{}, inSandbox("t2"), inSandbox("T1"), inSandbox("t1.")]) {
      expect(await resources(mock, project, headers)).toBe(seeded);
    }
    await inProject(mock, `${project}~t1`, "PUT", "/scenarios/server-error");
    expect((await mock.resource(project, `/${id}`, { headers: inSandbox("t1") })).status).toBe(500);
    expect((await mock.resource(project, `/${id}`, { headers: inSandbox("t2") })).status).toBe(200);
    expect((await mock.resource(project, `/${id}`)).status).toBe(200);
    const { body } = await inProject(mock, `${project}~t2`, "GET", "/clock");
    expect(body).toMatchObject({ now: expect.not.stringMatching(/^2030/), frozen: false });
  });

  test("gets a Location with the plain project key", async () => {
    const project = newProject();
    const init = json("POST", draft, inSandbox("t1"));
    const { headers } = await mock.resource(project, "", init);
    expect(headers.get("Location")).toMatch(new RegExp(`^/${project}/resource/[0-9a-f-]{36}$`));
    const response = await mock.fetch(headers.get("Location") ?? "", { headers: inSandbox("t1") });
    expect(await response.json()).toMatchObject(draft);

    const stub = { respond: { status: 201, body: { version: 1, objectTypeProperty: {} } } };
    await inProject(mock, `${project}~t1`, "POST", "/rules", stub);
    const stubbed = await mock.resource(project, "", init);
    expect(stubbed.headers.get("Mock-Source")).toMatch(/^rule:/);
    expect(stubbed.headers.get("Location")).toMatch(new RegExp(`^/${project}/resource/`));
  });

  test("is the project {projectKey}~NAME in the control API, which ignores the header itself", async () => {
    const project = newProject();
    await mock.resource(project, "/shirt", { headers: inSandbox("t-1_a.B") });
    for (const key of [`${project}~t-1_a.B`, `${project}%7Et-1_a.B`]) {
      const path = `/projects/${key}`;
      expect((await control(mock, "GET", path)).body).toMatchObject({ key: `${project}~t-1_a.B`, requests: 1 });
      const match = { operation: "getResourceById", path: { projectKey: project, id: "shirt" } };
      expect((await control(mock, "POST", `${path}/requests/verify`, { match, count: 1 })).status).toBe(200);
      const wholePath = { path: `/${project}/resource/*` };
      expect((await control(mock, "POST", `${path}/requests/verify`, { match: wholePath, count: 1 })).status).toBe(200);
    }
    const reply = await inProject(mock, project, "PATCH", "/settings", { auth: "off" }, inSandbox("t-1_a.B"));
    expect(reply.status).toBe(200);
    expect(await mock.has(project)).toBe(true);
  });

  test("a request without an operation is in the journal of the sandbox", async () => {
    const project = newProject();
    await mock.resource(project, "", { headers: inSandbox("t1") });
    await mock.resource(project);
    await expectError(
      await mock.fetch(`/${project}/nowhere`, { headers: inBaggage("mock-sandbox=t1") }),
      "EndpointNotFound",
    );
    expect(await lastRequest(mock, `${project}~t1`)).toMatchObject({
      request: { path: `/${project}/nowhere` },
      response: { status: 404 },
      decisions: ['sandbox "t1", selected by the header baggage', expect.stringMatching(/^rejected: EndpointNotFound/)],
    });
    await expectError(
      await mock.resource(project, "/images", { method: "PUT", headers: inSandbox("t1") }),
      "MethodNotAllowed",
    );
    expect(await lastRequest(mock, `${project}~t1`)).toMatchObject({ response: { status: 405 } });
    expect(await journalOf(mock, project)).toHaveLength(1);
  });

  test("a request without an operation creates no sandbox", async () => {
    const project = newProject();
    await mock.fetch(`/${project}/nowhere`, { headers: inSandbox("t1") });
    await mock.resource(project, "", { method: "DELETE", headers: inSandbox("t1") });
    expect(await mock.has(`${project}~t1`)).toBe(false);
  });

  test.each([
    ["a member", "mock-sandbox=b1"],
    ["a member with properties and spaces", "a=b;c=d , mock-sandbox \t= b1 ; ttl=5;x"],
  ])("baggage with %s selects the sandbox", async (_name, baggage) => {
    const project = newProject();
    await mock.resource(project, "/shirt", { headers: inBaggage(baggage) });
    expect(await lastRequest(mock, `${project}~b1`)).toMatchObject({ response: { status: 200 } });
  });

  test("the header Mock-Sandbox selects the sandbox if the baggage has another name or an invalid name", async () => {
    const project = newProject();
    for (const baggage of ["mock-sandbox=b1", "mock-sandbox=a b"]) {
      await mock.resource(project, "/shirt", { headers: { ...inBaggage(baggage), ...inSandbox("t1") } });
    }
    expect(await journalOf(mock, `${project}~t1`)).toHaveLength(2);
    expect(await mock.has(`${project}~b1`)).toBe(false);
  });

  test.each([["x"], ["x".repeat(100)], ["."], [".."], ["-"], ["__proto__"], ["oauth"], ["A-Z.a_z-09"]])(
    "may have the name %s",
    async (name) => {
      const project = newProject();
      expect((await mock.resource(project, "/shirt", { headers: inSandbox(name) })).status).toBe(200);
      expect(await journalOf(mock, `${project}~${name}`)).toHaveLength(1);
    },
  );

  test.each([
    ["an empty name", inSandbox(""), "Mock-Sandbox"],
    ["101 characters", inSandbox("x".repeat(101)), "Mock-Sandbox"],
    ["a tilde", inSandbox("a~b"), "Mock-Sandbox"],
    ["a percent-encoded name", inSandbox("%61"), "Mock-Sandbox"],
    ["an empty name in the baggage", inBaggage("mock-sandbox="), "baggage"],
    ["a decoded tilde", inBaggage("mock-sandbox=a%7Eb"), "baggage"],
    ["an invalid percent-encoding", inBaggage("mock-sandbox=a%2"), "baggage"],
  ])("a request with %s gets 400 and creates no project", async (_name, headers, field) => {
    const project = newProject();
    for (const init of [{ headers }, { method: "DELETE", headers }]) {
      const [error] = await expectError(await mock.resource(project, "", init), "InvalidField", { field });
      expect(error?.message).toMatch(new RegExp(`^${field}.*: expected .*1 to 100 of the characters .*, found "`));
    }
    const token = await mock.fetch("/oauth/token", form({ grant_type: "client_credentials", client_id: "a" }, headers));
    await expectError(token, "InvalidField", { field });
    expect(await keysOf(mock, project)).toEqual([]);
  });

  test("the length of a key counts the project key together with the sandbox name", async () => {
    const fits = "k".repeat(200);
    expect((await mock.resource(fits, "", { headers: inSandbox("x".repeat(55)) })).status).toBe(200);
    const error = await mock.resource(fits, "", { headers: inSandbox("x".repeat(56)) });
    const message = `projectKey: expected at most 199 characters with the sandbox "${"x".repeat(56)}", found 200`;
    await expectError(error, "InvalidField", { field: "projectKey", message });
  });
});

onAllTransports("a project key with a tilde", {}, (mock) => {
  test("addresses the same sandbox as the header", async () => {
    const project = newProject();
    const { id } = await write(mock, `${project}~t1`);
    expect(await read(mock, `${project}~t1`, `/${id}`)).toMatchObject(draft);
    const response = await mock.resource(project, `/${id}`, { headers: inSandbox("t1") });
    expect(await response.json()).toMatchObject(draft);
    expect(await journalOf(mock, `${project}~t1`)).toHaveLength(3);
  });

  test("together with the header addresses a further sandbox", async () => {
    const project = newProject();
    await mock.resource(`${project}~t1`, "", { headers: inSandbox("t2") });
    expect(await keysOf(mock, project)).toEqual([`${project}~t1~t2`]);
  });
});

onAllTransports("the Vary header", {}, (mock) => {
  test("names both headers in every response of the service, with and without a sandbox", async () => {
    const project = newProject();
    for (const [path, init] of [
      [`/${project}/resource/shirt`, {}],
      [`/${project}/resource/shirt`, { headers: inSandbox("t1") }],
      [`/${project}/resource`, { method: "HEAD" }],
      [`/${project}/nowhere`, {}],
      [`/${project}/resource`, { method: "DELETE" }],
    ] as const) {
      expect((await mock.fetch(path, init)).headers.get("Vary")).toBe("Mock-Sandbox, baggage");
    }
  });
});

onAllTransports("the Vary header of a rule", {}, (mock) => {
  test.each(["Vary", "vary"])("is sent together with both headers (%s)", async (name) => {
    const project = newProject();
    await addRule(mock, project, {
      operation: "getCart",
      raw: { status: 200, headers: { [name]: "Accept, Mock-Sandbox" } },
    });
    const { headers } = await mock.resource(project, "/namespace-action-with-example");
    expect(headers.get("Vary")).toBe("Mock-Sandbox, baggage, Accept");
  });
});

/** Issues a token at the token endpoint, and returns it with its scope. */
async function issue(mock: MockUnderTest, scope?: string, headers: Record<string, string> = {}) {
  const fields = { grant_type: "client_credentials", ...(scope !== undefined && { scope }) };
  const response = await mock.fetch("/oauth/token", form(fields, { ...basic("shop", "secret"), ...headers }));
  expect(response.status).toBe(200);
  return (await response.json()) as { access_token: string; scope?: string };
}

async function revoke(mock: MockUnderTest, token: string, headers: Record<string, string> = {}): Promise<void> {
  const init = form({ token }, { ...basic("shop", "secret"), ...headers });
  expect((await mock.fetch("/oauth/token/revoke", init)).status).toBe(200);
}

describe.each(["strict", "lenient"] as const)("tokens with auth %s", (auth) => {
  onAllTransports("a token of a sandbox", { settings: { auth } }, (mock) => {
    /** Whether requests with these headers are served. A sandbox does not know the tokens of other sandboxes. */
    async function admits(project: string, token: string, headers: Record<string, string> = {}): Promise<boolean> {
      const response = await mock.resource(project, "/shirt", { headers: { ...bearer(token), ...headers } });
      if (response.status === 401) await expectError(response, "invalid_token");
      return response.status === 200;
    }
    const foreign = auth === "lenient";

    test.each([
      ["Mock-Sandbox", inSandbox("t1")],
      ["baggage", inBaggage("mock-sandbox=t1")],
    ])("a token from the token endpoint with %s is known only in its sandbox", async (_name, headers) => {
      const project = newProject();
      const { access_token: token, scope } = await issue(mock, `view_test:${project}`, headers);
      expect(scope).toBe(`view_test:${project}`);
      expect(await admits(project, token, inSandbox("t1"))).toBe(true);
      expect(await admits(`${project}~t1`, token)).toBe(true);
      expect(await admits(project, token)).toBe(foreign);
      expect(await admits(project, token, inSandbox("t2"))).toBe(foreign);
    });

    test("a token of a sandbox from the control API has the plain project key in its scopes", async () => {
      const project = newProject();
      const scopes = ["view_test", `manage_test:${project}`, `manage_products:${project}~t1`];
      const { body } = await inProject(mock, `${project}~t1`, "POST", "/tokens", { scopes });
      expect(body.scope).toBe(`view_test:${project} manage_test:${project} manage_products:${project}`);
      const token = String(body.access_token);
      expect(await admits(project, token, inSandbox("t1"))).toBe(true);
      expect(await admits(project, token)).toBe(foreign);
      const created = await mock.resource(project, "", json("POST", draft, { ...bearer(token), ...inSandbox("t1") }));
      expect(created.status).toBe(201);
    });

    test("does not exist for the plain project, and a token of the plain project not for the sandbox", async () => {
      const project = newProject();
      const { access_token: plain } = await issue(mock, `view_test:${project}`);
      expect([await admits(project, plain), await admits(project, plain, inSandbox("t1"))]).toEqual([true, foreign]);
      const { access_token: every } = await issue(mock);
      expect([await admits(project, every), await admits(project, every, inSandbox("t1"))]).toEqual([true, true]);
      const { access_token: named } = await issue(mock, `view_test:${project}~t1`);
      expect([await admits(`${project}~t1`, named), await admits(project, named, inSandbox("t1"))]).toEqual([
        true,
        true,
      ]);
    });

    test("only its sandbox can revoke a token", async () => {
      const project = newProject();
      const { access_token: token } = await issue(mock, `view_test:${project}`, inSandbox("t1"));
      for (const headers of [{}, inSandbox("t2")]) await revoke(mock, token, headers);
      expect(await admits(project, token, inSandbox("t1"))).toBe(true);
      await revoke(mock, token, inSandbox("t1"));
      expect(await admits(project, token, inSandbox("t1"))).toBe(false);
    });

    test("expires by the clock of the sandbox, and a reset of the sandbox forgets it", async () => {
      const project = newProject();
      const { access_token: first } = await issue(mock, `view_test:${project}`, inSandbox("t1"));
      const { access_token: other } = await issue(mock, `view_test:${project}`, inSandbox("t2"));
      await inProject(mock, `${project}~t1`, "PUT", "/clock", { advance: 172_800_000 });
      expect(await admits(project, first, inSandbox("t1"))).toBe(false);
      expect(await admits(project, other, inSandbox("t2"))).toBe(true);
      await inProject(mock, `${project}~t2`, "POST", "/reset");
      expect(await admits(project, other, inSandbox("t2"))).toBe(foreign);
      await inProject(mock, `${project}~t1`, "PUT", "/clock", { now: new Date().toISOString() });
      expect(await admits(project, first, inSandbox("t1"))).toBe(true);
    });
  });
});
