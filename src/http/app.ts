import { Hono } from "hono";
import { defectResponse } from "../call/response.ts";
import { lazily } from "../contract/lazily.ts";
import type { Health } from "../control/schemas.ts";
import type { Engine } from "../engine/engine.ts";
import { addCors, type Cors } from "./cors.ts";
import { FetchFailure } from "./faults.ts";
import type { App, HttpContext } from "./incoming.ts";
import { addOAuth } from "./oauth.ts";
import { addService } from "./service.ts";

export interface AppOptions {
  version: string;
  /** What callers of the control API must send as their bearer token; without it, anybody may call. */
  adminToken?: string;
  /** The pages of other origins that may call; none by default. */
  cors?: Cors;
  /** Loads the HTML of the dashboard. */
  dashboardPage: () => Promise<string>;
}

/** The whole mock as a Hono app: the service, its token endpoint and the control API. */
export function createApp(engine: Engine, options: AppOptions): App {
  const { version, adminToken, cors, dashboardPage } = options;
  const app: App = new Hono();
  if (cors) addCors(app, cors);

  const started = performance.now();
  const health = (): Health => {
    const uptime = Math.round((performance.now() - started) / 1000);
    return { status: engine.stopping.aborted ? "draining" : "ok", version, uptime };
  };
  addHealthCheck(app, health);
  // Loaded by the first call of anything but health: nothing of it is on the way to listening.
  const control = lazily(async () => {
    const { createControlApp } = await import("./control.ts");
    return createControlApp({ engine, version, health, adminToken, origins: cors?.control, dashboardPage });
  });
  app.all("/__admin/*", async ({ req, env }: HttpContext) => (await control()).fetch(req.raw, env));
  // Whoever types the address into a browser wants to see something; no client of the service asks for HTML.
  app.get("/", (context) => {
    if (!context.req.header("accept")?.includes("text/html")) return context.notFound();
    return context.body(null, 302, { Location: "/__admin/ui", Vary: "Accept" });
  });
  addOAuth(app, engine);
  addService(app, engine);
  app.onError((error) => {
    // Not an answer, but that there is none: what `fetch` in process is to reject with.
    if (error instanceof FetchFailure) throw error;
    engine.onDefect(error);
    const { status, headers, body, source } = defectResponse();
    return new Response(body, { status, headers: { ...headers, "Mock-Source": source, "Mock-Request-Id": "none" } });
  });
  return app;
}

/**
 * Answers health checks without the control API, which would be loaded by them: a container would be healthy 7 % later
 * (decision 0012). A query is left to the control API, which refuses it.
 */
function addHealthCheck(app: App, health: () => Health): void {
  app.get("/__admin/health", (context, next) => {
    if (context.req.url.includes("?")) return next();
    const body = health();
    return context.json(body, body.status === "ok" ? 200 : 503, { "Cache-Control": "no-store" });
  });
}
