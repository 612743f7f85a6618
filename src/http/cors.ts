import { allowedOrigin, type Origins } from "../call/origins.ts";
import type { App, HttpContext } from "./incoming.ts";

/** Which pages of other origins may call the service, and which the control API. */
export interface Cors {
  readonly service: Origins;
  readonly control: Origins;
}

/** Returns what `--cors ORIGIN` means: pages of this origin may call everything. */
export function corsOf(origin: Origins): Cors {
  return { service: origin, control: origin };
}

/** The headers of responses that a page may read, beyond those that every page may read. */
const exposed = [
  "Allow",
  "Location",
  "Mock-Request-Id",
  "Mock-Source",
  "Preference-Applied",
  "Retry-After",
  "WWW-Authenticate",
].join(",");

const methods = "GET,HEAD,POST,PUT,PATCH,DELETE";

/** Adds the headers of CORS to every response, and answers preflights. */
export function addCors(app: App, cors: Cors): void {
  app.use(async (context, next) => {
    const { incoming, outgoing } = context.env ?? {};
    const origins = context.req.path.startsWith("/__admin/") ? cors.control : cors.service;
    // Node has parsed the headers already; Hono would make a Headers object of them.
    const origin = incoming ? incoming.headers.origin : context.req.header("origin");
    const headers = pageHeaders(allowedOrigin(origins, origin));
    if (context.req.method === "OPTIONS") {
      return new Response(null, { status: 204, headers: { ...headers, ...preflight(context) } });
    }
    // Responses that are written to Node's own response never see Hono's headers.
    if (outgoing) for (const name in headers) outgoing.setHeader(name, headers[name] as string);
    await next();
    if (outgoing) return;
    // As on a socket, the headers of a rule's response win.
    for (const [name, value] of Object.entries(headers)) {
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    }
  });
}

type PageHeaders = Readonly<Record<string, string>>;

const ofEveryPage: PageHeaders = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": exposed };
const ofNoPage: PageHeaders = { Vary: "Origin" };

/** Only pages of a named origin may send credentials: browsers reject `*` for requests that carry them. */
function pageHeaders(allowed: string | undefined): PageHeaders {
  if (allowed === "*") return ofEveryPage;
  if (allowed === undefined) return ofNoPage;
  return {
    ...ofNoPage,
    "Access-Control-Allow-Origin": allowed,
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Expose-Headers": exposed,
  };
}

/** No operation has OPTIONS, so it is always a preflight: under MSW, happy-dom drops the headers that would tell. */
function preflight({ req }: HttpContext): Record<string, string> {
  const requested = req.header("access-control-request-headers");
  return {
    "Access-Control-Allow-Methods": methods,
    ...(requested && { "Access-Control-Allow-Headers": requested }),
    "Access-Control-Max-Age": "600",
  };
}
