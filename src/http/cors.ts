import { cors } from "hono/cors";
import type { App } from "./incoming.ts";

/** What answers say in headers beyond those that a page may read anyway. */
const exposed = [
  "Allow",
  "Location",
  "Mock-Request-Id",
  "Mock-Source",
  "Preference-Applied",
  "Retry-After",
  "WWW-Authenticate",
];

/** Lets pages of this origin call, `*` for every one; answers their preflights. */
export function addCors(app: App, origin: string): void {
  app.use(cors({ origin, exposeHeaders: exposed, maxAge: 600 }));
  app.use(async ({ env, res }, next) => {
    // Answers that are written to Node's own response never see the headers that have been set so far.
    const outgoing = env?.outgoing;
    if (outgoing) for (const [name, value] of res.headers) outgoing.setHeader(name, value);
    if (outgoing && origin !== "*") outgoing.setHeader("Vary", "Origin");
    await next();
  });
}
