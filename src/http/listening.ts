import type { AddressInfo, Server } from "node:net";
import { clearTimer, setTimer } from "./node-adapter.ts";

export interface Address {
  port: number;
  host: string;
}

/**
 * Time limits for clients, in milliseconds. The server closes the connection of a slower client, with 408 if possible.
 */
export interface Timeouts {
  /** For sending the request line and the headers. */
  headers: number;
  /** For sending the whole request. */
  request: number;
  /** For a client that reads nothing while a response waits for it, or sends nothing of an incomplete request. */
  reading: number;
  /** The interval at which the server checks `headers` and `request`. */
  check: number;
}

/** The codes of Node's errors for `::` on a machine without IPv6. */
const noIpv6: ReadonlySet<string | undefined> = new Set(["EAFNOSUPPORT", "EADDRNOTAVAIL", "EINVAL"]);

/**
 * Makes the server listen. The host `::` means every address, also on a machine without IPv6. Returns the port. If the
 * server cannot listen, rejects with an error that says why, with the `code` of Node's error.
 */
export async function bind(server: Server, address: Address): Promise<number> {
  await listening(server, address)
    .catch((error: NodeJS.ErrnoException) => {
      if (address.host !== "::" || !noIpv6.has(error.code)) throw error;
      return listening(server, { ...address, host: "0.0.0.0" });
    })
    .catch((error: NodeJS.ErrnoException) => {
      throw Object.assign(new Error(listenErrorMessage(error, address), { cause: error }), { code: error.code });
    });
  return (server.address() as AddressInfo).port;
}

function listening(server: Server, address: Address): Promise<unknown> {
  server.listen(address);
  return process.getBuiltinModule("node:events").once(server, "listening");
}

/** Returns in one sentence why the server cannot listen, with a hint. */
function listenErrorMessage({ code, syscall, message }: NodeJS.ErrnoException, { port, host }: Address): string {
  const hint = "use 127.0.0.1 for this machine only, or :: for all networks";
  if (syscall === "getaddrinfo") return `the host "${host}" has no known address; ${hint}`;
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} is in use; use port 0 to pick a free port`;
    case "EACCES":
      return `this user may not listen on port ${port}; use a port above 1023`;
    case "EADDRNOTAVAIL":
      return `this machine does not have the address ${host}; ${hint}`;
    default:
      return message;
  }
}

/** Returns `host:port`, with an address that a client on this machine can use. */
export function reachable({ host, port }: Address): string {
  if (host === "0.0.0.0" || host === "::") return `localhost:${port}`;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Stops listening. Resolves when all connections have ended; after `drain` milliseconds, `closeAll` ends them. */
export function stop(server: Server, drain: number, closeAll: () => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimer(closeAll, drain);
    server.close(() => {
      clearTimer(timer);
      resolve();
    });
  });
}
