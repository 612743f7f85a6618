/**
 * Which pages may call, by the origin that their browser names: `*` for every page, an origin such as
 * `http://localhost:3000`, or `loopback` for the pages of this machine.
 */
export type Origins = string;

/**
 * Returns the value of `Access-Control-Allow-Origin` for pages of this origin; undefined if they may not call. A request
 * without an origin may be a page's too: under MSW, happy-dom does not send it.
 */
export function allowedOrigin(origins: Origins, origin: string | undefined): string | undefined {
  if (origins === "*") return "*";
  if (origins === "loopback") return origin !== undefined && isLoopback(origin) ? origin : undefined;
  return origin === undefined || origin === origins ? origins : undefined;
}

/** Names that browsers never look up elsewhere, and the addresses of this machine. */
function isLoopback(origin: string): boolean {
  const host = URL.parse(origin)?.hostname ?? "";
  return /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);
}
