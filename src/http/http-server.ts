import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import {
  DRAIN_MS,
  type ErrorContract,
  errorBody,
  errorForm,
  errorText,
  HEADERS_TIMEOUT_MS,
  IDLE_TIMEOUT_MS,
  MAX_PIPELINED,
  REQUEST_TIMEOUT_MS,
  ServiceError,
} from "../contract/index.ts";
import type { HttpsIdentity, HttpsServer } from "./https.ts";
import type { App } from "./incoming.ts";
import { type Address, bind, reachable, stop, type Timeouts } from "./listening.ts";
import { expectations, http, nodeListener, type Refuse } from "./node-adapter.ts";
import { headerText } from "./outgoing.ts";
import { sendWhole } from "./unsent.ts";

export type RunningServer = Awaited<ReturnType<typeof listen>>;

interface ListenOptions extends Address {
  /** The port and the certificate for HTTPS; by default, the server speaks only HTTP. */
  https?: HttpsIdentity & { readonly port: number };
  timeouts?: Partial<Timeouts>;
  /** The contract whose form errors have that occur before a request reaches the app; by default, that of the mock. */
  contract?: ErrorContract;
}

const defaultTimeouts: Timeouts = {
  headers: HEADERS_TIMEOUT_MS,
  request: REQUEST_TIMEOUT_MS,
  reading: IDLE_TIMEOUT_MS,
  check: 5_000,
};

/** Serves the app on a port. If the server cannot listen, rejects with an error that has the `code` of Node's error. */
export async function listen(app: App, { port, host, https, ...options }: ListenOptions) {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const { headers, request, reading, check } = timeouts;
  const listener = nodeListener(app, refuseWith(options.contract));
  const { inTurn, latest } = turns();
  const server = http.createServer(
    {
      headersTimeout: headers,
      requestTimeout: request,
      connectionsCheckingInterval: check,
      // The listener refuses requests without this header itself, with an error that says so.
      requireHostHeader: false,
    },
    inTurn(listener),
  );
  for (const event of expectations) server.on(event, inTurn(listener));
  server.timeout = reading;
  server.on("timeout", (socket) => {
    // A connection may be quiet while its request is in progress, such as a delayed response or an event stream.
    const response = latest.get(socket);
    const isHandling = response?.writableFinished === false;
    // The rest of a request is still to come, and the server waits for it.
    const isSilent = isHandling && !response.req.complete && response.req.readableLength === 0;
    if (isSilent && !response.headersSent) socket.end(requestTimeout, () => socket.destroy());
    else if (isSilent || !isHandling || socket.writableLength > 0) socket.destroy();
  });
  const bound = await bind(server, { port, host });
  const closeAll = () => server.closeAllConnections();
  let secure: HttpsServer | undefined;
  try {
    if (https) {
      const { listenSecurely } = await import("./https.ts");
      secure = await listenSecurely({ ...https, host, timeouts, http1: server, handle: listener });
    }
  } catch (error) {
    await stop(server, 0, closeAll);
    throw error;
  }
  let closing: Promise<void> | undefined;
  return {
    /** `http://host:port`, with an address that a client on this machine can use. */
    url: `http://${reachable({ host, port: bound })}`,
    port: bound,
    /** `https://host:port`, if the server also speaks HTTPS. */
    httpsUrl: secure && `https://${reachable({ host, port: secure.port })}`,
    /**
     * Stops accepting requests and waits up to `drain` milliseconds for requests in progress. Then closes all
     * connections. A second call returns the promise of the first.
     */
    close(drain = DRAIN_MS): Promise<void> {
      closing ??= Promise.all([stop(server, drain, closeAll), secure?.close(drain)]).then(() => {});
      return closing;
    },
  };
}

/** The response to a client that has stopped sending its request. */
const requestTimeout = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n";

/**
 * Returns `inTurn` and `latest`. `inTurn` handles the requests of a connection one after the other, so that a client
 * that sends many requests and reads no response has a single response in memory. `latest` has the latest response of
 * each connection.
 */
function turns() {
  const latest = new WeakMap<Socket, ServerResponse>();
  const waiting = new WeakMap<Socket, number>();
  const inTurn = (handle: RequestListener) => (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    latest.set(socket, outgoing as ServerResponse);
    // Node assigns the socket to a response when the earlier responses have been sent.
    if (outgoing.socket) return handle(incoming, outgoing as never);
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count > MAX_PIPELINED) return socket.destroy();
    outgoing.once("socket", () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      queueMicrotask(() => handle(incoming, outgoing as never));
    });
  };
  return { inTurn, latest };
}

/** A target under `/__admin`. */
const controlTarget = /^(https?:\/\/[^/?#]*)?\/__admin([/?#\\]|$)/;

/**
 * Returns a function that sends an error to a request that does not reach the app: in the form of the control API if the
 * target is part of it, else in that of the contract.
 */
function refuseWith(contract: ErrorContract = { errorBody, operations: [] }): Refuse {
  return ({ url = "" }, outgoing, message, status = 400) => {
    const error = new ServiceError({ code: "InvalidInput", message });
    if (controlTarget.test(url)) {
      import("./control.ts").then(
        ({ refusal }) => sendWhole(outgoing, refusal(error, status)),
        (failure) => outgoing.destroy(failure),
      );
      return;
    }
    const { code, details } = error;
    const form = errorForm(contract, { status, code, message, details });
    const { mediaType, isOffContract } = form;
    const headers = {
      "Content-Type": mediaType,
      ...{ "Mock-Source": "error", "Mock-Request-Id": "none", "Mock-Project": "none" },
      "Mock-Reason": headerText(message),
      ...(isOffContract && { "Mock-Off-Contract": "true" }),
    };
    sendWhole(outgoing, { status, headers, body: errorText(form) ?? "" });
  };
}
