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
