import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { App } from "./incoming.ts";

export interface RunningServer {
  /** `http://host:port`, with an address that a client on this machine can use. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops taking requests, lets those under way finish for up to `drain` milliseconds, then ends their connections.
   * Calling it again waits for the same end.
   */
  close(drain?: number): Promise<void>;
}

/** How long requests under way may take to finish when the server stops: it is to be gone within a second. */
export const DRAIN_MS = 700;

/** Serves the app on a socket. Rejects with Node's error when it cannot listen. */
export async function listen(app: App, { port, host }: { port: number; host: string }): Promise<RunningServer> {
  // The globals of the process that embeds the mock are not ours to replace.
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false, hostname: "localhost" }));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { port: bound } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${reachable(host)}:${bound}`,
    port: bound,
    close(drain = DRAIN_MS) {
      closing ??= stop(server, drain);
      return closing;
    },
  };
}

function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

function stop(server: Server, drain: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), drain);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
