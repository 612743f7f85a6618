// @module-tag process
// @module-tag slow
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { type Haproxy, startHaproxy } from "../setup/haproxy.ts";
import { json, newProject } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { useRedis } from "../setup/redis.ts";
import { describeWithHaproxy } from "../setup/requirements.ts";
import { draft, update } from "../setup/resources.ts";
import { repository } from "../setup/run.ts";
import { type Serving, serving } from "../setup/serving.ts";

const textOf = (file: string) => readFileSync(`${repository}examples/replicas/${file}`, "utf8");

// Servers without a common store, so that the state of a project shows which server has handled a request.
describeWithHaproxy("haproxy.cfg with servers without a common store", () => {
  const mock = useServers("haproxy.cfg");

  it("sends all requests of a project to one server", async () => {
    const projects = Array.from({ length: 20 }, newProject);
    for (const project of projects) {
      await mock.request(`/${project}/resource`);
      await mock.request(`/${project}/resource/an%20id`);
    }

    const totals = await Promise.all(projects.map((project) => mock.requestsOn(project)));

    for (const counts of totals) expect(counts.toSorted()).toEqual([0, 0, 2]);
    expect(new Set(totals.map((counts) => counts.indexOf(2)))).toEqual(new Set([0, 1, 2]));
  });

  it("sends the control calls of a project to the server of its requests", async () => {
    for (const project of [...Array.from({ length: 10 }, newProject), "a project", "x~y", "é"]) {
      await mock.request(`/${encodeURIComponent(project)}/resource`);

      const reply = await mock.request(`/__admin/projects/${encodeURIComponent(project)}/requests`);

      expect(await reply.json()).toMatchObject({ total: 1 });
    }
  });

  it.each([
    ["Mock-Sandbox", { "Mock-Sandbox": "t1" }],
    ["baggage", { baggage: "a=1,mock-sandbox=t1;property=2,b=3" }],
  ])(
    "sends the requests of a sandbox and its control calls to one server (sandbox from %s)",
    async (_name, headers) => {
      for (const project of Array.from({ length: 10 }, newProject)) {
        await mock.request(`/${project}/resource`, { headers });

        const reply = await mock.request(`/__admin/projects/${project}~t1/requests`);

        expect(await reply.json()).toMatchObject({ total: 1 });
      }
    },
  );

  it("passes the events of a project as they occur", async () => {
    const project = newProject();
    const abort = new AbortController();
    const events = await mock.request(`/__admin/projects/${project}/events`, { signal: abort.signal });
    await mock.request(`/${project}/resource`);

    let text = "";
    for await (const bytes of events.body ?? []) {
      text += new TextDecoder().decode(bytes);
      if (text.includes("event: request")) break;
    }

    expect(text).toContain(`/${project}/resource`);
    abort.abort();
  });

  it.each([
    ["CONNECTION_RESET_BY_PEER", /^HTTP\/1\.1 502 /],
    ["EMPTY_RESPONSE", /^HTTP\/1\.1 502 /],
    // With 200 if the header section arrives before the malformed chunk.
    ["MALFORMED_RESPONSE_CHUNK", /^HTTP\/1\.1 (502|200) /],
    ["RANDOM_DATA_THEN_CLOSE", /^HTTP\/1\.1 502 /],
  ])("replaces the broken response of %s, and sends no request twice", async (fault, response) => {
    const project = newProject();
    await mock.request(`/__admin/projects/${project}/rules`, json("POST", { operation: "*", fault, times: 1 }));

    expect((await sendAlone(mock.url, `/${project}/resource`)).text).toMatch(response);

    expect((await mock.request(`/${project}/resource`)).status).toBe(200);
    expect((await mock.requestsOn(project)).toSorted()).toEqual([0, 0, 2]);
  });

  it("sends the requests of a killed server to the others", async () => {
    const projects = Array.from({ length: 10 }, newProject);
    await mock.servers[1]?.stop("SIGKILL");

    for (const project of projects) expect((await mock.request(`/${project}/resource`)).status).toBe(200);
  });
});

describeWithHaproxy("haproxy-tcp.cfg", () => {
  const mock = useServers("haproxy-tcp.cfg");

  it("spreads connections over all servers", async () => {
    const project = newProject();
    for (let count = 0; count < 60; count++) await sendAlone(mock.url, `/${project}/resource`);

    const counts = await mock.requestsOn(project);

    expect(counts.reduce((sum, count) => sum + count)).toBe(60);
    expect(counts).not.toContain(0);
  });

  it.each([
    ["CONNECTION_RESET_BY_PEER", { text: "" }],
    ["EMPTY_RESPONSE", { text: "" }],
    ["MALFORMED_RESPONSE_CHUNK", { text: expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n/) }],
    ["RANDOM_DATA_THEN_CLOSE", { text: expect.not.stringMatching(/^HTTP|^$/) }],
  ])("passes the broken response of %s", async (fault, response) => {
    const project = newProject();
    const rule = json("POST", { operation: "*", fault });
    for (const { url } of mock.servers) await fetch(`${url}/__admin/projects/${project}/rules`, rule);

    expect(await sendAlone(mock.url, `/${project}/resource`)).toMatchObject(response);
  });
});

