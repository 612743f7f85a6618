import { describe, expect, it } from "vitest";
import { type FlakyProxy, openFlakyProxy } from "./flaky-proxy.ts";
import { openSocket, type RawSocket } from "./raw-socket.ts";
import { type RedisServer, useRedis } from "./redis.ts";
import { describeWithRedis } from "./requirements.ts";

describeWithRedis("a store", () => {
  describe("with an append-only file", () => {
    const redis = useRedis({ appendOnly: true });

    it("keeps its data and its port over a kill", async () => {
      await redis.call("set", "a", "1");
      const { url } = redis;

      await redis.stop("SIGKILL");
      await redis.start();

      expect(await redis.call("get", "a")).toBe("1");
      expect(redis.url).toBe(url);
    });
  });

  describe("with a memory limit", () => {
    const redis = useRedis({ maxmemory: "1500kb" });

    it("rejects writes beyond the limit", async () => {
      // A script that has begun to write also completes beyond the limit.
      await redis.call("eval", "for i = 1, 1000 do redis.call('set', i, string.rep('x', 10000)) end", "0");

      expect(await redis.call("set", "a", "1")).toContain("OOM command not allowed");
    });
  });

  describe("with TLS and a password", () => {
    const redis = useRedis({ tls: true, password: "p@ss/word" });

    it("accepts encrypted connections with the password only", async () => {
      expect(await redis.call("ping")).toBe("PONG");
      expect(redis.url).toMatch(/^rediss:\/\/:p%40ss%2Fword@127\.0\.0\.1:\d+$/);
      const plain = await openSocket(`redis://127.0.0.1:${redis.port}`);
      plain.send("PING\r\n");
      expect((await plain.closed()).text).toBe("");
    });
  });
});

describeWithRedis("a flaky proxy before a store", () => {
  const redis = useRedis();

  it("passes commands and replies", async () => {
    const { client, proxy } = await connected(redis);

    client.send("SET a 1\r\nGET a\r\n");

    expect(await client.received(/\$1/)).toBe("+OK\r\n$1\r\n1\r\n");
    expect(proxy.connections).toBe(1);
  });

  it("withholds replies until it releases them", async () => {
    const { client, proxy } = await connected(redis);
    const arrived = proxy.hold("replies");

    client.send("INCR held\r\n");
    await arrived;

    expect(await redis.call("get", "held")).toBe("1");
    proxy.release();
    expect(await client.received(/\n/)).toBe(":1\r\n");
  });

  it("delays replies and keeps their order", async () => {
    const { client, proxy } = await connected(redis);
    proxy.delay("replies", 20);
    client.send("ECHO a\r\n");
    await expect.poll(() => redis.call("info", "commandstats")).toContain("cmdstat_echo:calls=1");
    proxy.delay("replies", 0);

    client.send("ECHO b\r\n");

    expect(await client.received(/b/)).toBe("$1\r\na\r\n$1\r\nb\r\n");
  });

  it("cuts a connection in the middle of a command, which the store does not run", async () => {
    const { client, proxy } = await connected(redis);
    const cut = proxy.cutIn("commands", "INCR");

    client.send("INCR cut-command\r\n");
    await cut;

    expect(await client.closed()).toEqual({ text: "", error: "ECONNRESET" });
    expect(await redis.call("exists", "cut-command")).toBe("0");
  });

  it("cuts a connection in the middle of a reply, after the store has run the command", async () => {
    const { client, proxy } = await connected(redis);
    const cut = proxy.cutIn("replies", "found it");

    client.send("SET cut-reply 1\r\nECHO 'found it'\r\n");
    await cut;

    const { text, error } = await client.closed();
    expect("+OK\r\n$8\r\nfound it\r\n").toContain(text);
    expect(error).toBe("ECONNRESET");
    expect(await redis.call("get", "cut-reply")).toBe("1");
  });

  it("resets all connections, and refuses new ones until it accepts them", async () => {
    const { client, proxy } = await connected(redis);
    proxy.refuse();
    expect((await client.closed()).error).toBe("ECONNRESET");
    const refused = openSocket(proxy.url).then((socket) => socket.closed());
    expect(await refused.catch(({ code }) => ({ error: code }))).toMatchObject({ error: "ECONNRESET" });

    proxy.accept();

    const again = await openSocket(proxy.url);
    again.send("PING\r\n");
    expect(await again.received(/\n/)).toBe("+PONG\r\n");
  });
});

async function connected(redis: RedisServer): Promise<{ client: RawSocket; proxy: FlakyProxy }> {
  const proxy = await openFlakyProxy(redis.url);
  return { proxy, client: await openSocket(proxy.url) };
}
