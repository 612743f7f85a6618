import { performance } from "node:perf_hooks";
import { lazily } from "../contract/index.ts";
import type { Health, Pages, ServiceControls } from "../control/index.ts";
import { type Access, defectResponse, type Engine, header, isRebound } from "../engine/index.ts";
import { addCors, type Cors } from "./cors.ts";
import { type App, emptyApp, incomingRequest } from "./incoming.ts";
import { addOAuth } from "./oauth.ts";
import { FetchFailure, send, sendUnrecorded } from "./outgoing.ts";
import { addService } from "./service.ts";

export interface AppOptions extends Pick<Access, "adminToken" | "allowedHosts"> {
  version: string;
  /** The origins of browser pages that may call; by default, no other origin may. */
  cors?: Cors;
  /** The CA that signed the certificate of the server, as PEM, for `GET /__admin/ca.pem`. */
  caCertificate?: string;
  pages: Pages;
  /** What the service adds to the control API. */
  controls?: ServiceControls | undefined;
}

/** Creates the Hono app of the mock: the service, the OAuth endpoints and the control API. */
export function createApp(engine: Engine, options: AppOptions): App {
  const { version, cors } = options;
  const app = emptyApp();
  if (cors) addCors(app, cors, engine);

  const started = performance.now();
  const health = (): Health => {
    const uptime = Math.round((performance.now() - started) / 1000);
    if (engine.stopping.aborted) return { status: "draining", version, uptime };
    const { problem, ...details } = engine.home.health;
    if (problem !== undefined) return { status: "unavailable", problem, version, uptime };
    return { status: "ok", version, uptime, ...details };
  };
  const access = { ...options, origins: cors?.control };
  addHealthCheck(app, health, access);
  // The first call other than a health check loads the control API, so that the server listens earlier.
  const control = lazily(async () => {
    const { createControlHandler } = await import("./control.ts");
    return createControlHandler({ ...access, engine, health, controls: options.controls });
  });
  app.all("/__admin/*", async (context) => (await control())(context));
  // A browser that opens the address is redirected to the dashboard. Clients of the service do not request HTML.
  app.get("/", (context) => {
    if (!header(incomingRequest(context), "accept")?.includes("text/html")) return context.notFound();
    return send(context, { status: 302, headers: { Location: "/__admin/ui", Vary: "Accept" }, body: null });
  });
  addOAuth(app, engine);
  addService(app, engine);
  app.onError((error, context) => {
    // A broken connection has no response. In process, `fetch` rejects with this error.
    if (error instanceof FetchFailure) throw error;
    engine.onDefect(error);
    return sendUnrecorded(context, defectResponse());
  });
  return app;
}

/**
 * Adds the health check outside the control API. Otherwise the first health check loads the control API, and a
 * container is healthy 7 % later (decision 0012). A health check with a query, or of a browser with an unknown host name,
 * goes to the control API, which rejects it.
 */
function addHealthCheck(app: App, health: () => Health, access: Access): void {
  app.get("/__admin/health", (context, next) => {
    if (context.req.url.includes("?") || isRebound(incomingRequest(context), access)) return next();
    const body = health();
    const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
    return send(context, { status: body.status === "ok" ? 200 : 503, headers, body: JSON.stringify(body) });
  });
}
