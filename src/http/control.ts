import { pipeline, Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { lazily, methodNotAllowed, OperationTrie, type ServiceError } from "../contract/index.ts";
import {
  type Control,
  type ControlResponse,
  failureProblem,
  loadOperations,
  problemResponse,
  refuseControl,
  type ServiceControls,
  serveControl,
  subjectsOf,
} from "../control/index.ts";
import { decodedSegments } from "../engine/index.ts";
import { type App, emptyApp, type HttpContext, incomingRequest } from "./incoming.ts";
import { SENT } from "./node-adapter.ts";
import { joinedNames } from "./outgoing.ts";
import { sendWhole } from "./unsent.ts";

interface ControlOptions extends Omit<Control, "operations" | "controls"> {
  readonly controls?: ServiceControls | undefined;
}

export function createControlHandler(options: ControlOptions): (context: HttpContext) => Promise<Response> {
  const app = createControlApp(options);
  const listener = lazily(async () => {
    const { controlListener } = await import("./control-listener.ts");
    return controlListener(app);
  });
  return async ({ req, env }) => {
    const { incoming, outgoing } = env ?? {};
    if (!incoming || !outgoing) return app.fetch(req.raw);
    await (await listener())(incoming, outgoing);
    return SENT;
  };
}

/** Creates the app of the control API. Other paths and methods return problem details (RFC 9457). */
function createControlApp({ controls, ...options }: ControlOptions): App {
  const control: Control = {
    ...options,
    operations: lazily(() => loadOperations(controls ?? {})),
    controls: lazily(async () => (await controls?.load()) ?? {}),
  };
  const subjects = subjectsOf(controls ?? {}).flatMap(({ paths, load }) => {
    const trie = lazily(async () => new OperationTrie(await load(), true));
    return paths.map((path) => ({ start: `/__admin${path}`.split("/").slice(1), trie }));
  });
  // The longest first, because the operations of others can have paths below those of a subject.
  subjects.sort((a, b) => b.start.length - a.start.length);
  const app = emptyApp();
  app.all("*", async (context) => {
    const request = incomingRequest(context);
    const segments = decodedSegments(request.path);
    const isStart = (start: readonly string[]) =>
      start.every((each, index) => each === segments[index] || (each === "*" && segments[index]));
    const trie = await subjects.find(({ start }) => isStart(start))?.trie();
    const route = trie?.find(request.method, segments);
    if (route?.operation) return send(context, await serveControl(control, route, request));
    const wrongMethod = route && methodNotAllowed(request.method, route.allow.join(", "));
    return send(context, await refuseControl(control, request, wrongMethod));
  });
  app.onError((error, context) => send(context, failureProblem(control, error)));
  return app;
}

/** Returns the response for a request that does not reach the app, with this status instead of that of the error. */
export function refusal(error: ServiceError, status: number) {
  const { headers, json } = problemResponse(error, { status });
  return { status, headers: { "Cache-Control": "no-store", ...headers }, body: JSON.stringify(json) };
}

/** Sends a response with `Cache-Control: no-store`, so that proxies and browsers never return outdated data. */
function send(context: HttpContext, { status, headers: given, json, content }: ControlResponse): Response {
  const body = json === undefined ? (content ?? null) : JSON.stringify(json);
  const type = json === undefined ? undefined : { "Content-Type": "application/json" };
  const outgoing = context.env?.outgoing;
  // On a socket, CORS has set `Vary` already, and the given value would replace it.
  const vary = given?.Vary && { Vary: joinedNames(given.Vary, outgoing?.getHeader("Vary") ?? []) };
  const headers = { "Cache-Control": "no-store", ...type, ...given, ...vary };
  if (!outgoing) return new Response(body, { status, headers });
  if (body instanceof ReadableStream) {
    // A stream that fails, such as that of a slow reader, is not an error of the server. Hono would log it as one.
    outgoing.writeHead(status, headers);
    pipeline(Readable.fromWeb(body as NodeReadableStream), outgoing, () => {});
  } else sendWhole(outgoing, { status, headers, body });
  return SENT;
}