describeWithHaproxy("the example, as processes", () => {
  const redis = useRedis({ appendOnly: true });
  const mock = useServers("haproxy.cfg", () => ["--share", redis.url]);

  it("loads no project a second time, because HAProxy sends its requests to one replica", async () => {
    const projects = Array.from({ length: 5 }, newProject);
    const use = async () => {
      for (const project of projects) expect((await mock.request(`/${project}/resource`)).status).toBe(200);
    };
    await use();
    const loadsOf = async (url: string) => {
      const health = (await (await fetch(`${url}/__admin/health`)).json()) as { loads: number };
      return health.loads;
    };
    const loads = () => Promise.all(mock.servers.map(({ url }) => loadsOf(url)));
    const before = await loads();

    for (let count = 0; count < 5; count++) await use();

    expect(await loads()).toEqual(before);
  });

  it("keeps a created resource, on every replica, also when one is killed", async () => {
    const project = newProject();
    const created = await mock.request(`/${project}/resource`, json("POST", draft));
    const location = created.headers.get("Location");
    expect(created.status).toBe(201);

    for (const { url } of mock.servers) expect((await fetch(`${url}${location}`)).status).toBe(200);
    await mock.servers[0]?.stop("SIGKILL");

    const updated = await mock.request(`${location}`, update(1));
    expect([updated.status, await updated.json()]).toMatchObject([200, { version: 2 }]);
    // Three reads and two writes.
    expect(await (await mock.request(`/__admin/projects/${project}/requests`)).json()).toMatchObject({ total: 5 });
  });
});

describe("the files of the example", () => {
  const compose = parse(textOf("compose.yaml"), { merge: true });
  const kubernetes = parseAllDocuments(textOf("kubernetes.yaml")).map((document) => document.toJS());

  it.each(["haproxy.cfg", "haproxy-tcp.cfg"])("the file %s lists the replicas of compose.yaml", (file) => {
    const servers = [...textOf(file).matchAll(/^ +server (\S+) (\S+)$/gm)].map(([, name, address]) => [name, address]);

    const replicas = Object.keys(compose.services).filter((name) => name.startsWith("replica"));

    expect(servers).toEqual(replicas.map((name) => [name, `${name}:8080`]));
  });

  it("compose.yaml and kubernetes.yaml start the same store", () => {
    const store = kubernetes.find(({ kind }) => kind === "StatefulSet").spec.template.spec.containers[0];

    expect(compose.services.valkey.image).toBe(store.image);
    expect(compose.services.valkey.command.split(" ")).toEqual(
      store.args.map((argument: string) => (argument === "" ? '""' : argument)),
    );
  });

  it("the Services of kubernetes.yaml select its Pods, by an open port", () => {
    const services = kubernetes.filter(({ kind }) => kind === "Service");
    const pods = kubernetes.filter(({ kind }) => kind !== "Service").map(({ spec }) => spec);

    expect(services).toHaveLength(2);
    for (const { spec, metadata } of services) {
      const pod = pods.find(({ template }) => template.metadata.labels.app === spec.selector.app);
      expect(pod.selector.matchLabels).toEqual(spec.selector);
      expect(pod.template.spec.containers[0].ports[0].containerPort).toBe(spec.ports[0].port);
      expect(metadata.name).toBe(spec.selector.app);
    }
  });
});

/** Starts three servers with these arguments, and HAProxy with a configuration of the example and their addresses. */
function useServers(file: string, args: () => readonly string[] = () => []) {
  let servers: Serving[] = [];
  let haproxy: Haproxy | undefined;
  beforeAll(async () => {
    servers = await Promise.all([1, 2, 3].map(() => serving({ args: args() })));
    haproxy = await startHaproxy(
      servers.reduce(
        (text, { url }, index) => text.replace(`replica-${index + 1}:8080`, new URL(url).host),
        textOf(file),
      ),
    );
  });
  afterAll(async () => {
    await haproxy?.stop();
    await Promise.all(servers.map((server) => server.stop("SIGKILL")));
  });
  return {
    get servers() {
      return servers;
    },
    get url() {
      return haproxy?.url;
    },
    /** Sends a request through HAProxy. */
    request: (path: string, init?: RequestInit) => fetch(`${haproxy?.url}${path}`, init),
    /** Returns the number of requests in the project on each server. */
    requestsOn: (project: string): Promise<number[]> =>
      Promise.all(
        servers.map(async ({ url }) => {
          const response = await fetch(`${url}/__admin/projects/${project}/requests`);
          return response.status === 404 ? 0 : ((await response.json()) as { total: number }).total;
        }),
      ),
  };
}

/** Sends a GET request on a connection of its own. Returns the received bytes, and the error of a reset connection. */
async function sendAlone(url: string | undefined, path: string) {
  const client = await openSocket(url);
  client.send(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  return await client.closed();
}
