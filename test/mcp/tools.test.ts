import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Schema } from "../../src/contract/json-schema.ts";
import { type StartedResourceMock, startResourceMock } from "../../src/index.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { json } from "../setup/mock.ts";
import { runs } from "../setup/runs.ts";
import { type Agent, agentOf } from "./agent.ts";

let mock: StartedResourceMock;
let agent: Agent;
beforeAll(async () => {
  mock = await startResourceMock();
  agent = await agentOf(mock.url);
});
afterAll(async () => {
  await agent.close();
  await mock.close();
});

const update = (version: number) => json("POST", { version, actions: [{ action: "doSomeThing" }] });

test("an agent seeds, uses a scenario, reads why a request failed, verifies, reads the coverage and resets", async () => {
  const project = "shop";
  const resource = (path: string, init?: RequestInit) => fetch(`${mock.url}/${project}/resource${path}`, init);

  const overview = await agent.call("read_contract");
  expect(overview.content.mock).toBe(mock.url);
  expect(overview.content.operations).toHaveLength(16);
  expect(overview.content.operations).toContainEqual({
    id: "updateResource",
    method: "POST",
    path: "/{projectKey}/resource/{id}",
    summary: expect.any(String),
    role: "updates Resource",
    tag: "resource",
    type: "Resource",
  });
  expect(overview.content.types).toContainEqual({ type: "Resource", path: expect.any(String), operations: 7 });
  expect(overview.content.scenarios).toContainEqual({ name: "concurrent-writer", description: expect.any(String) });

  expect((await agent.call("seed", { project, resources: [{ id: "shirt", objectTypeProperty: {} }] })).content).toEqual(
    {
      added: 1,
      resources: [{ id: "shirt", version: 1 }],
    },
  );
  expect((await agent.call("use", { project, scenario: "concurrent-writer", times: 1 })).content).toEqual({
    project,
    scenario: "concurrent-writer",
    description: expect.any(String),
  });
  expect((await resource("/shirt", update(1))).status).toBe(409);

  const { content: journal } = await agent.call("read_journal", { project, status: 409 });
  expect(journal).toMatchObject({ total: 1, requests: [{ operation: "updateResource", response: { status: 409 } }] });
  expect(journal.requests[0].decisions).toContain("another client wrote version 2");

  const rule = { operation: "getCart", respond: { status: 503 }, times: 1 };
  expect((await agent.call("use", { project, rule })).content).toEqual({ project, rule: "r-1" });
  expect((await resource("/namespace-action-with-example")).status).toBe(503);

  const match = { operation: "updateResource", status: 409 };
  expect((await agent.call("verify", { project, match, count: 1 })).content).toEqual({ pass: true, matched: 1 });
  const failed = await agent.call("verify", { project, match: { operation: "getCart", status: 200 } });
  expect([failed.isError, failed.content.pass]).toEqual([false, false]);
  expect(failed.content.message).toContain("getCart");
  expect(failed.content.nearest[0].differences).toContainEqual({ pointer: "/status", expected: 200, actual: 503 });

  expect((await agent.call("coverage", { project })).content).toEqual(await mock.project(project).coverage());
  const listed = await agent.call("list_projects");
  expect(listed.content).toMatchObject({
    mock: mock.url,
    total: 1,
    projects: [{ key: project, requests: 2, rules: 1 }],
  });

  expect((await agent.call("use", { project, stop: "r-1" })).content).toEqual({ project, stopped: "r-1" });
  expect((await agent.call("use", { project, stop: "concurrent-writer" })).content).toEqual({
    project,
    stopped: "concurrent-writer",
  });
  expect((await agent.call("reset", { project })).content).toEqual({ reset: project });
  expect((await agent.call("read_journal", { project })).content).toMatchObject({ requests: [], total: 0 });
  expect((await agent.call("reset", { all: true })).content).toEqual({ reset: "all projects" });
});

