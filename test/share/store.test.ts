// @module-tag process
// @module-tag slow
import { describe, expect, it, onTestFinished } from "vitest";
import { createRandom } from "../../src/project/random.ts";
import { openFlakyProxy } from "../setup/flaky-proxy.ts";
import { json, newProject } from "../setup/mock.ts";
import { type RedisServer, useRedis } from "../setup/redis.ts";
import { describeWithRedis } from "../setup/requirements.ts";
import { effort, endurance } from "../setup/runs.ts";
import { until } from "../setup/until.ts";
import { expectSameProjects, openReplicas, type ReplicaOptions } from "./engines.ts";
import { Model } from "./model.ts";

/** The fixed time of all engines, in milliseconds. */
const NOW = 1_700_000_000_000;

/** The number of broken connections. */
const CUTS = 15 * effort;

let prefixes = 0;

/** Opens three replicas for a test. */
async function open(redis: RedisServer, options: Partial<ReplicaOptions> = {}) {
  const prefix = `faults-${++prefixes}`;
  const { url } = redis;
  const engine = { now: () => NOW, ...options.engine };
  const replicas = await openReplicas({ urls: [url, url, url], prefix, ...options, engine });
  onTestFinished(() => replicas.close());
  const expectSame = (projects: readonly string[]) =>
    expectSameProjects(replicas, projects, { urls: [url], prefix, engine });
  /** Waits until all replicas have reached the store. */
  const untilReachable = () => until(() => replicas.engines.every(({ home }) => home.health.problem === undefined));
  return { ...replicas, prefix, expectSame, untilReachable };
}

const create = json("POST", { objectTypeProperty: {} });

