import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { bind } from "../../src/http/listening.ts";
import { startResourceMock } from "../../src/index.ts";

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === "::1");

test.skipIf(!hasIpv6)("the host :: accepts IPv6 and IPv4", async () => {
  await using mock = await startResourceMock({ host: "::", https: true });
  for (const url of [mock.url, mock.httpsUrl]) expect(new URL(url).hostname).toBe("localhost");
  const { port } = new URL(mock.url);
  for (const host of ["127.0.0.1", "[::1]", "localhost"]) {
    expect((await fetch(`http://${host}:${port}/demo/resource`)).status).toBe(200);
  }
});

/** Returns a server of a machine on which `::` fails with this code. */
function serverWithout(code: string): Server {
  const server = createServer();
  const listen = server.listen.bind(server) as (...args: unknown[]) => Server;
  server.listen = (...[address, ready]: unknown[]) => {
    if ((address as { host: string }).host !== "::") return listen(address, ready);
    queueMicrotask(() => server.emit("error", Object.assign(new Error(code), { code })));
    return server;
  };
  return server;
}

test.each(["EAFNOSUPPORT", "EADDRNOTAVAIL", "EINVAL"])(
  "the host :: means every IPv4 address on a machine where it fails with %s",
  async (code) => {
    const server = serverWithout(code);
    expect(await bind(server, { host: "::", port: 0 })).toBeGreaterThan(0);
    expect(server.address()).toMatchObject({ address: "0.0.0.0" });
    server.close();
  },
);

test("a port in use on :: is an error", async () => {
  await expect(bind(serverWithout("EADDRINUSE"), { host: "::", port: 1 })).rejects.toThrow("port 1 is in use");
});
