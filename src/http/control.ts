import { pipeline, Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { lazily, methodNotAllowed, type ServiceError } from "../contract/index.ts";
import {
  type Control,
  type ControlOperation,
  type ControlResponse,
  failureProblem,
  loadOperations,
  problemResponse,
  refuseControl,
  type ServiceControls,
  serveControl,
  subjectsOf,
} from "../control/index.ts";
import { type App, emptyApp, type HttpContext, incomingRequest } from "./incoming.ts";
import { SENT } from "./node-adapter.ts";
import { joinedNames } from "./outgoing.ts";
import { sendWhole } from "./unsent.ts";

interface ControlOptions extends Omit<Control, "operations" | "controls"> {
  readonly controls?: ServiceControls | undefined;
}

/** Creates the handler of all requests under `/__admin`. */
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
  const app = createApp(control);
  const routes = subjectsOf(controls ?? {}).flatMap(({ paths, load }) => {
    const subject = lazily(async () => createSubjectApp(control, await load()));
    return paths.map((path) => ({ pattern: `/__admin${path.replace("*", ":projectKey")}`, subject }));
  });
  // The longest first, because each pattern also matches the paths below it.
  for (const { pattern, subject } of routes.sort((a, b) => b.pattern.length - a.pattern.length)) {
    app.all(`${pattern}/*`, async ({ req, env }) => (await subject()).fetch(req.raw, env));
  }
  return app;
}

function createSubjectApp(control: Control, operations: readonly ControlOperation[]): App {
  const app = createApp(control);
  const routes = [...Map.groupBy(operations, ({ path }) => path)];
  // Fewer parameters come first, so that a literal segment wins over a parameter for every method.
  for (const [template, ofPath] of routes.sort(([a], [b]) => parametersIn(a) - parametersIn(b))) {
    const allow = ofPath.map(({ method }) => method).join(", ");
    app.all(template.replace(/\{(\w+)\}/g, ":$1"), async (context) => {
      const request = incomingRequest(context);
      const operation = ofPath.find(({ method }) => method === request.method);
      if (!operation)
        return send(context, await refuseControl(control, request, methodNotAllowed(request.method, allow)));
      const path = context.req.param() as Record<string, string>;
      return send(context, await serveControl(control, { operation, path }, request));
    });
  }
  return app;
}

function parametersIn(template: string): number {
  return template.split("{").length;
}

/** Returns an app that handles only errors and unknown paths. */
function createApp(control: Control): App {
  const app = emptyApp();
  app.notFound(async (context) => send(context, await refuseControl(control, incomingRequest(context))));
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