describeWithRedis("replicas whose store fails", () => {
  describe("and keeps its data", () => {
    const redis = useRedis({ appendOnly: true });

    it("respond with 503 until the store is back, and lose nothing", async () => {
      const replicas = await open(redis);
      const project = newProject();
      const created: string[] = [];
      const createAll = async (count: number) => {
        for (let request = 0; request < count; request++) {
          const response = await replicas.send(`/${project}/resource`, create);
          if (response.status === 201) created.push(response.headers.get("Location") ?? "");
        }
      };
      await createAll(6);
      const token = (await (await replicas.send(`/__admin/projects/${project}/tokens`, { method: "POST" })).json()) as {
        access_token: string;
      };
      await redis.stop("SIGKILL");
      for (let replica = 0; replica < 3; replica++) {
        const service = await replicas.fetch(replica, `/${project}/resource`, create);
        expect(service.headers.get("Retry-After")).toBe("1");
        expect(await service.json()).toMatchObject({ statusCode: 503, errors: [{ code: "ServiceUnavailable" }] });
        const control = await replicas.fetch(replica, `/__admin/projects/${project}`);
        expect(control.status).toBe(503);
        expect(control.headers.get("Content-Type")).toBe("application/problem+json");
        const health = await replicas.fetch(replica, "/__admin/health");
        expect([health.status, await health.json()]).toMatchObject([
          503,
          { status: "unavailable", problem: expect.stringContaining("cannot be used") },
        ]);
        expect((await replicas.fetch(replica, `/${project}/unknown`)).status).toBe(503);
        expect((await replicas.fetch(replica, "/__admin/projects")).status).toBe(503);
      }
      await redis.start();
      await replicas.untilReachable();
      for (let replica = 0; replica < 3; replica++) {
        expect((await replicas.fetch(replica, "/__admin/health")).status).toBe(200);
      }
      await createAll(6);
      expect(created).toHaveLength(12);
      for (const path of created) expect((await replicas.send(path)).status).toBe(200);
      const headers = { Authorization: `Bearer ${token.access_token}` };
      expect((await replicas.send(`/${project}/resource/42`, { headers })).status).toBe(200);
      await replicas.expectSame([project]);
    });

    it("respond with 503 while the store is read-only or rejects writes, as health says, and then go on", async () => {
      const replicas = await open(redis);
      const project = newProject();
      await replicas.send(`/${project}/resource`, create);
      const failures = [
        [["replicaof", "127.0.0.1", "1"], ["replicaof", "no", "one"], "READONLY"],
        [
          ["config", "set", "min-replicas-to-write", "1"],
          ["config", "set", "min-replicas-to-write", "0"],
          "NOREPLICAS",
        ],
      ] as const;
      for (const [begin, end, reason] of failures) {
        await redis.call(...begin);
        for (let replica = 0; replica < 3; replica++) {
          const response = await replicas.fetch(replica, `/${project}/resource`, create);
          expect([response.status, await response.text()]).toEqual([503, expect.stringContaining(reason)]);
          // Also while the replica connects again, to find out whether the store accepts changes.
          for (let check = 0; check < 100; check++) {
            const health = await replicas.fetch(replica, "/__admin/health");
            expect([health.status, await health.text()]).toEqual([503, expect.stringContaining(reason)]);
            await new Promise((resolve) => setImmediate(resolve));
          }
        }
        const late = await openReplicas({ urls: [redis.url], prefix: replicas.prefix });
        onTestFinished(() => late.close());
        expect((await late.fetch(0, "/__admin/health")).status).toBe(503);
        await redis.call(...end);
        await replicas.untilReachable();
        await until(() => late.engines[0]?.home.health.problem === undefined);
        for (const each of [replicas, late]) {
          expect((await each.send(`/${project}/resource`, create)).status).toBe(201);
        }
      }
      await replicas.expectSame([project]);
    });

    it(
      "go on after cuts in the middle of commands and replies, with nothing lost and nothing twice",
      endurance,
      async () => {
        const random = createRandom("cuts");
        const proxies = await Promise.all(Array.from({ length: 3 }, () => openFlakyProxy(redis.url)));
        const replicas = await open(redis, { urls: proxies.map(({ url }) => url) });
        let sent = 0;
        const model = new Model((path, init) => replicas.fetch(sent++, path, init), newProject());
        await model.prepare();
        let isDone = false;
        let cuts = 0;
        const cutting = async () => {
          while (!isDone) {
            const proxy = proxies[Math.floor(random() * 3)];
            await proxy?.cutIn(random() < 0.5 ? "commands" : "replies", "", random());
            cuts++;
            const later = sent + 5;
            await until(() => isDone || sent >= later);
          }
        };
        void cutting();
        await Promise.all(Array.from({ length: 6 }, (_, client) => model.runClient(client, () => cuts < CUTS)));
        isDone = true;
        await model.expectAll();
        expect(model.unknown).toBeGreaterThan(0);
        expect(replicas.defects).toEqual([]);
      },
    );
  });

  describe("and loses its data", () => {
    const redis = useRedis();

    it("go on with empty projects, and without the tokens and scenarios of before", async () => {
      const replicas = await open(redis);
      const project = newProject();
      const admin = `/__admin/projects/${project}`;
      // One change each, so that the new documents have the same revisions as the lost ones.
      await replicas.fetch(0, `/${project}/resource`, create);
      await replicas.fetch(0, `${admin}/tokens`, { method: "POST" });
      await replicas.fetch(0, "/__admin/scenarios/server-error", { method: "PUT" });
      for (let replica = 0; replica < 3; replica++) await replicas.fetch(replica, admin);
      await redis.stop("SIGKILL");
      await redis.start();
      await replicas.untilReachable();

      await replicas.fetch(1, `${admin}/tokens`, { method: "POST" });
      await replicas.fetch(1, "/__admin/scenarios/not-found", { method: "PUT" });
      for (let replica = 0; replica < 3; replica++) {
        const { tokens } = (await (await replicas.fetch(replica, `${admin}/tokens`)).json()) as { tokens: unknown[] };
        expect(tokens).toHaveLength(1);
        const { scenarios } = (await (await replicas.fetch(replica, `${admin}/scenarios?forAll=true`)).json()) as {
          scenarios: { name: string }[];
        };
        expect(scenarios.map(({ name }) => name)).toEqual(["not-found"]);
        expect(await (await replicas.fetch(replica, admin)).json()).toMatchObject({ resources: 5, requests: 0 });
      }
      await replicas.expectSame([project]);
    });
  });

  describe("and responds slowly", () => {
    const redis = useRedis();

    it("do not let requests of different projects wait for each other", async () => {
      const proxy = await openFlakyProxy(redis.url);
      const replicas = await open(redis, { urls: [proxy.url] });
      const projects = Array.from({ length: 10 }, newProject);
      const request = (project: string) => replicas.send(`/${project}/resource/42`);
      await Promise.all(projects.map(request));
      const revisions = () => {
        return Promise.all(projects.map((project) => redis.call("hget", `${replicas.prefix}:p:${project}`, "#rev")));
      };
      const before = await revisions();

      const held = proxy.hold("replies");
      const responses = projects.map(request);
      await held;
      // All commits are in the store, although it has replied to none.
      const after = before.map((revision) => `${Number(revision) + 1}`);
      await expect.poll(revisions).toEqual(after);
      proxy.release();
      expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(Array(10).fill(200));
    });

    it("do not let a latency delay other requests of the project", async () => {
      const latency = Promise.withResolvers<void>();
      const isWaiting = Promise.withResolvers<void>();
      const wait = () => {
        isWaiting.resolve();
        return latency.promise;
      };
      const replicas = await open(redis, { engine: { wait } });
      const project = newProject();
      const rule = { operation: "getResourceById", latency: { fixed: 1000 }, times: 1 };
      await replicas.fetch(0, `/__admin/projects/${project}/rules`, json("POST", rule));
      const delayed = replicas.fetch(0, `/${project}/resource/42`);
      await isWaiting.promise;
      const others = await Promise.all(
        [0, 1, 2, 0, 1, 2].map((replica) => replicas.fetch(replica, `/${project}/resource/42`)),
      );
      expect(others.map(({ status }) => status)).toEqual(Array(6).fill(200));
      latency.resolve();
      expect((await delayed).headers.get("Mock-Request-Id")).toMatch(/-7$/);
      await replicas.expectSame([project]);
    });
  });

  describe("as it is full", () => {
    const redis = useRedis({ maxmemory: "6mb" });

    it("respond with 507, and go on after projects were closed", async () => {
      const replicas = await open(redis);
      const [project, other] = [newProject(), newProject()];
      const ofSize = (size: number) =>
        json("POST", { objectTypeProperty: { arrayOfStringExample: ["x".repeat(size)] } });
      await replicas.send(`/${other}/resource`, create);
      const fill = async () => {
        for (;;) {
          const response = await replicas.send(`/${project}/resource`, ofSize(200_000));
          if (response.status !== 201) return response;
        }
      };
      const full = await fill();
      expect([full.status, await full.json()]).toMatchObject([
        507,
        { statusCode: 507, errors: [{ code: "InsufficientStorage", message: expect.stringContaining("maxmemory") }] },
      ]);
      const control = await replicas.send(`/__admin/projects/${other}/resources`, ofSize(400_000));
      expect([control.status, await control.json()]).toMatchObject([
        507,
        { type: "urn:resource-mock:problem:InsufficientStorage" },
      ]);
      expect((await replicas.send("/__admin/health")).status).toBe(200);

      // Calls that read, and calls that free memory.
      const { total } = (await (await replicas.send(`/__admin/projects/${project}/resources`)).json()) as {
        total: number;
      };
      const { requests } = (await (await replicas.send(`/__admin/projects/${project}/requests`)).json()) as {
        requests: unknown[];
      };
      expect(requests).toHaveLength(total - 5);
      expect((await replicas.send(`/__admin/projects/${project}/requests`, { method: "DELETE" })).status).toBe(204);
      await fill();
      expect((await replicas.send(`/__admin/projects/${project}/reset`, { method: "POST" })).status).toBe(204);
      await fill();
      expect((await replicas.send(`/__admin/projects/${project}`, { method: "DELETE" })).status).toBe(204);
      await fill();
      expect((await replicas.send("/__admin/reset", { method: "POST" })).status).toBe(204);
      // Each project is reset by its next use, also by this call.
      expect((await replicas.send("/__admin/projects")).status).toBe(200);

      expect((await replicas.send(`/${other}/resource`, create)).status).toBe(201);
      await replicas.expectSame([project, other]);
    });

    it("respond with 507 to an import that is written in portions", async () => {
      const replicas = await open(redis);
      const resources = Array.from({ length: 7 }, (_, id) => ({
        id: `r-${id}`,
        objectTypeProperty: { arrayOfStringExample: ["x".repeat(1_000_000)] },
      }));
      const response = await replicas.send(`/__admin/projects/${newProject()}/state`, json("PUT", { resources }));
      expect([response.status, await response.json()]).toMatchObject([
        507,
        { type: "urn:resource-mock:problem:InsufficientStorage", detail: expect.stringContaining("maxmemory") },
      ]);
      expect(response.headers.get("Retry-After")).toBeNull();
    });
  });
});

describeWithRedis("a replica with little memory", () => {
  const redis = useRedis();

  it("returns 507 to a call about all projects that do not fit in its memory", async () => {
    const replicas = await open(redis, { urls: [redis.url], engine: { maxStateBytes: 100_000 } });
    const text = "x".repeat(40_000);
    for (let index = 0; index < 3; index++) {
      const state = { resources: [{ id: "a", objectTypeProperty: {}, text }] };
      const stored = await replicas.send(`/__admin/projects/large-${index}/state`, json("PUT", state));
      expect(stored.status).toBe(204);
    }
    const list = await replicas.send("/__admin/projects");
    expect([list.status, await list.text()]).toEqual([507, expect.stringContaining("--max-state-bytes")]);
    for (let index = 0; index < 3; index++) {
      expect((await replicas.send(`/large-${index}/resource/a`)).status).toBe(200);
    }
    for (const index of [0, 1]) await replicas.send(`/__admin/projects/large-${index}`, { method: "DELETE" });
    expect(await (await replicas.send("/__admin/projects")).json()).toMatchObject({ projects: [{ key: "large-2" }] });
  });
});
