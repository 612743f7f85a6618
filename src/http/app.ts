import { Hono } from "hono";
import { defectAnswer } from "../engine/answer.ts";
import type { Engine } from "../engine/engine.ts";
import { contractDocument } from "../fixtures/contract-document.ts";
import type { App } from "./incoming.ts";
import { addOAuth } from "./oauth.ts";
import { addService } from "./service.ts";

export interface AppOptions {
  version: string;
  /** Whether the server is stopping; health says so. */
  isDraining?: () => boolean;
}

/** The whole mock as a Hono app: the service, its token endpoint and the control API. */
export function createApp(engine: Engine, { version, isDraining = () => false }: AppOptions): App {
  const app: App = new Hono();
  const started = performance.now();
  app.get("/__admin/health", (context) => {
    const draining = isDraining();
    const uptime = Math.round((performance.now() - started) / 1000);
    return context.json({ status: draining ? "draining" : "ok", version, uptime }, draining ? 503 : 200);
  });
  app.get("/__admin/contract.json", (context) => context.json(contractDocument(engine.fixtures, version)));
  addOAuth(app, engine);
  addService(app, engine);
  app.onError((error) => {
    engine.onDefect(error);
    const { status, headers, body } = defectAnswer();
    return new Response(body, { status, headers });
  });
  return app;
}
