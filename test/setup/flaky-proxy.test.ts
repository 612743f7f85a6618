// @module-tag process
import { expect, it } from "vitest";
import { type FlakyProxy, openFlakyProxy } from "./flaky-proxy.ts";
import { openSocket, type RawSocket } from "./raw-socket.ts";
import { type RedisServer, useRedis } from "./redis.ts";
import { describeWithRedis } from "./requirements.ts";

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
