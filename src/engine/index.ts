/**
 * The way of a request: receive, decide, wait, respond, deliver. With the handlers of the operations (`operations`), the
 * request and response that they share (`call`), and tokens (`auth`).
 */

export { addFunction } from "./add-function.ts";
export { isSameSecret } from "./auth/same-secret.ts";
export { type OAuthResponse, oauthEndpoints, respondToOAuth } from "./auth/token-endpoint.ts";
export {
  DEFAULT_EXPIRES_IN,
  type IssuedToken,
  isExpired,
  ownerOf,
  projectOfScope,
  scopeIn,
  shownScopes,
  timesIn,
} from "./auth/tokens.ts";
export { contentTooLarge, encodingProblem, readJsonBody, refusedBody } from "./call/body.ts";
export type { Call, Forwarding, Upstream } from "./call/call.ts";
export { allowedOrigin, type Origins } from "./call/origins.ts";
export { defectResponse, errorResponse, pairsOf } from "./call/response.ts";
export { header, mediaType, type ServiceRequest } from "./call/service-request.ts";
export { ClientGone } from "./call/slice.ts";
export { wait } from "./call/wait.ts";
export { type CommonOptions, createEngine, type Engine } from "./engine.ts";
export { type Home, type HomeHealth, MemoryHome } from "./home.ts";
export type { Served } from "./record-exchange.ts";
export { serve } from "./serve-request.ts";
export { forwardUnmatched, isForwarded, refuse } from "./unmatched.ts";
export { bodyViolation } from "./validate.ts";
