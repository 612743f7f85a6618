import { once } from "node:events";
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import type { OperationId } from "../../../src/contract/known-service.ts";
import { operations } from "../../../src/services/generic-resource/operations.ts";

/** A request to a deviating service. */
export interface Call {
  readonly operation: OperationId | undefined;
  readonly method: string;
  /** The path without the query, encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The response of a deviating service. */
export interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** Sends the response in another way, such as only a part of it. */
  readonly send?: (response: ServerResponse, socket: Socket) => void;
}

/** Passes a request on to the mock. */
export type Next = (call?: Partial<Call>) => Promise<Answer>;

/** Changes one thing about the service: a request before the mock gets it, or a response of the mock. */
export type Deviate = (call: Call, next: Next) => Answer | Promise<Answer>;

export interface DeviatingService extends AsyncDisposable {
  readonly url: string;
}

/** Starts a proxy in front of a mock that deviates in one thing. */
export async function startDeviating(upstream: string, deviate: Deviate): Promise<DeviatingService> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer();

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? "/", upstream);
    const method = incoming.method ?? "GET";
    const call: Call = {
      operation: operationOf(method, url.pathname),
      method,
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: await buffer(incoming),
    };
    const next: Next = (changed = {}) => forward({ ...call, ...changed });
    const answer = await deviate(call, next);
    if (answer.send) return answer.send(outgoing, incoming.socket);
    outgoing.writeHead(answer.status, { ...answer.headers, "content-length": answer.body.length });
    outgoing.end(method === "HEAD" ? undefined : answer.body);
  }

  async function forward({ method, path, query, headers, body }: Call): Promise<Answer> {
    const { connection: _connection, "content-length": _length, "transfer-encoding": _encoding, ...rest } = headers;
    const text = query.size > 0 ? `?${query}` : "";
    const request = httpRequest(upstream + path + text, {
      method,
      agent,
      headers: { ...rest, "content-length": body.length },
    });
    request.end(body);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const received = await buffer(response);
    const { connection: _close, "keep-alive": _keep, "transfer-encoding": _chunked, ...kept } = response.headers;
    return { status: response.statusCode ?? 0, headers: kept, body: received };
  }

  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    respond(incoming, outgoing).catch((error: Error) => outgoing.destroy(error));
  };
  server.on("request", onRequest);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      agent.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

const routes = operations.map(({ id, method, path }) => ({
  id,
  method,
  pattern: new RegExp(`^${path.replace("key=", "key(?:=|%3D)").replace(/\{\w+\}/g, "[^/]+")}$`),
  literals: path.replace(/\{\w+\}/g, "").length,
}));
// Literal text has precedence over parameters.
routes.sort((a, b) => b.literals - a.literals);

function operationOf(method: string, path: string): OperationId | undefined {
  return routes.find((route) => route.method === method && route.pattern.test(path))?.id;
}
