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
  if (origins === "loopback") return origin !== undefined && isLoopback(origin) ? origin : undefined;
  return origin === undefined || origin === origins ? origins : undefined;
}

/** Returns whether the host is a loopback address, or a name that browsers always resolve to one. */
function isLoopback(origin: string): boolean {
  const host = URL.parse(origin)?.hostname ?? "";
  return /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);
}
