// @module-tag process
// @module-tag slow
import { expect, it, onTestFinished } from "vitest";
import { createRandom } from "../../src/project/random.ts";
import { type FlakyProxy, openFlakyProxy } from "../setup/flaky-proxy.ts";
import { json, newProject } from "../setup/mock.ts";
import { useRedis } from "../setup/redis.ts";
import { startReplicas } from "../setup/replicas.ts";
import { describeWithRedis } from "../setup/requirements.ts";
import { draft } from "../setup/resources.ts";
import { effort, endurance } from "../setup/runs.ts";
import { until } from "../setup/until.ts";
import { openReplicas } from "./engines.ts";
import { Model, type Send } from "./model.ts";

let prefixes = 0;

/** Opens two replicas in this process, the first of them with a flaky connection to the store. */
async function openPair(url: string): Promise<{ proxy: FlakyProxy; flaky: Send; steady: Send }> {
  const proxy = await openFlakyProxy(url);
  const replicas = await openReplicas({ urls: [proxy.url, url], prefix: `cuts-${++prefixes}` });
  onTestFinished(async () => {
    await replicas.close();
    expect(replicas.defects).toEqual([]);
  });
  const [flaky, steady] = [0, 1].map(
    (replica): Send =>
      (path, init) =>
        replicas.fetch(replica, path, init),
  );
  return { proxy, flaky, steady } as { proxy: FlakyProxy; flaky: Send; steady: Send };
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

/** The number of kills. `npm run soak` performs 60. */
const KILLS = 3 * effort;

describeWithRedis("replicas that are killed under load", () => {
  const redis = useRedis({ appendOnly: true });

  it("lose nothing that was acknowledged, do nothing twice, and leave no half change", endurance, async () => {
    const replicas = await startReplicas(3, ["--share", redis.url, "--log", "off"]);
    onTestFinished(() => replicas.close());
    const random = createRandom("kills");
    let sent = 0;
    const model = new Model((path, init) => {
      sent++;
      return fetch(replicas.url + path, init);
    }, newProject());
    await model.prepare();
    let kills = 0;
    const killing = async () => {
      while (kills < KILLS) {
        const later = sent + 1 + Math.floor(random() * 300);
        await until(() => sent >= later);
        await replicas.replace(Math.floor(random() * 3));
        kills++;
      }
    };
    const clients = Array.from({ length: 6 }, (_, client) => model.runClient(client, () => kills < KILLS));
    await Promise.all([killing(), ...clients]);
    await model.expectAll();
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