test("there are eleven tools with schemas, hints and instructions", async () => {
  const { tools } = await agent.client.listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint])).toEqual(
    [
      ["read_contract", true, false],
      ["list_projects", true, false],
      ["seed", false, false],
      ["use", false, false],
      ["configure", false, false],
      ["read_journal", true, false],
      ["read_state", true, false],
      ["rewind", false, true],
      ["verify", true, false],
      ["coverage", true, false],
      ["reset", false, true],
    ],
  );
  for (const { name, inputSchema, description = "", title } of tools) {
    expect([name, inputSchema.type, inputSchema.additionalProperties]).toEqual([name, "object", false]);
    expect(description.length).toBeGreaterThan(60);
    expect(title).toBeTypeOf("string");
    // Some clients reject a schema that is a choice of schemas at its top.
    expect(Object.keys(inputSchema)).not.toContain("oneOf");
    expect(Object.keys(inputSchema)).not.toContain("anyOf");
  }
  const [contract] = tools;
  expect(Object.keys(contract?.inputSchema.properties ?? {})).toEqual(["operation", "q", "offset"]);
  expect(agent.client.getInstructions()).toContain(`${mock.url}/{projectKey}/resource`);
  expect(agent.client.getServerVersion()?.name).toBe("resource-mock");
});

test("the list of tools is small: a repeated schema refers to the first one, and all arguments are validated", async () => {
  const { tools } = await agent.client.listTools();
  // The client sends the list to the model with each message.
  expect(JSON.stringify(tools).length).toBeLessThan(34_000);
  const argument = (tool: string, name: string) => {
    const properties = tools.find((each) => each.name === tool)?.inputSchema.properties;
    return properties?.[name] as Required<Schema>;
  };
  const { respond, sequence } = argument("use", "rule").properties;
  expect(respond?.properties?.status?.type).toBe("integer");
  expect(sequence?.items?.properties).toMatchObject({
    respond: { type: "object", description: "Same as rule.respond." },
    conflict: { const: true, description: "Same as rule.conflict." },
  });
  expect(argument("verify", "order").items).toEqual({ type: "object", description: "Same as match." });
  await agent.call("seed", { project: "listed", generate: 1 });
  for (const [tool, values, text] of [
    [
      "use",
      { rule: { sequence: [{ respond: { status: "x" } }] } },
      "/rule/sequence/0/respond/status: expected integer",
    ],
    ["verify", { order: [{ operation: "getCrt" }] }, "/order/0/operation: "],
  ] as const) {
    expect((await agent.call(tool, { project: "listed", ...values })).text).toContain(text);
  }
});

test("the journal returns pages that fit, with short bodies, and the whole body of a single request", async () => {
  const project = "long";
  const text = "linen ".repeat(500);
  for (let index = 0; index < 60; index++) {
    const draft = { objectTypeProperty: { arrayOfStringExample: [text] } };
    await fetch(`${mock.url}/${project}/resource`, json("POST", draft));
  }

  const ids: string[] = [];
  for (let before: string | undefined; ; ) {
    const { content, text } = await agent.call("read_journal", { project, limit: 100, before });
    expect(text.length).toBeLessThan(61_000);
    expect(content.total).toBe(60);
    for (const { id, request } of content.requests) {
      ids.push(id);
      expect(request.body).toMatchObject({ cut: true, text: expect.stringContaining("linen") });
      expect(request.body.text.length).toBe(2000);
    }
    if (content.next === undefined) break;
    expect(content.note).toContain(`before "${content.next}"`);
    before = content.next;
  }
  expect(ids).toEqual((await mock.project(project).requests.list()).map(({ id }) => id));

  const { content } = await agent.call("read_journal", { q: ids[0] });
  expect(content.requests).toMatchObject([{ project, id: ids[0], request: { body: { json: {} } } }]);
});

