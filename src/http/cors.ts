import { type Contract, cachedBy, MAX_LISTED } from "../contract/index.ts";
import { allowedOrigin, type Engine, header, type Origins, type ServiceRequest } from "../engine/index.ts";
import { type App, incomingRequest } from "./incoming.ts";
import { joinedNames, send } from "./outgoing.ts";

/** The origins of browser pages that may call the service and the control API. */
export interface Cors {
  readonly service: Origins;
  readonly control: Origins;
}

/**
 * Returns the setting for `--cors ORIGIN`: pages of this origin may call the service and the control API. Without an admin
 * token, `*` means pages of this machine for the control API: any page on the web could reset the mock otherwise.
 */
export function corsOf(origin: Origins, adminToken: string | undefined): Cors {
  return { service: origin, control: origin === "*" && adminToken === undefined ? "loopback" : origin };
}

/** The response headers that pages may read, in addition to those that browsers always expose. */
const exposed = (
  "Allow ETag Link Location Mock-Ignored Mock-Off-Contract Mock-Project Mock-Reason Mock-Request-Id Mock-Source " +
  "Preference-Applied Retry-After WWW-Authenticate X-RateLimit-Limit X-RateLimit-Remaining X-RateLimit-Reset"
).split(" ");

/** Returns the response headers that pages may read: also the first ones that the contract documents. */
const exposedBy = cachedBy(({ operations }: Contract): string => {
  const rules = operations.flatMap(({ responses }) => Object.values(responses));
  const documented = rules.flatMap(({ headers = {} }) => Object.keys(headers)).filter((name) => /^[\w-]+$/.test(name));
  const known = new Set(exposed.map((name) => name.toLowerCase()));
  const others = new Set(documented.map((name) => name.toLowerCase()).filter((name) => !known.has(name)));
  return [...exposed, ...[...others].slice(0, MAX_LISTED)].join(",");
});

const methods = "GET,HEAD,POST,PUT,PATCH,DELETE";

/**
 * Adds CORS headers to every response, and responds to preflight requests, and to other OPTIONS requests that no operation
 * handles.
 */
export function addCors(app: App, cors: Cors, engine: Engine): void {
  app.use(async (context, next) => {
    const { outgoing } = context.env ?? {};
    const origins = context.req.path.startsWith("/__admin/") ? cors.control : cors.service;
    const request = incomingRequest(context);
    const headers = originHeaders(allowedOrigin(origins, header(request, "origin")), exposedBy(engine.contract));
    const isPreflight = () => header(request, "access-control-request-method") !== undefined;
    const isOperation = () => engine.addressing.find(request.method, request.path).route?.operation !== undefined;
    if (request.method === "OPTIONS" && (isPreflight() || !isOperation())) {
      return send(context, { status: 204, headers: { ...headers, ...preflight(request) }, body: null });
    }
    // A response that is written to Node's response does not have the headers of Hono's context.
    if (outgoing) for (const name in headers) outgoing.setHeader(name, headers[name] as string);
    await next();
    if (outgoing) return;
    // The headers of a rule's response override these, as on a socket.
    for (const [name, value] of Object.entries(headers)) {
      const { headers } = context.res;
      if (name === "Vary") headers.set(name, joinedNames(headers.get(name) ?? [], value));
      else if (!headers.has(name)) headers.set(name, value);
    }
  });
}

/**
 * Returns the CORS headers for an allowed origin. Only pages of a named origin may send credentials, as browsers reject
 * `*` for requests with credentials.
 */
function originHeaders(allowed: string | undefined, exposed: string): Record<string, string> {
  if (allowed === undefined) return { Vary: "Origin" };
  const headers = { "Access-Control-Allow-Origin": allowed, "Access-Control-Expose-Headers": exposed };
  return allowed === "*" ? headers : { Vary: "Origin", "Access-Control-Allow-Credentials": "true", ...headers };
}

/**
 * Returns the headers of a preflight response. Each OPTIONS request counts as a preflight: no operation has this
 * method, and happy-dom under MSW drops the headers that identify a preflight.
 */
function preflight(request: ServiceRequest): Record<string, string> {
  const requested = header(request, "access-control-request-headers");
  return {
    "Access-Control-Allow-Methods": methods,
    ...(requested && { "Access-Control-Allow-Headers": requested }),
    "Access-Control-Max-Age": "600",
  };
}
