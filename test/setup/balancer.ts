import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createRandom } from "../../src/project/random.ts";
import { seed as seedOfRun } from "./runs.ts";

/** A load balancer that sends each request to a random replica, also the requests of one connection. */
export interface Balancer {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** The latest picks, oldest first: the number of the replica, and the method and path of the request. */
  readonly picks: readonly string[];
  /** Sets the seed of the further picks. */
  seed(seed: string): void;
  /** Replaces the server of a replica, for further requests. */
  replace(replica: number, url: string): void;
  close(): Promise<void>;
}

/** The most picks in `picks`. */
const KEPT = 200;

const REQUEST_LINE = /^[A-Z]+ \S+ HTTP\/1\.[01]\r\n/;

/**
 * Opens a balancer before these servers. The same seed and requests result in the same picks.
 *
 * The balancer passes bytes unchanged, so that streams, broken responses and aborted requests keep their form. It does
 * not support pipelining: after a response has begun, a chunk that starts with a request line is the next request.
 */
export async function openBalancer(urls: readonly string[], seed: string): Promise<Balancer> {
  const ports = urls.map(portOf);
  let random = createRandom(`${seedOfRun} ${seed}`);
  const picks: string[] = [];
  const clients = new Set<Socket>();

  function pick(request: string): number {
    const replica = Math.floor(random() * ports.length);
    picks.push(`${replica} ${request}`);
    if (picks.length > KEPT) picks.shift();
    return ports[replica] ?? 0;
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    clients.add(client);
    let replica: Socket | undefined;
    let hasResponse = false;

    function openReplica(request: string): Socket {
      // The response of the request before is complete.
      replica?.end();
      hasResponse = false;
      const socket = connect({ port: pick(request), host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
      const isCurrent = () => replica === socket;
      socket.on("data", (bytes: Buffer) => {
        if (!isCurrent()) return;
        hasResponse = true;
        if (!client.write(bytes)) socket.pause();
      });
      socket.on("drain", () => client.resume());
      socket.on("end", () => isCurrent() && client.end());
      socket.on("error", () => isCurrent() && client.resetAndDestroy());
      return socket;
    }

    client.on("data", (bytes: Buffer) => {
      const [line] = REQUEST_LINE.exec(bytes.toString("latin1", 0, bytes.indexOf("\r\n") + 2)) ?? [];
      if (!replica || (hasResponse && line)) replica = openReplica(line?.split(" ", 2).join(" ") ?? "");
      if (!replica.write(bytes)) client.pause();
    });
    client.on("drain", () => replica?.resume());
    client.on("end", () => (replica ?? client).end());
    client.on("error", () => replica?.resetAndDestroy());
    client.on("close", () => {
      clients.delete(client);
      replica?.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    picks,
    seed(next) {
      random = createRandom(`${seedOfRun} ${next}`);
    },
    replace(replica, url) {
      ports[replica] = portOf(url);
    },
    async close() {
      for (const client of clients) client.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
