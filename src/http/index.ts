/**
 * The server: Hono, sockets, TLS, HTTP/2, CORS, the token endpoint, broken responses, and the real service behind
 * `--upstream`. `tls` and `upstream` load on demand.
 *
 * - *recorder*: what turns responses of the real service into fixtures, for `upstreamMode: record`
 */

export { createAccessLog } from "./access-log.ts";
export { createApp } from "./app.ts";
export { corsOf } from "./cors.ts";
export { listen } from "./http-server.ts";
