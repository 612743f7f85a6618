import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { loadEngine } from "../../src/mock.ts";
import { pages } from "../../src/pages.ts";
import { createRandom } from "../../src/projects/random.ts";
import { openSharing } from "../../src/share/sharing.ts";
import { type FlakyProxy, openFlakyProxy } from "../setup/flaky-proxy.ts";
import { effort, endurance } from "../setup/memory.ts";
import { json, newProject } from "../setup/mock.ts";
import { useRedis } from "../setup/redis.ts";
import { startReplicas } from "../setup/replicas.ts";
import { describeWithRedis } from "../setup/requirements.ts";
import { draft, update } from "../setup/resources.ts";
import { until } from "../setup/until.ts";

type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** Starts a replica in this process. It stops after the test. */
async function openReplica(url: string, prefix: string): Promise<Send> {
  const sharing = await openSharing({ url, prefix, ttl: 600_000, maxProjects: 1000 });
  const engine = await loadEngine({}, sharing);
  sharing.attach(engine);
  const defects: unknown[] = [];
  engine.onDefect = (error) => defects.push(error);
  onTestFinished(async () => {
    engine.drain();
    await sharing.close();
    expect(defects).toEqual([]);
  });
  const app = createApp(engine, { version: "0.0.0-test", pages });
  return async (path, init) => app.fetch(new Request(`http://in.process${path}`, init));
}

let prefixes = 0;

/** Starts two replicas in this process, the first of them with a flaky connection to the store. */
async function openPair(url: string): Promise<{ proxy: FlakyProxy; flaky: Send; steady: Send }> {
  const prefix = `faults-${++prefixes}`;
  const proxy = await openFlakyProxy(url);
  return { proxy, flaky: await openReplica(proxy.url, prefix), steady: await openReplica(url, prefix) };
}

/** Resolves when the replica can reach the store. */
function healthy(send: Send): Promise<void> {
  return until(async () => (await send("/__admin/health")).status === 200);
}

const draftWith = (text: string) => json("POST", { objectTypeProperty: { arrayOfStringExample: [text] } });

interface Coverage {
  readonly operations: readonly { readonly operation: string; readonly statuses: Readonly<Record<string, number>> }[];
}

/**
 * Returns the versions of the resources of a project by id. Expects the state to be the result of the successful requests
 * in the coverage: a request that is stored in part would change only one of both.
 */
async function versionsIn(send: Send, project: string): Promise<Map<string, number>> {
  const read = async (path: string) => (await send(`/__admin/projects/${project}/${path}`)).json();
  const { resources } = (await read("resources?limit=1000")) as { resources: { id: string; version: number }[] };
  const versions = new Map(resources.map(({ id, version }) => [id, version]));
  const updates = resources.reduce((sum, { version }) => sum + version - 1, 0);
  const { operations } = (await read("coverage")) as Coverage;
  const count = (id: string, status: number) =>
    operations.find(({ operation }) => operation === id)?.statuses[status] ?? 0;
  expect([versions.size, updates]).toEqual([count("createResource", 201), count("updateResource", 200)]);
  return versions;
}

/** Creates a project without resources. */
async function emptyProject(send: Send): Promise<string> {
  const project = newProject();
  expect((await send(`/__admin/projects/${project}/state`, json("PUT", { resources: [] }))).status).toBe(204);
  return project;
}

/** Creates and updates resources until a number of requests were sent. Returns the versions that were acknowledged. */
async function work(send: Send, project: string, count: number, sent: () => void): Promise<Map<string, number>> {
  const acknowledged = new Map<string, number>();
  for (let number = 0; number < count; ) {
    const attempt = async (path: string, init: RequestInit) => {
      number++;
      sent();
      // A killed replica resets its connections.
      const response = await send(path, init).catch(() => undefined);
      await response?.arrayBuffer().catch(() => {});
      return response;
    };
    const created = await attempt(`/${project}/resource`, json("POST", draft));
    const id = created?.headers.get("Location")?.split("/").at(-1);
    if (created?.status !== 201 || id === undefined) continue;
    acknowledged.set(id, 1);
    const updated = await attempt(`/${project}/resource/${id}`, update(1));
    if (updated?.status === 200) acknowledged.set(id, 2);
  }
  return acknowledged;
}

