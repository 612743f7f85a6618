import { header, type ServiceRequest } from "../call/service-request.ts";

/** Who may call the service and the control API: who knows a secret, and the pages of an allowed origin. */

/**
 * Returns whether the secrets are equal. The time of the comparison depends neither on the first difference nor on the
 * lengths.
 */
export function isSameSecret(sent: string, expected: string): boolean {
  // Loaded at the first use: it takes a twentieth of the time of a start.
  const { createHash, timingSafeEqual } = process.getBuiltinModule("node:crypto");
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(sent), hash(expected));
}

/**
 * The pages that may call the server, by the header `Origin`: `*` for every page, an origin such as
 * `http://localhost:3000`, or `loopback` for pages of this machine.
 */
export type Origins = string;

/**
 * Returns the value of `Access-Control-Allow-Origin` for pages of this origin; undefined if they may not call. `origin`
 * can be undefined for pages too, as happy-dom with MSW does not send it.
 */
export function allowedOrigin(origins: Origins, origin: string | undefined): string | undefined {
  if (origins === "*") return "*";
  if (origins !== "loopback") return origin === undefined || origin === origins ? origins : undefined;
  // The loopback addresses, and the names that browsers always resolve to one.
  const host = URL.parse(origin ?? "")?.hostname ?? "";
  return /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host) ? origin : undefined;
}

/** Who may call the control API. */
export interface Access {
  /** The required bearer token. Without it, calls need no token. */
  readonly adminToken?: string;
  /** Other origins whose pages can call operations that change data; none by default. */
  readonly origins?: Origins;
  /** Host names that browsers may use for the server, besides those that no other site can have. */
  readonly allowedHosts?: readonly string[];
}

/**
 * Returns whether a browser sent the request to a host name that another site can have. Such a site can point its name to
 * the address of the mock after its page has loaded (DNS rebinding), so the browser would treat that page as a page of the
 * mock. Returns false if an admin token is set, because such a page lacks the token.
 */
export function isRebound(request: ServiceRequest, { adminToken, origins, allowedHosts = [] }: Access): boolean {
  const [host, origin, site] = ["host", "origin", "sec-fetch-site"].map((name) => header(request, name));
  const isBrowser = origin ?? site ?? header(request, "user-agent")?.startsWith("Mozilla/");
  if (adminToken !== undefined || host === undefined || !isBrowser) return false;
  if (origin !== undefined && origins !== undefined && allowedOrigin(origins, origin) !== undefined) return false;
  const name = (URL.parse(`http://${host}`)?.hostname ?? host).replace(/\.$/, "");
  const isOwn = /^([^.]*|.+\.localhost|\d+(\.\d+){3})$/.test(name);
  return !isOwn && !allowedHosts.some((allowed) => allowed.toLowerCase() === name);
}