test("an unknown project is said to be unknown, and is not created", async () => {
  await mock.project("used").seed([{ objectTypeProperty: {} }]);
  const project = "usde";
  for (const [tool, values] of [
    ["read_journal", {}],
    ["read_state", {}],
    ["rewind", { moment: 1 }],
    ["verify", { count: 0 }],
    ["coverage", {}],
    ["configure", {}],
    ["configure", { revoke: "token" }],
    ["use", { stop: "conflict" }],
    ["reset", {}],
  ] as const) {
    const { isError, text } = await agent.call(tool, { project, ...values });
    expect([tool, isError, text]).toEqual([
      tool,
      true,
      expect.stringContaining(`Project "usde" not found. Did you mean "used"?`),
    ]);
  }
  expect((await agent.call("list_projects", { q: project })).content.projects).toEqual([]);
});

test("with too few matches, the result says which requests were found", async () => {
  const project = "few";
  for (const path of ["a", "b", "namespace-action-with-example"]) {
    await fetch(`${mock.url}/${project}/resource/${path}`);
  }
  const { content } = await agent.call("verify", { project, match: { operation: "getResourceById" }, count: 3 });
  expect(content).toMatchObject({ pass: false, matched: 2 });
  expect(content.message).toMatch(/\n\nMatching:\n {2}1\. GET \/few\/resource\/a .*\n {2}2\. GET \/few\/resource\/b /);
  expect(content.message).toMatch(/\n\nNearest:\n {2}1\. GET \/few\/resource\/namespace-action-with-example /);
  expect((await agent.call("read_journal", { project, status: 409 })).content).toMatchObject({
    total: 0,
    note: "No request matches. The project has received 3 requests.",
  });
});

test("an agent changes settings and the clock, and issues and revokes tokens", async () => {
  const project = "configured";
  const read = (token?: string) =>
    fetch(`${mock.url}/${project}/resource/a`, {
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    });
  const changed = await agent.call("configure", { project, settings: { auth: "strict" } });
  expect(changed.content).toMatchObject({
    project,
    settings: { auth: "strict" },
    clock: { frozen: false },
    tokens: [],
  });
  expect((await read()).status).toBe(401);
  const { content: issued } = await agent.call("configure", {
    project,
    token: { scopes: ["view_test"], expiresIn: 60 },
  });
  expect((await read(issued.accessToken)).status).toBe(200);
  expect(issued.tokens).toMatchObject([{ scopes: [`view_test:${project}`] }]);
  const { content: later } = await agent.call("configure", {
    project,
    clock: { now: "2099-01-01T00:00:00Z", frozen: true },
  });
  expect(later).toMatchObject({ clock: { now: "2099-01-01T00:00:00.000Z", frozen: true }, tokens: [] });
  expect((await read(issued.accessToken)).status).toBe(401);

  const { content: last } = await agent.call("configure", { project, token: {} });
  expect((await agent.call("configure", { project, revoke: last.tokens[0].id })).content.tokens).toEqual([]);
  expect((await read(last.accessToken)).status).toBe(401);
  for (let index = 0; index < 25; index++) await mock.project(project).token();
  const { content } = await agent.call("configure", { project });
  expect([content.tokens.length, content.note]).toEqual([20, "5 older tokens are not shown."]);
});

test("long lists of projects and of added resources are cut with a note", async () => {
  const { content: added } = await agent.call("seed", { project: "many", generate: 25, seed: 1 });
  expect([added.added, added.resources.length]).toEqual([25, 20]);
  expect(added.note).toBe("5 more resources are not shown. All of them were added.");

  for (let index = 0; index < 3; index++) await mock.project(`list-${index}`).seed([{ objectTypeProperty: {} }]);
  const { content: page } = await agent.call("list_projects", { q: "list-", limit: 2, offset: 1 });
  expect(page.projects.map(({ key }: { key: string }) => key)).toEqual(["list-1", "list-2"]);
  const { content: first } = await agent.call("list_projects", { q: "list-", limit: 2 });
  expect(first.note).toBe("Projects 1 to 2 of 3. Call again with offset 2 for more.");
});

