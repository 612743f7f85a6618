import { describe, expect, test } from "vitest";
import { inProject } from "../setup/control.ts";
import { expectBodiless, expectError } from "../setup/errors.ts";
import { lastRequest } from "../setup/journal.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { everyOperation } from "../setup/requests.ts";
import { draft, stateOf, update } from "../setup/resources.ts";

let now = 1_700_000_000_000;

/** Returns the values of X-RateLimit-Limit, -Remaining and -Reset. */
function rateOf({ headers }: Response): (string | null)[] {
  return ["Limit", "Remaining", "Reset"].map((name) => headers.get(`X-RateLimit-${name}`));
}

onTransports("a rate limit", { now: () => now, wait: async () => {} }, (mock) => {
  /** Returns a project with this limit for each window of the project's clock. */
  async function limited(limit: number, window: number): Promise<string> {
    const project = newProject();
    const { status } = await inProject(mock, project, "PATCH", "/settings", { rateLimit: { limit, window } });
    expect(status).toBe(200);
    return project;
  }
  const statuses = (project: string, count: number) =>
    Array.fromAsync({ length: count }, async () => (await mock.resource(project)).status);
  const advance = (project: string, ms: number) => inProject(mock, project, "PUT", "/clock", { advance: ms });

  test("returns 429 beyond the limit, and says how long to wait", async () => {
    const project = await limited(3, 1000);
    expect(await statuses(project, 3)).toEqual([200, 200, 200]);
    for (const number of [4, 5]) {
      const response = await mock.resource(project);
      expect([response.headers.get("Retry-After"), rateOf(response)]).toEqual(["1", ["3", "0", "1"]]);
      const [error] = await expectError(response, "TooManyRequests");
      expect(error?.message).toBe(
        `Rate limit: expected at most 3 requests in 1000 ms, found ${number}. Retry after 1 second.`,
      );
    }
  });

  test("counts down in the headers of every response, in seconds that are rounded up", async () => {
    const project = await limited(5, 2500);
    const rates: unknown[] = [];
    const send = async (path: string, init?: RequestInit) => {
      const response = await mock.resource(project, path, init);
      rates.push([response.status, ...rateOf(response)]);
    };
    await send("");
    now += 400;
    await send("/some-id", update(9));
    now += 100;
    await send("?floatParameter=x");
    now += 1000;
    await send("", { headers: { Authorization: "Basic x" } });
    now += 999;
    await send("", { method: "HEAD" });
    await send("", { method: "HEAD" });
    now += 1;
    await send("");
    expect(rates).toEqual([
      [200, "5", "4", "3"],
      [409, "5", "3", "3"],
      [400, "5", "2", "2"],
      [401, "5", "1", "1"],
      [200, "5", "0", "1"],
      [429, "5", "0", "1"],
      [200, "5", "4", "3"],
    ]);
  });

  test("is shared by all operations of the project, and valid by the contract for each", async () => {
    const project = await limited(1, 1000);
    await mock.resource(project);
    for (const [, { path, init }] of everyOperation) {
      const response = await mock.resource(project, path, init);
      if (init.method === "HEAD") await expectBodiless(response, 429);
      else await expectError(response, "TooManyRequests");
    }
    expect(await stateOf(mock, project)).not.toHaveProperty("lastWritten");
  });

  test("is not shared with other projects, and does not count other requests", async () => {
    const [project, other] = [await limited(2, 1000), await limited(2, 1000)];
    await mock.resource(project, "/nowhere/at/all");
    await mock.resource(project, "", { method: "DELETE" });
    await inProject(mock, project, "GET", "/settings");
    await mock.fetch("/oauth/token", { method: "POST" });
    expect(await statuses(project, 3)).toEqual([200, 200, 429]);
    expect(await statuses(other, 3)).toEqual([200, 200, 429]);
    expect(await statuses(newProject(), 5)).toEqual([200, 200, 200, 200, 200]);
  });

  test("follows the clock of the project: advancing it opens the next window", async () => {
    const project = await limited(1, 60_000);
    await inProject(mock, project, "PUT", "/clock", { now: "2030-01-01T00:00:00Z", frozen: true });
    expect(await statuses(project, 2)).toEqual([200, 429]);
    now += 600_000;
    expect(await statuses(project, 1)).toEqual([429]);
    await advance(project, 59_999);
    const response = await mock.resource(project);
    expect([response.status, response.headers.get("Retry-After")]).toEqual([429, "1"]);
    await advance(project, 1);
    expect(await statuses(project, 2)).toEqual([200, 429]);
    await advance(project, 600_000);
    expect(await statuses(project, 2)).toEqual([200, 429]);
  });

  test("starts a new window if the clock is set back", async () => {
    const project = await limited(1, 60_000);
    expect(await statuses(project, 2)).toEqual([200, 429]);
    await inProject(mock, project, "PUT", "/clock", { now: "2020-01-01T00:00:00Z" });
    expect(await statuses(project, 2)).toEqual([200, 429]);
  });

  test("starts a new window when the setting changes, but not when another setting changes", async () => {
    const project = await limited(1, 60_000);
    expect(await statuses(project, 2)).toEqual([200, 429]);
    await inProject(mock, project, "PATCH", "/settings", { collection: "paged" });
    expect(await statuses(project, 1)).toEqual([429]);
    await inProject(mock, project, "PATCH", "/settings", { rateLimit: { limit: 2, window: 60_000 } });
    expect(await statuses(project, 3)).toEqual([200, 200, 429]);
    await inProject(mock, project, "PATCH", "/settings", { rateLimit: null });
    expect(await statuses(project, 3)).toEqual([200, 200, 200]);
  });

  test("counts concurrent requests exactly", async () => {
    const project = await limited(7, 60_000);
    const all = await Promise.all(Array.from({ length: 20 }, () => mock.resource(project)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(all.filter(({ status }) => status === 429)).toHaveLength(13);
  });

  describe("beyond the limit", () => {
    /** Returns a project that has used up its limit. */
    async function exceeded(): Promise<string> {
      const project = await limited(1, 60_000);
      await mock.resource(project);
      return project;
    }

    test.each<[string, string, RequestInit]>([
      ["an invalid body", "", json("POST", { objectTypeProperty: 1 })],
      ["an invalid parameter", "?floatParameter=x", {}],
      ["an invalid token", "", { headers: { Authorization: "Basic x" } }],
      ["an invalid preference", "", { headers: { Prefer: "code=999" } }],
    ])("rejects a request with %s with 429 too", async (_name, path, init) => {
      await expectError(await mock.resource(await exceeded(), path, init), "TooManyRequests");
    });

    test("journals the request with its decisions, and counts the error code", async () => {
      const project = await exceeded();
      await mock.resource(project, "", json("POST", draft));
      const entry = await lastRequest(mock, project);
      expect(entry).toMatchObject({ response: { status: 429 }, source: "error", operation: "createResource" });
      expect(entry?.request.body?.json).toEqual(draft);
      expect(entry?.decisions).toEqual([
        "rate limit exceeded: request 2 of 1 in 60000 ms",
        "auth passed: no Authorization header, which lenient allows",
        "rejected: TooManyRequests: Rate limit: expected at most 1 request in 60000 ms, found 2. Retry after 60 seconds.",
      ]);
      const { body } = await inProject<{ errorCodes: object }>(mock, project, "GET", "/coverage");
      expect(body.errorCodes).toMatchObject({ TooManyRequests: 1 });
    });

    test("lets Prefer, rules and scenarios respond, and counts their requests", async () => {
      const project = await limited(2, 60_000);
      const send = async (prefer?: string) => {
        const response = await mock.resource(project, "", prefer === undefined ? {} : { headers: { Prefer: prefer } });
        return [response.status, response.headers.get("X-RateLimit-Remaining")];
      };
      expect(await send("code=500")).toEqual([500, "1"]);
      expect(await send("scenario=unauthorized")).toEqual([401, "0"]);
      expect(await send()).toEqual([429, "0"]);
      expect(await send("code=200")).toEqual([200, "0"]);
      expect(await send("scenario=bad-gateway")).toEqual([502, "0"]);
      await inProject(mock, project, "POST", "/rules", { times: 1, respond: { status: 503 } });
      expect(await send()).toEqual([503, "0"]);
      await inProject(mock, project, "PUT", "/scenarios/server-error", { times: 1 });
      expect(await send()).toEqual([500, "0"]);
      expect(await send()).toEqual([429, "0"]);
    });
  });
});

describe("a rate limit of all projects", () => {
  const rateLimit = { limit: 2, window: 60_000 };
  onTransports("from the options", { now: () => now, settings: { rateLimit } }, (mock) => {
    test("limits each project on its own, also after a reset", async () => {
      const [project, other] = [newProject(), newProject()];
      const send = async (key: string) => (await mock.resource(key)).status;
      expect([await send(project), await send(project), await send(project), await send(other)]).toEqual([
        200, 200, 429, 200,
      ]);
      await inProject(mock, project, "POST", "/reset");
      expect([await send(project), await send(project), await send(project)]).toEqual([200, 200, 429]);
    });
  });
});
