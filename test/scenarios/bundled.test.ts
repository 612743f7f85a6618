import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readFiles } from "../../src/library/mock.ts";
import { activate, activateForAll, deactivate } from "../setup/activation.ts";
import { expectBodiless } from "../setup/errors.ts";
import { lastRequest } from "../setup/journal.ts";
import { json, type MockUnderTest, newProject, onTransports } from "../setup/mock.ts";
import { complexPath, everyOperation, exampleRequests } from "../setup/requests.ts";
import { configure, read, stateOf, update, write } from "../setup/resources.ts";

const { scenarios } = await readFiles();
const complexPost = json("POST", { id: "1" });

/** Tests of the effect of each bundled scenario, by name. */
const effects: Readonly<Record<string, (mock: MockUnderTest, project: string) => Promise<void>>> = {
  async conflict(mock, project) {
    const { id } = await write(mock, project);
    for (const version of [1, 2, 70]) {
      const response = await mock.resource(project, `/${id}`, update(version));
      expect([response.status, response.headers.get("Mock-Source")]).toEqual([409, "scenario:conflict"]);
      const message = `Version mismatch: expected ${version}, actual ${version + 1}.`;
      const error = { code: "ConcurrentModification", message, currentVersion: version + 1 };
      expect(await response.json()).toEqual({ statusCode: 409, message, errors: [error] });
    }
    expect(await read(mock, project, `/${id}`)).toMatchObject({ version: 1 });
  },

  async "non-authoritative"(mock, project) {
    expect((await mock.resource(project, complexPath, complexPost)).status).toBe(203);
  },

  async created(mock, project) {
    expect((await mock.resource(project, complexPath, complexPost)).status).toBe(201);
  },

  async evolved(mock, project) {
    const { version, objectTypeProperty, ...unknown } = await read(mock, project, "/some-id");
    expect(Object.keys(unknown)).toHaveLength(1);
  },

  async "empty-head"(mock, project) {
    await expectBodiless(await mock.resource(project, "", { method: "HEAD" }), 404);
    expect((await mock.resource(project)).status).toBe(200);
  },

  async "not-found"(mock, project) {
    const { id } = await write(mock, project);
    const requests: [string, RequestInit][] = [
      [`/${id}`, {}],
      ["/key=any", {}],
      [`/${id}`, update(1)],
      [`/${id}`, { method: "DELETE" }],
    ];
    for (const [path, init] of requests) {
      const response = await mock.resource(project, path, init);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ errors: [{ code: "ResourceNotFound" }] });
    }
    expect((await mock.resource(project)).status).toBe(200);
  },

  async "paged-query"(mock, project) {
    await write(mock, project);
    const page = (await (await mock.resource(project)).json()) as { total: number; results: unknown[] };
    expect(page).toMatchObject({ limit: 20, offset: 0, count: page.results.length, total: page.results.length });
    expect(page.results.at(-1)).toEqual({ version: 1, objectTypeProperty: expect.any(Object) });
  },

  async "concurrent-writer"(mock, project) {
    const { id } = await write(mock, project);
    const stale = await mock.resource(project, `/${id}`, update(1));
    expect(stale.status).toBe(409);
    expect(await stale.json()).toMatchObject({ errors: [{ code: "ConcurrentModification", currentVersion: 2 }] });
    const { version } = await read(mock, project, `/${id}`);
    expect(version).toBe(2);
    const retried = await mock.resource(project, `/${id}`, update(version));
    expect([retried.status, await retried.json()]).toEqual([200, expect.objectContaining({ version: 3 })]);
  },

  async unauthorized(mock, project) {
    for (const [, { path, init }] of everyOperation) {
      const response = await mock.resource(project, path, init);
      expect(response.status).toBe(401);
      expect(response.headers.get("WWW-Authenticate")).toContain('Bearer realm="resource-mock", error="invalid_token"');
    }
  },

  async "token-expired"(mock, project) {
    const response = await mock.resource(project);
    expect([response.status, await response.json()]).toEqual([
      401,
      expect.objectContaining({ error: "invalid_token", error_description: "The access token has expired." }),
    ]);
    expect(response.headers.get("WWW-Authenticate")).toContain('error_description="The access token has expired."');
    expect((await mock.resource(project)).status).toBe(200);
  },

  async "insufficient-scope"(mock, project) {
    const response = await mock.resource(project);
    expect([response.status, await response.json()]).toEqual([
      403,
      expect.objectContaining({ error: "insufficient_scope" }),
    ]);
    expect(response.headers.get("WWW-Authenticate")).toContain(`scope="manage_test:${project} view_test:${project}"`);
  },

  async "server-error"(mock, project) {
    for (const [, { path, init }] of everyOperation) {
      const response = await mock.resource(project, path, init);
      expect([response.status, response.headers.get("Mock-Source")]).toEqual([500, "scenario:server-error"]);
    }
  },

  async "unavailable-then-ok"(mock, project) {
    const statuses: number[] = [];
    for (let request = 1; request <= 4; request++) {
      const response = await mock.resource(project);
      statuses.push(response.status);
      if (response.status === 503) expect(response.headers.get("Retry-After")).toBe("1");
    }
    expect(statuses).toEqual([503, 503, 200, 200]);
  },

  async "rate-limited"(mock, project) {
    const response = await mock.resource(project);
    expect([response.status, response.headers.get("Retry-After")]).toEqual([429, "1"]);
    expect(await response.json()).toMatchObject({ errors: [{ code: "TooManyRequests" }] });
  },

  async slow(mock, project) {
    waits.length = 0;
    expect((await mock.resource(project)).status).toBe(200);
    expect(waits).toEqual([2000]);
  },

  async jittery(mock, project) {
    waits.length = 0;
    for (let request = 0; request < 20; request++) expect((await mock.resource(project)).status).toBe(200);
    expect(new Set(waits).size).toBeGreaterThan(10);
    expect(Math.max(...waits)).toBeGreaterThan(2 * Math.min(...waits));
  },

  async flaky(mock, project) {
    const outcomes = new Map<unknown, number>();
    // So many that an outcome is missing less than once in a million runs.
    for (let request = 0; request < 200; request++) {
      const outcome = await mock.resource(project).then(({ status }) => status, codeOf);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect([...outcomes.keys()].sort()).toEqual([200, 500, 503, "ECONNRESET"]);
    expect(outcomes.get(200)).toBeGreaterThan(100);
  },

  async "connection-reset"(mock, project) {
    await expect(mock.resource(project)).rejects.toThrow(TypeError);
    expect(await mock.resource(project).catch(codeOf)).toBe("ECONNRESET");
  },

  async "truncated-body"(mock, project) {
    const response = await mock.resource(project, "", exampleRequests.createResource.init);
    expect(response.status).toBe(201);
    await expect(response.text()).rejects.toThrow("terminated");
    // The client cannot know it, but the operation has run.
    expect(await stateOf(mock, project)).toHaveProperty("lastWritten");
  },

  async garbage(mock, project) {
    await expect(mock.resource(project)).rejects.toThrow(TypeError);
    expect(await lastRequest(mock, project)).toMatchObject({ response: { status: 0 }, source: "scenario:garbage" });
  },

  "bad-gateway": (mock, project) => expectPage(mock, project, 502, "502 Bad Gateway"),

  async "gateway-timeout"(mock, project) {
    waits.length = 0;
    await expectPage(mock, project, 504, "504 Gateway Time-out");
    expect(new Set(waits)).toEqual(new Set([3000]));
  },

  async maintenance(mock, project) {
    await expectPage(mock, project, 503, "Maintenance");
    expect((await mock.resource(project)).headers.get("Retry-After")).toBe("120");
  },

  "login-page": (mock, project) => expectPage(mock, project, 200, "Sign in"),

  async dribble(mock, project) {
    waits.length = 0;
    const response = await mock.resource(project);
    expect(response.headers.get("Content-Length")).toBeNull();
    expect(await response.json()).toHaveProperty("arrayOfIntExample");
    expect(waits).toEqual([200, 200, 200, 200, 200]);
  },
};

