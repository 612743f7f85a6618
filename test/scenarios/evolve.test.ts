import { expect, test } from "vitest";
import { MAX_EVOLVED } from "../../src/contract/limits.ts";
import { addFunction } from "../../src/engine/add-function.ts";
import { activate, addRule, deactivate, lastDecisions, reset } from "../setup/activation.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { expectBodiless } from "../setup/errors.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { everyOperation } from "../setup/requests.ts";
import { draft, read, update, write } from "../setup/resources.ts";

const cart = "/namespace-action-with-example";

/** The decision about a changed response. */
const changed = (label: string) => expect.stringContaining(`${label} changed the response: `);

onTransports("the scenario evolved", {}, (mock) => {
  // Each response is validated against the contract, as the mock of the tests checks all responses.
  test.each(everyOperation)("changes the response of %s, and keeps its status", async (_id, { path, init, status }) => {
    const [project, plain] = [newProject(), newProject()];
    await activate(mock, project, "evolved");
    const response = await mock.resource(project, path, init);
    const text = await response.text();
    expect(response.status).toBe(status);
    const before = await (await mock.resource(plain, path, init)).text();
    if (init.method === "HEAD") {
      expect([response.headers.get("Mock-Source"), text]).toEqual(["state", ""]);
      return;
    }
    expect(response.headers.get("Mock-Source")).toBe("scenario:evolved");
    expect(text).not.toBe(before);
    expect(await lastDecisions(mock, project)).toContainEqual(changed("scenario evolved rule 1"));
  });

  test("returns the same responses after a reset, and other ones in another project", async () => {
    const bodies = async (project: string) => {
      await activate(mock, project, "evolved");
      const texts: string[] = [];
      for (let count = 0; count < 5; count++) texts.push(await (await mock.resource(project, cart)).text());
      return texts;
    };
    const project = newProject();
    const first = await bodies(project);
    expect(new Set(first).size).toBe(5);
    await reset(mock, project);
    expect(await bodies(project)).toEqual(first);
    expect(await bodies(newProject())).not.toEqual(first);
  });

  test("changes neither the state nor its versions", async () => {
    const project = newProject();
    await activate(mock, project, "evolved");
    const { id } = await write(mock, project);
    for (const version of [1, 2, 3]) {
      expect(await read(mock, project, `/${id}`)).toMatchObject({ version });
      expect((await mock.resource(project, `/${id}`, update(version))).status).toBe(200);
    }
    await deactivate(mock, project, "evolved");
    expect(await read(mock, project, `/${id}`)).toEqual({ version: 4, ...draft });
  });

  test("changes errors of the service too", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    await activate(mock, project, "evolved");
    const response = await mock.resource(project, `/${id}`, update(5));
    expect([response.status, response.headers.get("Mock-Source")]).toEqual([409, "scenario:evolved"]);
    const body = (await response.json()) as object;
    expect(body).toMatchObject({ statusCode: 409, errors: expect.any(Array) });
    expect(await lastDecisions(mock, project)).toContainEqual(changed("scenario evolved rule 1"));
  });

  test("combines with Prefer, rules, functions and delivery", async () => {
    const project = newProject();
    await activate(mock, project, "evolved");
    const preferred = await mock.resource(project, cart, { headers: { Prefer: "code=503" } });
    expect([preferred.status, preferred.headers.get("Preference-Applied")]).toEqual([503, "code=503"]);
    expect(await lastDecisions(mock, project)).toContainEqual(changed("scenario evolved rule 1"));

    await addRule(mock, project, {
      operation: "getCart",
      times: 1,
      respond: { status: 429, headers: { "Retry-After": "9" } },
      chunkedDribbleDelay: { numberOfChunks: 2, totalDuration: 0 },
    });
    const limited = await mock.resource(project, cart);
    expect([limited.status, limited.headers.get("Retry-After")]).toEqual([429, "9"]);
    expect(await limited.json()).toMatchObject({ statusCode: 429 });
    expect(await lastDecisions(mock, project)).toContainEqual(changed("scenario evolved rule 1"));

    // A function belongs to a process.
    if (mock.transport === "over three replicas") return;
    addFunction(mock.engine, project, "getCart", () => ({ status: 200, body: { cartId: "f" } }));
    expect(await (await mock.resource(project, cart)).text()).not.toBe('{"cartId":"f"}');
    expect(await lastDecisions(mock, project)).toContain("function f-1 responded with 200");
  });

  test("keeps off-contract responses, and responses without a body", async () => {
    const project = newProject();
    await activate(mock, project, "evolved");
    await addRule(mock, project, { operation: "getCart", raw: { status: 200, body: { a: 1 } } });
    expect(await (await mock.resource(project, cart)).text()).toBe('{"a":1}');
    expect(await lastDecisions(mock, project)).toContain(
      "scenario evolved rule 1 did not change the response: it is off-contract",
    );
    await expectBodiless(await mock.resource(project, "", { method: "HEAD" }), 200);
  });

  test("keeps values that are no objects and no lists, and very large bodies", async () => {
    const project = newProject();
    await activate(mock, project, "evolved", { rules: [{ operation: "readNamespaceAction", evolve: true }] });
    for (const [body, reason] of [
      [5, "nothing in its body can vary"],
      [["x".repeat(MAX_EVOLVED)], `its body has more than ${MAX_EVOLVED} characters`],
    ] as const) {
      await mock.resource(project, "/namespace-action", json("POST", body));
      expect(await (await mock.resource(project, "/namespace-action")).json()).toEqual(body);
      expect(await lastDecisions(mock, project)).toContain(
        `scenario evolved rule 1 did not change the response: ${reason}`,
      );
    }
  });
});

