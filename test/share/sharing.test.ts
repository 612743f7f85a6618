import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { loadEngine } from "../../src/mock.ts";
import { pages } from "../../src/pages.ts";
import { openSharing } from "../../src/share/sharing.ts";
import { json, newProject } from "../setup/mock.ts";
import { useRedis } from "../setup/redis.ts";
import { describeWithRedis } from "../setup/requirements.ts";

describeWithRedis("three engines that share one store", () => {
  const redis = useRedis();
  const engines: Engine[] = [];
  const defects: unknown[] = [];
  let fetches: ((path: string, init?: RequestInit) => Promise<Response>)[] = [];
  let sent = 0;

  /** Sends each request to the next engine. */
  const send = (path: string, init?: RequestInit) => {
    const fetchOf = fetches[sent++ % fetches.length];
    if (!fetchOf) throw new Error("expected an engine");
    return fetchOf(path, init);
  };

  beforeAll(async () => {
    for (let engine = 0; engine < 3; engine++) {
      const sharing = await openSharing({ url: redis.url, prefix: "test", ttl: 600_000, maxProjects: 1000 });
      const engine = await loadEngine({}, sharing);
      sharing.attach(engine);
      engines.push(engine);
    }
    for (const engine of engines) engine.onDefect = (error) => defects.push(error);
    fetches = engines.map((engine) => {
      const app = createApp(engine, { version: "0.0.0-test", pages });
      return async (path, init) => app.fetch(new Request(`http://in.process${path}`, init));
    });
  });
  afterAll(async () => {
    for (const engine of engines) {
      engine.drain();
      await engine.sharing?.close();
    }
    expect(defects).toEqual([]);
  });

  it("let a rule with times take effect exactly so often, also at once", async () => {
    const project = newProject();
    const rule = { operation: "getResourceById", respond: { status: 404 }, times: 7 };
    await send(`/__admin/projects/${project}/rules`, json("POST", rule));
    const responses = await Promise.all(Array.from({ length: 30 }, () => send(`/${project}/resource/42`)));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(7);
    expect(statuses.filter((status) => status === 200)).toHaveLength(23);
    const ids = responses.map(({ headers }) => Number(headers.get("mock-request-id")?.split("-")[1]));
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  it("accept one of several concurrent updates of the same version", async () => {
    const project = newProject();
    await send(`/${project}/resource/42`);
    const update = { version: 1, actions: [{ action: "doSomeThing" }] };
    const responses = await Promise.all(
      Array.from({ length: 9 }, () => send(`/${project}/resource/42`, json("POST", update))),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(8).fill(409)]);
  });

  it("return an archive that one of them has restored, with the same next response", async () => {
    const [project, copy] = [newProject(), newProject()];
    await send(`/__admin/projects/${project}/rules`, json("POST", { respond: { status: 500 }, probability: 0.5 }));
    await send(`/__admin/projects/${project}/snapshots`, json("POST", { name: "before" }));
    for (let request = 0; request < 5; request++) await send(`/${project}/resource/42`);
    const archiveOf = async (key: string) => (await send(`/__admin/projects/${key}/archive`)).json();
    const archive = await archiveOf(project);
    await send(`/${copy}/resource/43`);
    await send(`/__admin/projects/${copy}/snapshots`, json("POST", { name: "replaced" }));
    expect((await send(`/__admin/projects/${copy}/archive`, json("PUT", archive))).status).toBe(204);
    for (let engine = 0; engine < 3; engine++) expect(await archiveOf(copy)).toEqual(archive);
    for (let request = 0; request < 5; request++) {
      const [next, expected] = [await send(`/${copy}/resource/42`), await send(`/${project}/resource/42`)];
      const id = (response: Response) => response.headers.get("Mock-Request-Id");
      expect([next.status, id(next), await next.text()]).toEqual([
        expected.status,
        id(expected),
        await expected.text(),
      ]);
    }
  });

  describe("after a reset of all projects", () => {
    it("return every project to its initial state, and keep snapshots", async () => {
      const project = newProject();
      await send(`/${project}/resource/42`);
      await send(`/__admin/projects/${project}/snapshots`, json("POST", { name: "before" }));
      await send("/__admin/reset", { method: "POST" });
      for (let engine = 0; engine < 3; engine++) {
        const summary = await (await send(`/__admin/projects/${project}`)).json();
        expect(summary).toMatchObject({ requests: 0, snapshots: 1 });
      }
    });
  });

  it.each(["project", "all"])("end a latency at one engine by a reset at another: %s", async (which) => {
    const project = newProject();
    const [first, second] = fetches as [typeof send, typeof send];
    const rule = { latency: { fixed: 600_000 } };
    await second(`/__admin/projects/${project}/rules`, json("POST", rule));
    const delayed = first(`/${project}/resource/42`);
    // The rule counts its use before the delay.
    const isUsed = async () =>
      (await (await second(`/__admin/projects/${project}/rules`)).json()).rules.some(
        ({ used }: { used: number }) => used === 1,
      );
    await expect.poll(isUsed).toBe(true);
    await second(which === "all" ? "/__admin/reset" : `/__admin/projects/${project}/reset`, { method: "POST" });
    expect((await delayed).status).toBe(503);
  });

  it("return 507 to a call about all projects that do not fit in the memory of a replica", async () => {
    const sharing = await openSharing({ url: redis.url, prefix: "small", ttl: 600_000, maxProjects: 1000 });
    const engine = await loadEngine({ maxStateBytes: 100_000 }, sharing);
    sharing.attach(engine);
    const app = createApp(engine, { version: "0.0.0-test", pages });
    const call = async (path: string, init?: RequestInit) => app.fetch(new Request(`http://in.process${path}`, init));
    try {
      const text = "x".repeat(40_000);
      for (let index = 0; index < 3; index++) {
        const state = { resources: [{ id: "a", objectTypeProperty: {}, text }] };
        const stored = await call(`/__admin/projects/large-${index}/state`, json("PUT", state));
        expect(stored.status, await stored.text()).toBe(204);
      }
      const list = await call("/__admin/projects");
      expect(list.status).toBe(507);
      expect(await list.text()).toContain("--max-state-bytes");
      // Each project is still there.
      for (let index = 0; index < 3; index++) {
        expect((await call(`/large-${index}/resource/a`)).status).toBe(200);
      }
      await call("/__admin/projects/large-0", { method: "DELETE" });
      await call("/__admin/projects/large-1", { method: "DELETE" });
      const { projects } = await (await call("/__admin/projects")).json();
      expect(projects).toHaveLength(1);
    } finally {
      engine.drain();
      await sharing.close();
    }
  });

  it("end a wait at one engine by a request to another", async () => {
    const project = newProject();
    const [first, second] = fetches as [typeof send, typeof send];
    const waiting = first(`/__admin/projects/${project}/requests/wait?count=1&timeout=20000`);
    await second(`/${project}/resource/42`);
    expect((await waiting).status).toBe(200);
  });
});
