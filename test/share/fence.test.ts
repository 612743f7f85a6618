// @module-tag process
// @module-tag slow
import { expect, it, onTestFinished } from "vitest";
import { createRandom } from "../../src/project/random.ts";
import { json, newProject } from "../setup/mock.ts";
import { useRedis } from "../setup/redis.ts";
import { describeWithRedis } from "../setup/requirements.ts";
import { draft } from "../setup/resources.ts";
import { effort, endurance } from "../setup/runs.ts";
import { slowBody } from "../setup/slow-body.ts";
import { until } from "../setup/until.ts";
import { expectSameProjects, openReplicas } from "./engines.ts";

describeWithRedis("a request that a replica has received", () => {
  const redis = useRedis();
  let prefixes = 0;

  async function open(wait = async () => {}) {
    const prefix = `fence-${++prefixes}`;
    const engine = { now: () => 1_700_000_000_000, wait };
    const replicas = await openReplicas({ urls: [redis.url, redis.url, redis.url], prefix, engine });
    onTestFinished(() => replicas.close());
    const project = newProject();
    const admin = (replica: number, method: string, path: string, body?: unknown) =>
      replicas.fetch(
        replica,
        `/__admin/projects/${project}${path}`,
        body === undefined ? { method } : json(method, body),
      );
    const get = (replica: number) => replicas.fetch(replica, `/${project}/resource/42`);
    /** Sends a request to a replica. Its body ends when `finish` is called. */
    const late = async (replica: number, path: string, method: string, content: unknown) => {
      const { body, finish, isRead } = slowBody(JSON.stringify(content));
      const headers = { "Content-Type": "application/json" };
      const response = replicas.fetch(replica, path, { method, body, duplex: "half", headers } as RequestInit);
      await isRead;
      // A replica knows the clock of the store up to the time that its fastest command took.
      for (let request = 0; request < 5; request++) await replicas.fetch(replica, "/other/resource/42");
      return async () => {
        finish();
        return (await response).status;
      };
    };
    const expectSame = () => expectSameProjects(replicas, [project], { urls: [redis.url], prefix, engine });
    return { replicas, project, admin, get, late, expectSame };
  }

  const endings = {
    reset: ["POST", "/reset", undefined],
    deleted: ["DELETE", "", undefined],
    "replaced by an archive": ["PUT", "/archive", { from: "other" }],
    "reset with all others": ["POST", "", undefined],
  } as const;

  it.each(Object.entries(endings))("changes nothing after its project was %s by any replica", async (name, ending) => {
    const { replicas, project, admin, get, late, expectSame } = await open();
    const [method, path, body] = ending;
    const end = (replica: number) =>
      name === "reset with all others"
        ? replicas.fetch(replica, "/__admin/reset", { method: "POST" })
        : admin(replica, method, path, body);
    await replicas.send("/other/resource/42");
    for (const at of [0, 1]) {
      for (const isKnown of [true, false]) {
        await get(at);
        // The replica 1 knows the project from before, or sees it for the first time.
        if (isKnown) await get(1);
        const requests = [
          await late(1, `/${project}/resource`, "POST", draft),
          await late(1, `/__admin/projects/${project}/state`, "PUT", { resources: [] }),
        ];
        expect((await end(at)).status).toBe(204);
        // Also if another request has told the replica of the end before.
        if (isKnown) expect((await get(1)).status).toBe(200);
        for (const finish of requests) expect(await finish()).toBe(503);
        const later = await replicas.fetch(1, `/${project}/resource`, json("POST", draft));
        expect([later.status, (await get(2)).status]).toEqual([201, 200]);
        const { total } = (await (await admin(2, "GET", "/resources?limit=0")).json()) as { total: number };
        // The initial ones, 42 and the later one.
        expect(total).toBe(7);
      }
    }
    await expectSame();
  });

  it("commits in a project that was only created meanwhile, or that was reset before", async () => {
    const { project, replicas, admin, get, late, expectSame } = await open();
    const first = await late(1, `/${project}/resource`, "POST", draft);
    await get(0);
    expect(await first()).toBe(201);
    for (let reset = 0; reset < 20; reset++) {
      await admin(0, "POST", "/reset");
      await replicas.fetch(2, "/__admin/reset", { method: "POST" });
      expect((await replicas.fetch(1, `/${project}/resource`, json("POST", draft))).status).toBe(201);
      expect((await get(2)).status).toBe(200);
    }
    await expectSame();
  });

  it("does not count after any replica has cleared the journal, also in waits", async () => {
    for (const isKnown of [false, true]) {
      const { project, admin, get, late, expectSame } = await open();
      if (isKnown) await get(1);
      const finish = await late(1, `/${project}/resource`, "POST", draft);
      const waiting = admin(2, "POST", "/requests/wait", { count: 2, timeout: 20_000 });
      if (isKnown) await get(2);
      expect((await admin(0, "DELETE", "/requests")).status).toBe(204);
      expect(await finish()).toBe(201);
      for (const replica of [0, 1, 2]) {
        const verification = await admin(replica, "POST", "/requests/verify", { count: 0 });
        expect(await verification.json()).toEqual({ pass: true, matched: 0 });
      }
      // Requests that arrive later count, at every replica.
      await get(1);
      await get(0);
      expect(((await (await waiting).json()) as { requests: unknown[] }).requests).toHaveLength(2);
      const verification = await admin(2, "POST", "/requests/verify", { count: 2 });
      expect(await verification.json()).toEqual({ pass: true, matched: 2 });
      await expectSame();
    }
  });

  it("does not count after any replica has cleared the journal during its delay", async () => {
    const [delay, isDelayed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { project, replicas, admin, get, expectSame } = await open(() => {
      isDelayed.resolve();
      return delay.promise;
    });
    await admin(0, "POST", "/rules", { latency: { fixed: 1000 }, times: 1 });
    const delayed = replicas.fetch(1, `/${project}/resource`, json("POST", draft));
    await isDelayed.promise;
    expect((await admin(0, "DELETE", "/requests")).status).toBe(204);
    await get(2);
    delay.resolve();
    expect((await delayed).status).toBe(201);
    for (const replica of [0, 1, 2]) {
      const { total } = (await (await admin(replica, "GET", "/requests")).json()) as { total: number };
      expect(total).toBe(1);
    }
    await expectSame();
  });

  it("commits in no life of the project but its own, while writers and resets compete", endurance, async () => {
    const { replicas, project, admin, expectSame } = await open();
    const random = createRandom("lives");
    const rounds = 40 * effort;
    let [round, created] = [0, 0];
    const statuses = new Set<number>();
    const write = async () => {
      while (round < rounds) {
        const sentIn = round;
        const body = json("POST", { ...draft, sentIn });
        const { status } = await replicas.fetch(Math.floor(random() * 3), `/${project}/resource`, body);
        statuses.add(status);
        if (status === 201) created++;
      }
    };
    const writers = Array.from({ length: 16 }, write);
    while (round < rounds) {
      const enough = created + 10;
      await until(() => created >= enough);
      round++;
      expect((await admin(Math.floor(random() * 3), "POST", "/reset")).status).toBe(204);
      const { resources } = (await (await admin(0, "GET", "/resources?limit=500")).json()) as {
        resources: { sentIn?: number }[];
      };
      // A request during the call of the reset can come before or after it.
      const rounds = resources.flatMap(({ sentIn }) => sentIn ?? []);
      expect(Math.min(round, ...rounds)).toBeGreaterThanOrEqual(round - 1);
    }
    await Promise.all(writers);
    expect([...statuses].filter((status) => ![201, 503].includes(status))).toEqual([]);
    await expectSame();
  });
});
