// @module-tag process
// @module-tag slow
import { describe, expect, it, onTestFinished } from "vitest";
import { command } from "../setup/command.ts";
import { startRedis, useRedis } from "../setup/redis.ts";
import { describeWithRedis } from "../setup/requirements.ts";
import { reservePort } from "../setup/reserve-port.ts";
import { repository } from "../setup/run.ts";
import { type ServeOptions, serving } from "../setup/serving.ts";
import { openReplicas } from "./engines.ts";

const PASSWORD = "open sesame/ü";

/** Starts a server that stops after the test. */
async function start(options: ServeOptions) {
  const server = await serving(options);
  onTestFinished(async () => {
    await server.stop("SIGKILL");
  });
  const health = async () => {
    const response = await fetch(`${server.url}/__admin/health`);
    return { code: response.status, ...((await response.json()) as { status: string; problem?: string }) };
  };
  const create = () => fetch(`${server.url}/p/resource/42`);
  return { ...server, health, create };
}

describeWithRedis("--share", () => {
  describe.each([
    ["an address of another kind", ["--share", "http://localhost"], "--share: expected a URL such as redis://"],
    ["an invalid prefix", ["--share", "redis://localhost", "--share-prefix", "a:b"], "--share-prefix: expected"],
    ["a prefix alone", ["--share-prefix", "a"], "--share-prefix: expected together with --share, found alone"],
    ["a time alone", ["--share-ttl", "5"], "--share-ttl: expected together with --share, found alone"],
    ["an invalid time", ["--share", "redis://localhost", "--share-ttl", "0"], "--share-ttl: expected"],
    [
      "a document that is watched",
      ["--share", "redis://localhost", "--watch", "--contract", "pets.yaml"],
      "--watch: expected without --share and --contract",
    ],
  ])("with %s", (_name, args, message) => {
    it("ends with exit code 2 and one line", async () => {
      const { code, stdout, stderr } = await command(args);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(message);
    });
  });

  describe("a server whose store has a password", () => {
    const redis = useRedis({ password: PASSWORD });

    it("accepts the password, and never shows the password", async () => {
      const server = await start({ environment: { RESOURCE_MOCK_SHARE: redis.url } });
      expect((await server.create()).status).toBe(200);
      await redis.stop();
      const shown = [await (await server.create()).text(), JSON.stringify(await server.health())];
      await redis.start();
      await expect.poll(async () => (await server.health()).code).toBe(200);
      expect((await server.create()).status).toBe(200);
      shown.push(server.output());
      for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), "sesame"]) {
        for (const text of shown) expect(text).not.toContain(secret);
      }
    });

    it.each([
      ["a wrong one", "wrong-secret"],
      ["none", ""],
    ])("and %s: ends with exit code 2, and does not show it", async (_name, password) => {
      const url = `redis://${password && `:${password}@`}127.0.0.1:${redis.port}`;
      const { code, stderr } = await command(["--share", url]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`--share: redis://127.0.0.1:${redis.port} rejected the user or the password`),
      ]);
      expect(stderr).not.toContain("wrong-secret");
    });
  });

  describe("a server whose store has TLS", () => {
    const redis = useRedis({ tls: true });

    it("accepts a certificate of the CA in NODE_EXTRA_CA_CERTS", async () => {
      const environment = { NODE_EXTRA_CA_CERTS: redis.caFile ?? "" };
      const server = await start({ args: ["--share", redis.url], environment });
      expect([(await server.health()).code, (await server.create()).status]).toEqual([200, 200]);
    });

    it("rejects a certificate of another CA", async () => {
      const server = await start({ args: ["--share", redis.url] });
      expect(await server.health()).toMatchObject({
        status: "unavailable",
        problem: expect.stringMatching(/certificate/),
      });
      expect((await server.create()).status).toBe(503);
    });
  });

  it("starts without the store, warns, and works as soon as the store is there", async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.remove());
    await redis.stop();
    const server = await start({ args: ["--share", redis.url] });
    expect(server.output()).toContain(`resource-mock: warning: the shared store at ${redis.url} cannot be used`);
    expect((await server.health()).code).toBe(503);
    expect((await server.create()).status).toBe(503);
    await redis.start();
    await expect.poll(async () => (await server.health()).code).toBe(200);
    expect((await server.create()).status).toBe(200);
  });

  it("stops without the store", async () => {
    const server = await start({ args: ["--share", `redis://127.0.0.1:${await reservePort()}`] });
    expect(await server.stop("SIGTERM")).toBe(0);
  });

  describe("a server whose store may delete keys", () => {
    const redis = useRedis({ maxmemory: "100mb", password: PASSWORD });

    it("ends with exit code 2", async () => {
      await redis.call("config", "set", "maxmemory-policy", "allkeys-lru");
      const { code, stderr } = await command(["--share", redis.url]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("expected the maxmemory-policy noeviction")]);
      expect(stderr).not.toContain("sesame");
    });

    it("responds with 503 if the store has this policy after a restart, until the policy changes", async () => {
      await redis.call("config", "set", "maxmemory-policy", "noeviction");
      const server = await start({ args: ["--share", redis.url] });
      expect((await server.create()).status).toBe(200);
      await redis.call("config", "set", "maxmemory-policy", "allkeys-lru");
      await redis.call("client", "kill", "type", "normal");
      await expect
        .poll(server.health)
        .toMatchObject({ code: 503, problem: expect.stringContaining("expected the maxmemory-policy noeviction") });
      expect((await server.create()).status).toBe(503);
      await redis.call("config", "set", "maxmemory-policy", "noeviction");
      await expect.poll(async () => (await server.health()).code).toBe(200);
      expect((await server.create()).status).toBe(200);
    });
  });

  describe("a server with a prefix and a time", () => {
    const redis = useRedis();

    it("does not see the projects, tokens and scenarios of another prefix", async () => {
      const share = (prefix: string) => ["--share", redis.url, "--share-prefix", prefix];
      const [one, other] = await Promise.all([start({ args: share("one") }), start({ args: share("other") })]);
      await one.create();
      await fetch(`${one.url}/__admin/scenarios/server-error`, { method: "PUT" });
      await fetch(`${one.url}/__admin/projects/p/tokens`, { method: "POST" });
      const { total } = (await (await fetch(`${other.url}/__admin/projects`)).json()) as { total: number };
      expect(total).toBe(0);
      expect((await other.create()).status).toBe(200);
      const { tokens } = (await (await fetch(`${other.url}/__admin/projects/p/tokens`)).json()) as {
        tokens: unknown[];
      };
      expect(tokens).toEqual([]);
    });

    it("does not see the projects of another contract", async () => {
      const share = ["--share", redis.url, "--share-prefix", "contracts"];
      const contract = `${repository}examples/petstore/petstore.yaml`;
      const [builtIn, pets] = await Promise.all([
        start({ args: share }),
        start({ args: [...share, "--contract", contract] }),
      ]);
      await builtIn.create();
      await fetch(`${pets.url}/q/pets`);
      for (const [{ url }, key] of [
        [builtIn, "p"],
        [pets, "q"],
      ] as const) {
        const { projects } = (await (await fetch(`${url}/__admin/projects`)).json()) as { projects: { key: string }[] };
        expect(projects.map((each) => each.key)).toEqual([key]);
      }
    });

    it("sets the time to live of each project, and its use by any replica renews it", async () => {
      const server = await start({ args: ["--share", redis.url, "--share-prefix", "ttl", "--share-ttl", "1000s"] });
      await server.create();
      // The first change stores the whole project, without revisions of its parts.
      await server.create();
      const documents = ["ttl:p:p", "ttl:revisions:p:p"];
      const left = () => Promise.all(documents.map(async (key) => Number(await redis.call("pttl", key))));
      const expectNew = async () => {
        for (const milliseconds of await left()) expect(milliseconds).toBeGreaterThan(900_000);
      };
      await expectNew();
      for (const milliseconds of await left()) expect(milliseconds).toBeLessThan(1_100_000);
      for (const key of documents) await redis.call("pexpire", key, "500000");

      const other = await openReplicas({ urls: [redis.url], prefix: "ttl", ttl: 1_000_000 });
      onTestFinished(() => other.close());
      await other.send("/__admin/projects/p");

      await expectNew();
    });

    it("forgets expired projects and their tokens, and keeps other ones", async () => {
      const server = await start({ args: ["--share", redis.url, "--share-prefix", "expired"] });
      await server.create();
      await fetch(`${server.url}/used/resource`, { method: "HEAD" });
      const issued = await fetch(`${server.url}/__admin/projects/p/tokens`, { method: "POST" });
      const { access_token: token } = (await issued.json()) as { access_token: string };
      await redis.call("pexpire", "expired:p:p", "0");
      await redis.call("pexpire", "expired:revisions:p:p", "0");

      const list = (await (await fetch(`${server.url}/__admin/projects`)).json()) as { projects: { key: string }[] };

      expect(list.projects.map(({ key }) => key)).toEqual(["used"]);
      expect(await redis.call("zrange", "expired:projects", "0", "-1")).toBe("used");
      const revoked = await fetch(`${server.url}/__admin/projects/p/tokens/${token}`, { method: "DELETE" });
      expect(revoked.status).toBe(404);
    });
  });
});
