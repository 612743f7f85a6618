import type { IncomingMessage } from "node:http";
import { request as requestOverHttps, Agent as SecureAgent } from "node:https";
import { pipeline } from "node:stream/promises";
import { ServiceError } from "../../contract/index.ts";
import { clearTimer, http, setTimer } from "../node-adapter.ts";
import type { Address } from "./upstream-address.ts";

interface Outbound {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Record<string, string | string[]>;
  /** A body in pieces is sent as fast as the upstream reads. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** Aborts when nobody needs the response any more. */
  readonly signal: AbortSignal;
  /** The longest time without progress, in milliseconds. */
  readonly timeout: number;
}

/**
 * Sends a request to the upstream. Resolves with the head of the response. Rejects with BadGateway or GatewayTimeout, or
 * with the reason of the signal.
 */
export type Send = (outbound: Outbound) => Promise<IncomingMessage>;

/**
 * Returns the sender for an address. Each request has a connection of its own: a kept connection that the service closes
 * at the same moment would fail a request that it never received (decision 0017).
 */
export function createSender({ isSecure, host, port, ca }: Address): Send {
  const agent = isSecure ? new SecureAgent({ keepAlive: false, ca }) : new http.Agent({ keepAlive: false });
  const request = isSecure ? requestOverHttps : http.request;
  return ({ method, path, headers, body, signal, timeout }) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const outgoing = request({ agent, host, port, method, path, headers, setHost: false });
      const abort = () => outgoing.destroy();
      signal.addEventListener("abort", abort);
      const deadline = createDeadline(timeout, () => outgoing.destroy(new TimedOut()));
      const finish = () => {
        deadline.end();
        signal.removeEventListener("abort", abort);
      };
      outgoing.once("response", (incoming) => {
        finish();
        resolve(incoming);
      });
      outgoing.on("error", (error) => {
        finish();
        reject(signal.aborted ? signal.reason : failureOf(error, timeout));
      });
      outgoing.once("close", () => {
        finish();
        // Node closes the connection without an error after 101. Later calls of `reject` have no effect.
        const closed = Object.assign(new Error("closed"), { code: "ECONNRESET" });
        reject(signal.aborted ? signal.reason : failureOf(closed, timeout));
      });
      if (body instanceof Uint8Array) outgoing.end(body);
      else pipeline(watched(body, deadline.restart), outgoing).catch(() => outgoing.destroy());
    });
}

/** Yields the pieces of a body, and calls a function for each. */
async function* watched(body: AsyncIterable<Uint8Array>, onProgress: () => void): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    onProgress();
    yield piece;
  }
  onProgress();
}

class TimedOut extends Error {}

/** Calls a function after some milliseconds without a restart. */
export function createDeadline(ms: number, onEnd: () => void): { restart(): void; pause(): void; end(): void } {
  let timer = setTimer(onEnd, ms);
  let hasEnded = false;
  return {
    restart() {
      clearTimer(timer);
      if (!hasEnded) timer = setTimer(onEnd, ms);
    },
    pause: () => clearTimer(timer),
    end() {
      hasEnded = true;
      clearTimer(timer);
    },
  };
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "it refused the connection",
  ENOTFOUND: "its host name is unknown",
  EAI_AGAIN: "its host name cannot be resolved now",
  ECONNRESET: "it closed the connection before its response",
  EPIPE: "it closed the connection before its response",
  EHOSTUNREACH: "its host cannot be reached",
  ENETUNREACH: "its network cannot be reached",
  HPE_HEADER_OVERFLOW: "the headers of its response are too large",
};

/** Returns the error for a request without a response. Its message has no address, as the address is the operator's. */
function failureOf(error: Error & { code?: string }, timeout: number): ServiceError {
  if (error instanceof TimedOut || error.code === "ETIMEDOUT") {
    const message = `The upstream: expected a response within ${timeout} ms, found none`;
    return new ServiceError({ code: "GatewayTimeout", message });
  }
  const reason = `The upstream: expected a response, found none: ${reasonOf(error)}`;
  return new ServiceError({ code: "BadGateway", message: reason });
}

export function reasonOf({ code = "", message }: Error & { code?: string }): string {
  const known = reasons[code];
  if (known !== undefined) return `${known} (${code})`;
  if (code.startsWith("HPE_")) return `its response is not valid HTTP (${code})`;
  if (/CERT|SELF_SIGNED|VERIFY|ISSUER/.test(code)) {
    return `its certificate is not valid (${code}). --upstream-ca names the CA of its certificate.`;
  }
  if (/SSL|TLS|EPROTO/.test(code))
    return `TLS failed (${code}). Check whether its address starts with http: or https:.`;
  return code === "" ? message : `the connection failed (${code})`;
}
