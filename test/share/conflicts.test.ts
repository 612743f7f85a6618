// @module-tag process
// @module-tag slow
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { type Files, readFiles } from "../../src/library/mock.ts";
import { collectionIn, fileItem } from "../../src/state/index.ts";
import { builtIn } from "../setup/histories.ts";
import { json, newProject } from "../setup/mock.ts";
import { petSubject } from "../setup/pet-histories.ts";
import { useRedis } from "../setup/redis.ts";
import { describeWithRedis } from "../setup/requirements.ts";
import { draft } from "../setup/resources.ts";
import { runs } from "../setup/runs.ts";
import { expectSameProjects, openReplicas, type Replicas, stepOf } from "./engines.ts";

const tokenRequest = {
  method: "POST",
  headers: { "Content-Type": "application/x-www-form-urlencoded", Authorization: `Basic ${btoa("client:secret")}` },
  body: "grant_type=client_credentials",
};

/** The fixed time of all engines, in milliseconds. */
const NOW = 1_700_000_000_000;

describeWithRedis("replicas with requests at the same moment", () => {
  const redis = useRedis();
  let prefixes = 0;

  /** Opens three replicas, and fails the test if one has a defect. */
  async function three(files?: Files): Promise<Replicas & { readonly prefix: string }> {
    const prefix = `conflicts-${++prefixes}`;
    const urls = [redis.url, redis.url, redis.url];
    const replicas = await openReplicas({ urls, prefix, engine: { ...files, now: () => NOW, wait: async () => {} } });
    return { ...replicas, prefix };
  }

  const expectSame = (replicas: Replicas & { readonly prefix: string }, projects: readonly string[], files?: Files) => {
    const { prefix } = replicas;
    return expectSameProjects(replicas, projects, { urls: [redis.url], prefix, engine: { ...files, now: () => NOW } });
  };

  it.each([builtIn, petSubject])(
    "$name: show the same projects after any calls, as a new replica does",
    {
      timeout: 300_000,
    },
    async (subject) => {
      const files = await readFiles({}, subject.service);
      const step = stepOf(subject);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(step, { maxLength: 12 }), { maxLength: 6 }), async (turns) => {
          const replicas = await three(files);
          try {
            for (const calls of turns) {
              await Promise.all(
                calls.map(async ({ call, replica }) => {
                  const response = await replicas.fetch(replica, call.path, call.init);
                  await response.arrayBuffer().catch(() => {});
                }),
              );
            }
            await expectSame(replicas, ["p", "q"], files);
          } finally {
            await replicas.close();
          }
        }),
        runs(5, 25),
      );
    },
  );

  /** Opens three replicas that the test closes, and a project. */
  async function open() {
    const replicas = await three();
    onTestFinished(() => replicas.close());
    const project = newProject();
    const admin = (path: string, init?: RequestInit) => replicas.send(`/__admin/projects/${project}${path}`, init);
    const resource = (path = "", init?: RequestInit) => replicas.send(`/${project}/resource${path}`, init);
    /** Sends as many requests at the same moment. Returns their statuses, sorted. */
    const statuses = async (count: number, send: (index: number) => Promise<Response>) => {
      const responses = await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
      return responses.map(({ status }) => status).sort();
    };
    return { replicas, project, admin, resource, statuses };
  }

  it("cannot keep a long step from its end", async () => {
    const { replicas, project, resource } = await open();
    const at = new Date(NOW).toISOString();
    await resource("/42");
    const [slow, fast] = replicas.engines;
    const write = (version: number) =>
      replicas.fetch(1, `/${project}/resource/42`, json("POST", { version, actions: [{ action: "doSomeThing" }] }));
    const others: Promise<Response>[] = [];
    let tries = 0;
    await slow?.home.step(project, async () => {
      const sandbox = slow.projects.get(project);
      sandbox.change((draft) => draft.put("Image", fileItem("i", at, { contentType: "image/png" }, new Uint8Array(1))));
      // Another replica changes the project during each try. During the fourth one, its change waits.
      const other = write(++tries);
      others.push(other);
      if (tries < 8)
        await Promise.race([other, new Promise((resolve) => setTimeout(resolve, tries < 4 ? 30_000 : 300))]);
    });
    expect(tries).toBeLessThanOrEqual(4);
    for (const response of await Promise.all(others)) expect([200, 409]).toContain(response.status);
    expect(fast && collectionIn(fast.projects.get(project).state, "Image").items.size).toBe(1);
    await expectSame(replicas, [project]);
  });

  it("leave out a stored part that they cannot read, and keep the rest usable", { timeout: 120_000 }, async () => {
    const { replicas, project, admin, resource } = await open();
    await resource("/42");
    await resource("/images", { method: "POST", headers: { "Content-Type": "image/gif" }, body: "GIF89a" });
    await resource("/namespace-action", json("POST", { points: 1 }));
    await admin("/rules", json("POST", { operation: "getCart", respond: { status: 503 } }));
    await admin("/snapshots", json("POST", { name: "s" }));
    await admin("/tokens", json("POST", {}));
    const { prefix } = replicas;
    for (const key of [`${prefix}:p:${project}`, `${prefix}:server`]) {
      const parts = (await redis.call("hkeys", key)).split("\n").filter((part) => !part.startsWith("#"));
      expect(parts.length).toBeGreaterThan(2);
      for (const part of parts) {
        const value = await redis.call("hget", key, part);
        for (const garbage of ["{", "1", '{"x":[]}', '["a","b"]']) {
          await redis.call("hset", key, part, garbage);
          const fresh = await openReplicas({ urls: [redis.url], prefix, engine: { now: () => NOW } });
          const ofProject = `/__admin/projects/${project}`;
          const paths = ["/__admin/projects", `${ofProject}/state`, `${ofProject}/requests`, `${ofProject}/archive`];
          for (const path of [...paths, `/${project}/resource/42`]) {
            const { status } = await fresh.fetch(0, path);
            expect([part, garbage, path, status < 500]).toEqual([part, garbage, path, true]);
          }
          expect(fresh.defects).toEqual([]);
          await fresh.close();
        }
        await redis.call("hset", key, part, value);
      }
    }
    await redis.call("hset", `${prefix}:p:${project}`, "core", "{");
    const fresh = await openReplicas({ urls: [redis.url], prefix, engine: { now: () => NOW } });
    await fresh.fetch(0, `/__admin/projects/${project}/state`);
    const health = (await (await fresh.fetch(0, "/__admin/health")).json()) as { unreadable: object };
    expect(health.unreadable).toEqual({
      projects: 1,
      problem: expect.stringContaining(`project "${project}", core: `),
    });
    expect((await fresh.fetch(0, `/__admin/projects/${project}/reset`, { method: "POST" })).status).toBe(204);
    expect((await fresh.fetch(0, `/__admin/projects/${project}`, { method: "DELETE" })).status).toBe(204);
    expect(fresh.defects).toEqual([]);
    await fresh.close();
  });

  it("report a damaged part until the part, or its project, is written again by any replica", async () => {
    const damage = async () => {
      const { replicas, project, admin } = await open();
      await admin("/resources/a", json("PUT", draft));
      await redis.call("hset", `${replicas.prefix}:p:${project}`, "item/Resource/a", "{");
      const fresh = await openReplicas({ urls: [redis.url, redis.url], prefix: replicas.prefix });
      onTestFinished(() => fresh.close());
      const unreadable = async (replica: number) => {
        // Loads the project.
        await fresh.fetch(replica, `/__admin/projects/${project}`);
        const health = (await (await fresh.fetch(replica, "/__admin/health")).json()) as { unreadable?: object };
        return health.unreadable;
      };
      for (const replica of [0, 1]) {
        expect(await unreadable(replica)).toMatchObject({ problem: expect.stringContaining("item/Resource/a") });
      }
      const write = (path: string, init: RequestInit) => fresh.fetch(0, `/__admin/projects/${project}${path}`, init);
      return { write, unreadable };
    };
    for (const [path, init] of [
      ["/resources/a", json("PUT", draft)],
      ["/reset", { method: "POST" }],
      ["", { method: "DELETE" }],
    ] as const) {
      const { write, unreadable } = await damage();
      expect((await write(path, init)).status).toBeLessThan(300);
      expect([path, await unreadable(0), await unreadable(1)]).toEqual([path, undefined, undefined]);
    }
  });

  it("show a project whose key has another type as damaged, until it is written again or deleted", async () => {
    for (const [method, path] of [
      ["DELETE", ""],
      ["POST", "/reset"],
      ["POST", "/resources"],
    ] as const) {
      const { replicas, project, resource } = await open();
      const other = newProject();
      await resource("/42");
      await replicas.send(`/${other}/resource/42`);
      const key = `${replicas.prefix}:p:${project}`;
      await redis.call("set", key, "x");
      const fresh = await openReplicas({ urls: [redis.url, redis.url], prefix: replicas.prefix });
      onTestFinished(() => fresh.close());
      for (const [mock, replica] of [
        [replicas, 0],
        [fresh, 0],
        [fresh, 1],
      ] as const) {
        const list = (await (await mock.fetch(replica, "/__admin/projects")).json()) as { projects: { key: string }[] };
        expect(list.projects.map(({ key }) => key)).toEqual([project, other]);
        const health = await (await mock.fetch(replica, "/__admin/health")).json();
        const problem = expect.stringContaining(`project "${project}": expected a hash, found string`);
        expect(health).toMatchObject({ status: "ok", unreadable: { projects: 1, problem } });
        expect((await mock.fetch(replica, `/__admin/projects/${other}/reset`, { method: "POST" })).status).toBe(204);
      }
      const admin = `/__admin/projects/${project}`;
      const body = path === "/resources" ? json("POST", draft) : { method };
      expect((await fresh.fetch(0, `${admin}${path}`, body)).status).toBeLessThan(300);
      expect((await redis.call("type", key)).trim()).toBe("hash");
      for (let replica = 0; replica < 2; replica++) {
        expect((await fresh.fetch(replica, `/${project}/resource/42`)).status).toBe(200);
        await fresh.fetch(replica, "/__admin/projects");
        expect(await (await fresh.fetch(replica, "/__admin/health")).json()).not.toHaveProperty("unreadable");
      }
      await expectSame(replicas, [project, other]);
    }
  });

  it("go on if any of their other keys has another type", async () => {
    const { replicas, project, resource } = await open();
    const names = ["projects", "counters", "events", "server", "revisions:server", "lease:server"];
    for (const name of [...names, `revisions:p:${project}`, `lease:p:${project}`]) {
      const key = `${replicas.prefix}:${name}`;
      await resource("/42");
      await redis.call("del", key);
      await redis.call(...(name.startsWith("lease") ? ["lpush", key, "x"] : ["set", key, "x"]));
      const fresh = await openReplicas({ urls: [redis.url], prefix: replicas.prefix, engine: { now: () => NOW } });
      onTestFinished(() => fresh.close());
      for (const mock of [replicas, fresh]) {
        for (let replica = 0; replica < 3; replica++) {
          expect([name, (await mock.fetch(replica, `/${project}/resource/42`)).status]).toEqual([name, 200]);
          expect([name, (await mock.fetch(replica, "/oauth/token", tokenRequest)).status]).toEqual([name, 200]);
          expect([name, (await mock.fetch(replica, "/__admin/projects")).status]).toEqual([name, 200]);
        }
      }
      expect(await (await fresh.send("/__admin/projects")).text()).toContain(`"key":"${project}"`);
    }
    await expectSame(replicas, [project]);
  });

  it("use each effect of a sequence once", async () => {
    const { replicas, project, admin, resource, statuses } = await open();
    const sequence = [404, 500, 503].map((status) => ({ respond: { status } }));
    await admin("/rules", json("POST", { operation: "getResourceById", sequence, times: 3 }));
    expect(await statuses(12, () => resource("/42"))).toEqual([...Array(9).fill(200), 404, 500, 503]);
    await expectSame(replicas, [project]);
  });

  it("count all requests for the rate limit", async () => {
    const { replicas, project, admin, resource, statuses } = await open();
    await admin("/settings", json("PATCH", { rateLimit: { limit: 5, window: 1000 } }));
    expect(await statuses(15, () => resource("/42"))).toEqual([...Array(5).fill(200), ...Array(10).fill(429)]);
    await expectSame(replicas, [project]);
  });

  it("create resources with different ids, the same as in one process", async () => {
    const { replicas, project, resource } = await open();
    const create = json("POST", { objectTypeProperty: {} });
    const created = await Promise.all(Array.from({ length: 20 }, () => resource("", create)));
    const ids = (responses: Response[]) => responses.map(({ headers }) => headers.get("Location")).sort();
    const one = await openReplicas({ urls: [redis.url], prefix: `one-${project}` });
    onTestFinished(() => one.close());
    const expected = Array.from({ length: 20 }, () => one.send(`/${project}/resource`, create));
    expect(ids(created)).toEqual(ids(await Promise.all(expected)));
    await expectSame(replicas, [project]);
  });

  it("overwrite one resource, with one version for each write", async () => {
    const { replicas, project, resource } = await open();
    await resource("", json("POST", { objectTypeProperty: {} }));
    const writes = Array.from({ length: 12 }, (_, index) => {
      return resource(
        "",
        json(index % 2 === 0 ? "PUT" : "PATCH", { objectTypeProperty: { arrayOfIntExample: [index] } }),
      );
    });
    const bodies = (await Promise.all((await Promise.all(writes)).map((response) => response.json()))) as {
      version: number;
    }[];
    const versions = bodies.map(({ version }) => version).sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 12 }, (_, index) => index + 2));
    await expectSame(replicas, [project]);
  });

  it("start the counters of a scenario for all projects again in every project, when it is activated again", async () => {
    const { replicas, project, resource, statuses } = await open();
    const other = newProject();
    const failing = { rules: [{ operation: "getResourceById", respond: { status: 500 }, times: 2 }] };
    const activate = () => replicas.send("/__admin/scenarios/failing", json("PUT", failing));
    const both = async () => [
      await statuses(6, () => resource("/42")),
      await statuses(6, () => replicas.send(`/${other}/resource/42`)),
    ];
    const twice = [200, 200, 200, 200, 500, 500];
    for (let activation = 0; activation < 3; activation++) {
      await activate();
      expect(await both()).toEqual([twice, twice]);
    }
    expect(await both()).toEqual([Array(6).fill(200), Array(6).fill(200)]);
    await expectSame(replicas, [project, other]);
  });

  it("keep the counters of a scenario for all projects while tokens are issued", async () => {
    const { replicas, project, admin, resource, statuses } = await open();
    const failing = { rules: [{ operation: "getResourceById", respond: { status: 500 }, times: 4 }] };
    await replicas.send("/__admin/scenarios/failing", json("PUT", failing));
    const found = await statuses(30, (index) =>
      index % 3 === 0 ? admin("/tokens", { method: "POST" }) : resource("/42"),
    );
    expect(found.filter((status) => status === 500)).toHaveLength(4);
    await expectSame(replicas, [project]);
  });

  it("accept a token of another replica at once, and reject it as soon as it is revoked", async () => {
    const { replicas, project, admin } = await open();
    await admin("/settings", json("PATCH", { auth: "strict" }));
    const issued = await Promise.all(Array.from({ length: 9 }, () => admin("/tokens", { method: "POST" })));
    const tokens = await Promise.all(issued.map(async (response) => ((await response.json()) as Token).access_token));
    const use = (replica: number, token: string) => {
      return replicas.fetch(replica, `/${project}/resource/42`, { headers: { Authorization: `Bearer ${token}` } });
    };
    const statusesAt = async (replica: number) => {
      return (await Promise.all(tokens.map((token) => use(replica, token)))).map(({ status }) => status);
    };
    for (let replica = 0; replica < 3; replica++) expect(await statusesAt(replica)).toEqual(Array(9).fill(200));
    await Promise.all(tokens.slice(0, 4).map((token) => admin(`/tokens/${token}`, { method: "DELETE" })));
    const revoked = [...Array(4).fill(401), ...Array(5).fill(200)];
    for (let replica = 0; replica < 3; replica++) expect(await statusesAt(replica)).toEqual(revoked);
    await expectSame(replicas, [project]);
  });

  it("leave nothing of before, when all projects are reset during requests", async () => {
    const { replicas, project, resource, statuses } = await open();
    const create = json("POST", { objectTypeProperty: {} });
    await resource("/42");
    const mixed = await statuses(40, (index) => {
      return index === 20 ? replicas.send("/__admin/reset", { method: "POST" }) : resource("", create);
    });
    expect(mixed.filter((status) => ![201, 204, 503].includes(status))).toEqual([]);
    await replicas.send("/__admin/reset", { method: "POST" });
    for (let replica = 0; replica < 3; replica++) {
      const summary = await (await replicas.fetch(replica, `/__admin/projects/${project}`)).json();
      expect(summary).toMatchObject({ requests: 0, resources: 5 });
    }
    await expectSame(replicas, [project]);
  });

  it("close and create a project at once, with unique request ids", async () => {
    const { replicas, project, admin, resource } = await open();
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, index) => (index % 12 === 11 ? admin("", { method: "DELETE" }) : resource("/42"))),
    );
    const ids = responses.flatMap(({ headers }) => headers.get("mock-request-id") ?? []).filter((id) => id !== "none");
    // A request that arrived before an end of the project, and would change the next one, gets 503.
    expect(responses.filter(({ status }) => ![200, 204, 503].includes(status))).toEqual([]);
    expect(ids).toHaveLength(responses.filter(({ status }) => status === 200).length);
    expect(new Set(ids).size).toBe(ids.length);
    await expectSame(replicas, [project]);
  });

  it("count each request once in a wait, at whichever replica", async () => {
    const { replicas, project, resource } = await open();
    for (let request = 0; request < 3; request++) await resource("/42");
    const wait = (count: number) => `/__admin/projects/${project}/requests/wait?count=${count}&timeout=20000`;
    // The first wait shows that the replica follows the project.
    expect((await replicas.fetch(0, wait(3))).status).toBe(200);
    const waiting = replicas.fetch(0, wait(5));
    let hasEnded = false;
    void waiting.then(() => {
      hasEnded = true;
    });
    await replicas.fetch(0, `/${project}/resource/42`);
    await replicas.fetch(0, `/__admin/projects/${project}/settings`, json("PATCH", { collection: "paged" }));
    expect(hasEnded).toBe(false);
    await replicas.fetch(2, `/${project}/resource/42`);
    expect(((await (await waiting).json()) as { requests: unknown[] }).requests).toHaveLength(5);
  });

  it("fork a project that only another replica knows", async () => {
    const { replicas, project, resource } = await open();
    await resource("/42");
    for (let replica = 0; replica < 3; replica++) {
      const copy = newProject();
      const response = await replicas.fetch(replica, `/__admin/projects/${copy}/state`, json("PUT", { from: project }));
      expect(response.status).toBe(204);
      expect((await replicas.send(`/__admin/projects/${copy}/resources/42`)).status).toBe(200);
    }
  });

  it("share the content of snapshots in the store too, and can free their memory", async () => {
    const { replicas, project, admin } = await open();
    const resources = Array.from({ length: 100 }, (_, id) => ({ id: `r-${id}`, ...draft, note: "x".repeat(5000) }));
    expect((await admin("/state", json("PUT", { resources }))).status).toBe(204);
    for (let index = 0; index < 30; index++) {
      await admin("/resources/r-1", json("PUT", { ...draft, index }));
      expect((await admin("/snapshots", json("POST", { name: `s/${index}%` }))).status).toBe(201);
    }
    const bytes = Number(await redis.call("memory", "usage", `${replicas.prefix}:p:${project}`, "samples", "0"));
    // The state, the first snapshot, and the state in the history of changes.
    expect(bytes).toBeLessThan(5 * 500_000);
    await expectSame(replicas, [project]);
    const small = { urls: [redis.url], prefix: replicas.prefix, engine: { maxStateBytes: 700_000 } };
    const other = await openReplicas(small);
    onTestFinished(() => other.close());
    const path = `/__admin/projects/${project}`;
    expect(
      (await other.send(`${path}/snapshots/${encodeURIComponent("s/0%")}/restore`, { method: "POST" })).status,
    ).toBe(204);
    const restored = (await (await other.send(`${path}/resources/r-1`)).json()) as { index: number };
    expect(restored.index).toBe(0);
    expect((await other.send(`${path}/reset`, { method: "POST" })).status).toBe(204);
    expect((await other.send(path, { method: "DELETE" })).status).toBe(204);
    expect((await admin("")).status).toBe(404);
  });

  it("do not wait for the generation of resources", async () => {
    const { replicas, project, admin, resource } = await open();
    await resource("/42");
    const ended: string[] = [];
    const generated = replicas
      .fetch(0, `/__admin/projects/${project}/resources`, json("POST", { generate: 3000 }))
      .then(({ status }) => ended.push(`generated ${status}`));
    // The response of another project comes first: that of this one would also wait for its queue.
    await replicas.fetch(0, "/oauth/token", tokenRequest);
    ended.push("token");
    expect((await replicas.fetch(0, `/${newProject()}/resource/42`)).status).toBe(200);
    ended.push("read");
    await generated;
    expect(ended).toEqual(["token", "read", "generated 201"]);
    expect((await admin("/resources?limit=0")).status).toBe(200);
    await expectSame(replicas, [project]);
  });

  it("keep the documents in the store small, however many tokens are issued and forgotten", async () => {
    const { replicas, project, admin } = await open();
    for (let reset = 0; reset < 25; reset++) {
      await Promise.all(Array.from({ length: 50 }, () => admin("/tokens", { method: "POST" })));
      const headers = { "Content-Type": "application/x-www-form-urlencoded", Authorization: `Basic ${btoa("a:b")}` };
      const body = new URLSearchParams({ token: `unknown ${reset}` }).toString();
      await replicas.send("/oauth/token/revoke", { method: "POST", headers, body });
      await admin("/reset", { method: "POST" });
    }
    const names = Number(await redis.call("zcard", `${replicas.prefix}:revisions:server`));
    expect(names).toBeLessThan(1100);
    expect(Number(await redis.call("pttl", `${replicas.prefix}:revisions:server`))).toBeGreaterThan(0);
    await expectSame(replicas, [project]);
  });

  it("store a state of 20,000 resources", async () => {
    const { replicas, project, admin } = await open();
    for (let seed = 0; seed < 4; seed++) {
      expect((await admin("/resources", json("POST", { generate: 5000, seed }))).status).toBe(201);
    }
    // The fork stores all of them, and the five that each project starts with, in one step.
    const fork = `/__admin/projects/${newProject()}`;
    expect((await replicas.fetch(0, `${fork}/state`, json("PUT", { from: project }))).status).toBe(204);
    for (let replica = 0; replica < 3; replica++) {
      const summary = await (await replicas.fetch(replica, fork)).json();
      expect(summary).toMatchObject({ resources: 20_005 });
    }
  }, 40_000);
});

interface Token {
  readonly access_token: string;
}
