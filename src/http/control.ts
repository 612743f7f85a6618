import { pipeline, Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import type { Control } from "../control/operation.ts";
import { controlOperations } from "../control/operations.ts";
import type { ControlResponse } from "../control/response.ts";
import { failureProblem, refuseControl, serveControl } from "../control/serve.ts";
import { type App, type HttpContext, incomingRequest } from "./incoming.ts";
import { routesOf } from "./routes.ts";
import { methodNotAllowed } from "./service.ts";
import { isCounted, sendPieces } from "./unsent.ts";

/** Creates the app of the control API. Other paths and methods under `/__admin` return problem details (RFC 9457). */
export function createControlApp(options: Omit<Control, "operations">): App {
  const control: Control = { ...options, operations: controlOperations };
  // Hono's default router tries RegExpRouter at the first call, and RegExpRouter does not support these routes.
  const app: App = new Hono({ router: new TrieRouter() });
  for (const { pattern, operations, allow } of routesOf(controlOperations)) {
    app.all(pattern, async (context) => {
      const request = incomingRequest(context);
      const operation = operations.get(request.method);
      if (!operation) return send(context, refuseControl(control, request, methodNotAllowed(request.method, allow)));
      const path = context.req.param() as Record<string, string>;
      return send(context, await serveControl(control, { operation, path }, request));
    });
  }
  app.notFound((context) => send(context, refuseControl(control, incomingRequest(context))));
  app.onError((error, context) => send(context, failureProblem(control, error)));
  return app;
}

/** Sends a response with `Cache-Control: no-store`, so that proxies and browsers never return outdated data. */
function send(context: HttpContext, { status, headers: given, json, content }: ControlResponse): Response {
  const body = json === undefined ? (content ?? null) : JSON.stringify(json);
  const type = json === undefined ? undefined : { "Content-Type": "application/json" };
  const headers = { "Cache-Control": "no-store", ...type, ...given };
  const outgoing = context.env?.outgoing;
  if (outgoing && (typeof body === "string" || body instanceof Uint8Array) && isCounted(outgoing, body)) {
    outgoing.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
    void sendPieces(outgoing, body);
    return RESPONSE_ALREADY_SENT;
  }
  if (!outgoing || !(body instanceof ReadableStream)) return new Response(body, { status, headers });
  // A stream that fails, such as that of a slow reader, is not an error of the server. Hono would log it as one.
  outgoing.writeHead(status, headers);
  pipeline(Readable.fromWeb(body as NodeReadableStream), outgoing, () => {});
  return RESPONSE_ALREADY_SENT;
}