/** Expects this HTML page, labelled as off-contract, for every operation, and for unauthorized and invalid requests. */
async function expectPage(mock: MockUnderTest, project: string, status: number, title: string): Promise<void> {
  await configure(mock, project, { auth: "strict" });
  const invalid = json("POST", { objectTypeProperty: 1 });
  const requests = [...everyOperation.map(([, { path, init }]) => ({ path, init })), { path: "", init: invalid }];
  for (const { path, init } of requests) {
    const response = await mock.resource(project, path, init);
    expect([response.status, response.headers.get("Mock-Off-Contract")]).toEqual([status, "true"]);
    expect(response.headers.get("Content-Type")).toMatch(/^text\/html/);
    const text = await response.text();
    if (init.method === "HEAD") expect(text).toBe("");
    else expect(text).toMatch(new RegExp(`^(<!doctype html>\n)?<html.*<title>${title}</title>.*</html>\\s*$`, "s"));
  }
}

/** The recorded waits, in milliseconds. */
const waits: number[] = [];
const wait = async (ms: number) => void waits.push(ms);

function codeOf(error: Error): unknown {
  return (error.cause as { code?: string } | undefined)?.code;
}

test("every bundled scenario has a test", () => {
  expect(Object.keys(effects).sort()).toEqual([...scenarios.keys()]);
  expect(readdirSync(new URL("../../scenarios", import.meta.url))).toHaveLength(scenarios.size + 1);
});