onTransports("the effect evolve", {}, (mock) => {
  test("works in sequences, and counts requests", async () => {
    const project = newProject();
    await addRule(mock, project, { operation: "getCart", sequence: [{}, { evolve: true }] });
    const sources = [];
    for (let count = 0; count < 3; count++) {
      sources.push((await mock.resource(project, cart)).headers.get("Mock-Source"));
    }
    expect(sources).toEqual(["fixture:getCart/200.json", "rule:r-1", "fixture:getCart/200.json"]);
  });

  test("lists its changes in a short decision", async () => {
    const project = newProject();
    await addRule(mock, project, { evolve: true });
    await mock.resource(project, "/sorted-query-parameters?limit=500");
    const decision = (await lastDecisions(mock, project)).find((each) => each.startsWith("rule r-1 changed")) ?? "";
    expect(decision).toMatch(/^rule r-1 changed the response: \w+ .*, and \d+ more changes$/);
    expect(decision.length).toBeLessThanOrEqual(500);
  });

  test("is in the journal with its changes: all for a single request, the first ten in lists", async () => {
    const project = newProject();
    await addRule(mock, project, { evolve: true });
    const response = await mock.resource(project, "/sorted-query-parameters?limit=500");
    const id = response.headers.get("Mock-Request-Id");
    type Entry = {
      readonly effects: object[];
      readonly facts: object[];
      readonly evolved: string[];
      readonly decisions: string[];
    };
    const { body: entry } = await inProject<Entry>(mock, project, "GET", `/requests/${id}`);
    const changes = entry.evolved.slice(0, 10);
    expect(entry.effects).toMatchObject([{ source: "rule:r-1", effect: "evolve", changes }]);
    expect(entry.facts).toContainEqual(expect.objectContaining({ kind: "effect", effect: "evolve", changes }));
    const more = Number(/and (\d+) more changes/.exec(entry.decisions.join())?.[1]);
    expect([entry.evolved.length, new Set(entry.evolved).size]).toEqual([more + 10, more + 10]);
    const { body: list } = await inProject<{ requests: Entry[] }>(mock, project, "GET", "/requests");
    expect(list.requests[0]?.evolved).toEqual(entry.evolved.slice(0, 10));
  });

  test.each([
    ["an operation without a body", { operation: "checkResourceExists", evolve: true }, "expected an operation whose"],
    ["another value", { evolve: false }, "expected true, found false"],
  ])("is rejected for %s", async (_what, rule, message) => {
    const reply = await inProject(mock, newProject(), "POST", "/rules", rule);
    const [error] = expectProblem(reply, 400, "InvalidField", message);
    expect(error?.pointer).toBe("/evolve");
  });
});