test("every operation of the contract fits into a result, with the schemas that it refers to", async () => {
  for (const { id } of serviceContract.operations) {
    const { content, isError } = await agent.call("read_contract", { operation: id });
    expect([id, isError, content.operationId, content.note]).toEqual([id, false, id, undefined]);
    for (const [, kind = "", name = ""] of JSON.stringify(content).matchAll(/"\$ref":"#.components.(\w+).([^"]+)"/g)) {
      expect(content.components[kind][name]).toBeTypeOf("object");
    }
  }
});

describe("invalid calls", () => {
  test.each<[tool: string, values: object, text: string]>([
    [
      "seed",
      { project: "p" },
      "Invalid value: arguments: expected exactly one of resources, generate, found none of them",
    ],
    [
      "seed",
      {
        project: "p",
        resources: [
          { id: "a", objectTypeProperty: {} },
          { id: "a", objectTypeProperty: {} },
        ],
      },
      "/resources/1/id: ",
    ],
    [
      "use",
      { project: "p", scenario: "conflct" },
      '404 Not found: scenario "conflct" not found. Did you mean "conflict"?',
    ],
    [
      "use",
      { project: "p", scenario: "conflict", stop: "r-1" },
      "expected exactly one of scenario, rule, stop, found scenario and stop",
    ],
    [
      "use",
      { project: "p", rule: { operation: "getCart", respond: { status: 418 } } },
      "/rule/respond/status: expected",
    ],
    ["use", { project: "p", rule: {}, times: 2 }, "expected times and probability with scenario"],
    [
      "read_journal",
      { project: "p", since: "yesterday" },
      'since: expected a date-time (RFC 3339) or milliseconds since 1970, found "yesterday"',
    ],
    ["verify", { project: "p", match: { path: { matches: "(" } } }, "/match/path/matches: expected"],
    [
      "configure",
      { project: "p", settings: { auth: "strict" }, clock: { advance: 1 } },
      "expected exactly one of settings, clock, token, revoke, found settings and clock",
    ],
    ["configure", { project: "p", settings: { auth: "strikt" } }, "/settings/auth: expected"],
    ["configure", { project: "p", clock: { advance: 1, frozen: true } }, "/clock/frozen: expected no frozen"],
    ["reset", { project: ".." }, 'expected a segment other than "", "." and "..", found ".."'],
  ])("a call of the tool %s with %j fails with the location", async (tool, values, text) => {
    const result = await agent.call(tool, values);
    expect(result.text).toContain(text);
    expect(result.isError).toBe(true);
  });
});

test("any arguments have a response", { tags: ["slow"], timeout: 300_000 }, async () => {
  const { tools } = await agent.client.listTools();
  const name = fc.constantFrom(...tools.map((each) => each.name));
  const project = fc.oneof(
    fc.constantFrom("p", "p~t", "__admin", "..", "", "oauth", "\ud800", "a/b", "x".repeat(300)),
    fc.string({ unit: "binary" }),
  );
  const known = fc.constantFrom(
    ...new Set(tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}))),
  );
  const values = fc.oneof(
    fc.dictionary(known, fc.oneof(project, fc.jsonValue(), fc.integer())),
    fc.record({ project, scenario: fc.string({ unit: "binary" }) }),
    fc.record({
      project,
      rule: fc.dictionary(fc.constantFrom("operation", "respond", "raw", "when", "fault", "times"), fc.jsonValue()),
    }),
    fc.record({
      project,
      match: fc.dictionary(fc.constantFrom("path", "query", "headers", "body", "status"), fc.jsonValue()),
    }),
    fc.record({ project, resources: fc.array(fc.jsonValue(), { maxLength: 3 }) }),
  );
  await fc.assert(
    fc.asyncProperty(name, values, async (tool, given) => {
      const { isError, text } = await agent.call(tool, given);
      expect(text.length).toBeLessThan(70_000);
      if (isError) expect(text).not.toMatch(/^ {4}at |(^|: )500 |is not a function/m);
    }),
    runs(150),
  );
  expect((await agent.call("list_projects")).isError).toBe(false);
});