test.each([...scenarios.values()].map(({ name, description }) => [name, description]))(
  "the scenario %s has a description: %s",
  (_name, description) => expect(description).toMatch(/^\w.{20,200}\.$/),
);

onTransports("a bundled scenario", { wait }, (mock) => {
  describe("active in a project", () => {
    test.each(Object.entries(effects))("%s", async (name, effect) => {
      const [project, other] = [newProject(), newProject()];
      await activate(mock, project, name);
      await effect(mock, project);
      waits.length = 0;
      expect((await mock.resource(other)).status).toBe(200);
      expect(waits).toEqual([]);
    });
  });

  test.each(Object.entries(effects))("active for all projects: %s", async (name, effect) => {
    await activateForAll(mock, name);
    await effect(mock, newProject());
  });

  // The other scenarios count requests, and Prefer applies to one request only.
  const counting = ["concurrent-writer", "token-expired", "unavailable-then-ok"];
  test.each(Object.entries(effects).filter(([name]) => !counting.includes(name)))(
    "in the Prefer header of each request: %s",
    async (name, effect) => {
      const resource: MockUnderTest["resource"] = (project, path, init = {}) =>
        mock.resource(project, path, { ...init, headers: { ...init.headers, Prefer: `scenario=${name}` } });
      await effect(Object.create(mock, { resource: { value: resource } }), newProject());
    },
  );

  test.each([...scenarios.keys()])("deactivated: %s", async (name) => {
    const project = newProject();
    await activate(mock, project, name);
    await deactivate(mock, project, name);
    for (const [, { path, init, status }] of everyOperation) {
      // Each effect needs its own project, as some delete resources that others read.
      if (init.method === "DELETE") continue;
      expect((await mock.resource(project, path, init)).status).toBe(status);
    }
  });
});

test("a scenario that ends by itself says how to make it longer", () => {
  const ending = [...scenarios.values()].filter(({ rules }) =>
    rules.every(({ source: { times, sequence } }) => times !== undefined || sequence !== undefined),
  );
  expect(ending.map(({ name }) => name)).toEqual(["concurrent-writer", "token-expired", "unavailable-then-ok"]);
  for (const { description } of ending) expect(description).toMatch(/With times: \d, the first/);
});