describeWithRedis("replicas that are killed under load", () => {
  const redis = useRedis();

  it(
    "lose nothing that was acknowledged, and leave no half change",
    async () => {
      const replicas = await startReplicas(3, ["--share", redis.url, "--log", "off"]);
      onTestFinished(() => replicas.close());
      const send: Send = (path, init) => fetch(replicas.url + path, init);
      const [shared, ...own] = await Promise.all(Array.from({ length: 4 }, () => emptyProject(send)));
      const random = createRandom("kills");
      const kills = 3 * effort;
      let sent = 0;
      let killing = Promise.resolve();
      const onSent = () => {
        if (++sent % 60 === 0 && sent <= 60 * kills) {
          killing = killing.then(() => replicas.replace(Math.floor(random() * 3)));
        }
      };

      const perClient = 10 * kills + 20;
      const clients = [shared, shared, shared, ...own].map(async (project = "") => {
        return { project, acknowledged: await work(send, project, perClient, onSent) };
      });
      const results = await Promise.all(clients);
      await killing;

      expect(sent).toBeGreaterThan(60 * kills);
      for (const { project, acknowledged } of results) {
        const versions = await versionsIn(send, project);
        for (const [id, version] of acknowledged) expect(versions.get(id)).toBeGreaterThanOrEqual(version);
      }
    },
    endurance.timeout,
  );
});

describeWithRedis("a store that restarts", () => {
  const redis = useRedis({ appendOnly: true });

  it("causes 503 meanwhile, and loses nothing", async () => {
    const replicas = await Promise.all([1, 2].map(() => openReplica(redis.url, "restart")));
    const [one, other] = replicas as [Send, Send];
    const project = await emptyProject(one);
    const created = await one(`/${project}/resource`, json("POST", draft));
    const location = created.headers.get("Location") ?? "";

    await redis.stop("SIGKILL");
    const refused = await one(location, update(1));
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({ errors: [{ code: "ServiceUnavailable" }] });
    await until(async () => (await other("/__admin/health")).status === 503);
    expect(await (await other("/__admin/health")).json()).toMatchObject({ status: "unavailable" });
    await redis.start();
    await Promise.all(replicas.map(healthy));

    expect((await other(location, update(1))).status).toBe(200);
    expect((await one(location, update(1))).status).toBe(409);
    expect((await versionsIn(one, project)).size).toBe(1);
  });
});

describeWithRedis("a slow store", () => {
  const redis = useRedis();

  it("delays responses, and counts exactly", async () => {
    const { proxy, flaky, steady } = await openPair(redis.url);
    const project = newProject();
    const rule = json("POST", { operation: "getResourceById", respond: { status: 404 }, times: 2 });
    expect((await flaky(`/__admin/projects/${project}/rules`, rule)).status).toBe(201);
    proxy.delay("commands", 100);
    proxy.delay("replies", 100);

    const sends = [flaky, steady, flaky, steady, flaky, steady];
    const responses = await Promise.all(sends.map((send) => send(`/${project}/resource/a`)));

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 404, 404]);
  });
});

describeWithRedis("a full store", () => {
  const redis = useRedis({ maxmemory: "4mb" });

  it("causes 507 with the reason, until a project is closed", async () => {
    const send = await openReplica(redis.url, "full");
    const [kept, filled] = [await emptyProject(send), await emptyProject(send)];
    const created = await send(`/${kept}/resource`, json("POST", draft));
    let response = created;
    while (response.status === 201) response = await send(`/${filled}/resource`, draftWith("x".repeat(100_000)));
    expect(response.status).toBe(507);
    expect(await response.json()).toMatchObject({
      errors: [{ code: "InsufficientStorage", message: expect.stringContaining("is full (maxmemory)") }],
    });
    await versionsIn(send, filled);

    expect((await send(`/__admin/projects/${filled}`, { method: "DELETE" })).status).toBe(204);

    expect((await send(`/${kept}/resource`, json("POST", draft))).status).toBe(201);
    expect((await versionsIn(send, kept)).size).toBe(2);
  });
});

describeWithRedis("a connection to the store that is cut", () => {
  const redis = useRedis();

  it("in the middle of a command: the request gets 503 and changes nothing", async () => {
    const { proxy, flaky, steady } = await openPair(redis.url);
    const project = await emptyProject(flaky);
    const cut = proxy.cutIn("commands", "half a command");

    const response = await flaky(`/${project}/resource`, draftWith("half a command"));
    await cut;

    expect(response.status).toBe(503);
    expect((await versionsIn(steady, project)).size).toBe(0);
    await healthy(flaky);
    expect((await flaky(`/${project}/resource`, json("POST", draft))).status).toBe(201);
    expect((await versionsIn(steady, project)).size).toBe(1);
  });

  it("after a command: the request gets 503, and is stored whole and once", async () => {
    const { proxy, flaky, steady } = await openPair(redis.url);
    const project = await emptyProject(flaky);
    const cut = proxy.cutReplyTo("a whole command");

    const response = await flaky(`/${project}/resource`, draftWith("a whole command"));
    await cut;

    expect(response.status).toBe(503);
    expect((await versionsIn(steady, project)).size).toBe(1);
    await healthy(flaky);
    expect((await versionsIn(flaky, project)).size).toBe(1);
  });
});
