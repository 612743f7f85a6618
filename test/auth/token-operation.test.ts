import { expect, test } from "vitest";
import type { Rule } from "../../src/rules/scenario.ts";
import { activate, activateForAll, addRule } from "../setup/activation.ts";
import { control, expectProblem, inProject } from "../setup/control.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { basic, form } from "../setup/tokens.ts";

interface Entry {
  readonly id: string;
  readonly project?: string;
  readonly operation: string;
  readonly request: { readonly headers: Record<string, string>; readonly body: object };
  readonly response: { readonly status: number; readonly body: object };
  readonly source: string;
}

onTransports("the token endpoint as an operation", {}, (mock) => {
  const issue = (scope?: string, headers: Record<string, string> = {}) => {
    const fields = { grant_type: "client_credentials", ...(scope !== undefined && { scope }) };
    return mock.fetch("/oauth/token", form(fields, { ...basic("shop", "secret"), ...headers }));
  };
  const requestsOf = async (project: string) =>
    (await inProject<{ requests: Entry[] }>(mock, project, "GET", "/requests?operation=token")).body.requests;
  const verify = (project: string, match: object, count: number) =>
    inProject(mock, project, "POST", "/requests/verify", { match, count });

  test("is in the journal of the project that the scope names, without secrets", async () => {
    const project = newProject();
    const response = await issue(`view_test:${project}`);
    const { access_token } = (await response.json()) as { access_token: string };
    const [entry, ...others] = await requestsOf(project);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ operation: "token", response: { status: 200 }, source: "state" });
    expect(entry?.id).toBe(response.headers.get("Mock-Request-Id"));
    expect(JSON.stringify(entry)).not.toContain(access_token);
    expect(JSON.stringify(entry)).not.toContain(basic("shop", "secret").Authorization);
    expect((await verify(project, { operation: "token" }, 1)).status).toBe(200);
    expect((await verify(project, { path: "/oauth/token", status: 200 }, 1)).status).toBe(200);
    expect((await verify(project, { operation: "token", status: "4xx" }, 0)).status).toBe(200);
  });

  test("is in the journal with its own errors", async () => {
    const project = newProject();
    const response = await mock.fetch("/oauth/token", form({ grant_type: "password", scope: `a:${project}` }));
    expect(response.status).toBe(401);
    expect(await requestsOf(project)).toMatchObject([{ response: { status: 401 }, source: "error" }]);
  });

  test("is in the journal of the sandbox of the header", async () => {
    const project = newProject();
    const headers = { "Mock-Sandbox": `of-${project}` };
    await issue(`view_test:${project}`, headers);
    expect(await requestsOf(`${project}~of-${project}`)).toHaveLength(1);
    expect(await requestsOf(project)).toEqual([]);
    // Without a scope, the only project of the sandbox gets the request. Replicas do not know the projects of others.
    if (mock.transport === "over three replicas") return;
    await issue(undefined, headers);
    expect(await requestsOf(`${project}~of-${project}`)).toHaveLength(2);
  });

  test("is in the list of all requests without a project", async () => {
    const response = await issue();
    const { body } = await control<{ requests: Entry[] }>(mock, "GET", "/requests?operation=token&limit=1");
    const id = response.headers.get("Mock-Request-Id");
    expect(body.requests).toMatchObject([{ project: "oauth", operation: "token", id }]);
    expect((await inProject(mock, "oauth", "GET", `/requests/${id}`)).status).toBe(200);
    expect((await mock.resource("oauth")).status).toBe(404);
  });

  test.each<[string, Rule, number, object]>([
    ["a status", { operation: "token", respond: { status: 503 } }, 503, { error: "temporarily_unavailable" }],
    ["an error", { operation: "token", respond: { status: 401 } }, 401, { error: "invalid_client", statusCode: 401 }],
    [
      "a body",
      { operation: "token", respond: { status: 400, body: { error: "invalid_grant" } } },
      400,
      { error: "invalid_grant" },
    ],
    [
      "an off-contract response",
      { operation: "token", raw: { status: 200, body: { access_token: "a", expires_in: 1 } } },
      200,
      { access_token: "a", expires_in: 1 },
    ],
    [
      "an effect on its path",
      { when: { path: "/oauth/token" }, respond: { status: 500 } },
      500,
      { error: "server_error" },
    ],
  ])("fails once by a rule with %s", async (_name, rule, status, body) => {
    const project = newProject();
    await addRule(mock, project, { ...rule, times: 1 });
    const response = await issue(`view_test:${project}`);
    expect([response.status, response.headers.get("Mock-Source")]).toEqual([status, "rule:r-1"]);
    if (status === 503) expect(response.headers.get("Retry-After")).toBe("1");
    expect(await response.json()).toMatchObject(body);
    expect((await issue(`view_test:${project}`)).status).toBe(200);
    expect((await verify(project, { operation: "token", source: "rule:r-1" }, 1)).status).toBe(200);
  });

  test("fails by scenarios for all operations, in a project and for all projects", async () => {
    const project = newProject();
    await activate(mock, project, "unavailable-then-ok");
    const statuses = [];
    for (let count = 0; count < 3; count++) statuses.push((await issue(`view_test:${project}`)).status);
    expect(statuses).toEqual([503, 503, 200]);
    await activate(mock, project, "bad-gateway", { times: 1 });
    expect((await issue(`view_test:${project}`)).status).toBe(502);
    await activate(mock, project, "connection-reset", { times: 1 });
    await expect(issue(`view_test:${project}`)).rejects.toThrow();
    await activateForAll(mock, "server-error");
    expect((await issue()).status).toBe(500);
  });

  test("does not fail by errors of tokens, and waits only by a rule", async () => {
    const project = newProject();
    for (const name of ["token-expired", "unauthorized", "insufficient-scope"]) await activate(mock, project, name);
    expect((await issue(`view_test:${project}`)).status).toBe(200);
    await addRule(mock, project, { operation: "token", latency: { fixed: 1 } });
    const response = await issue(`view_test:${project}`);
    expect(response.status).toBe(200);
    const id = response.headers.get("Mock-Request-Id");
    const { body } = await inProject<{ decisions: string[] }>(mock, project, "GET", `/requests/${id}`);
    expect(body.decisions).toContain("rule r-1 delayed the response by 1 ms");
  });

  test("ignores the preferences of the service, its settings and its rate limit", async () => {
    const project = newProject();
    const settings = { rateLimit: { limit: 1, window: 60_000 }, auth: "strict" };
    expect((await inProject(mock, project, "PATCH", "/settings", settings)).status).toBe(200);
    for (let count = 0; count < 3; count++) {
      const response = await issue(`view_test:${project}`, { Prefer: "code=404" });
      expect([response.status, response.headers.get("X-RateLimit-Limit")]).toEqual([200, null]);
    }
  });

  test.each<[Rule, string]>([
    [{ operation: "token", respond: { status: 404 } }, "expected a status of the operation (400, 401, 429, 500, 503)"],
    [{ operation: "token", conflict: true }, "expected the operation updateResource"],
    [{ operation: "token", when: { body: {} }, respond: { status: 500 } }, "this operation accepts no body"],
    [{ operation: "token", respond: { status: 400, body: {} } }, "error"],
    [{ operation: "token", settings: { auth: "off" } }, "expected another operation, as token has no settings"],
    [
      { operation: "token", when: { path: { id: "x" } }, raw: { status: 500 } },
      "unknown path parameter. No path parameter is allowed here.",
    ],
  ])("has no rule %j", async (rule, message) => {
    const reply = await inProject(mock, newProject(), "POST", "/rules", rule);
    expectProblem(reply, 400, "InvalidField", message);
  });

  test("is not part of the coverage", async () => {
    const project = newProject();
    await issue(`view_test:${project}`);
    await mock.resource(project, "", json("POST", { objectTypeProperty: {} }));
    const { body } = await inProject<{ requests: number }>(mock, project, "GET", "/coverage");
    expect(body.requests).toBe(1);
  });
});
