/**
 * The way of a request: receive, decide, wait, respond, deliver. With the handlers of the operations (`operations`), the
 * request and response that they share (`call`), and tokens (`auth`).
 */

export { allowedOrigin, isSameSecret, type Origins } from "./auth/access.ts";
export { oauthEndpoints, respondToOAuth } from "./auth/token-endpoint.ts";
export {
  DEFAULT_EXPIRES_IN,
  type IssuedToken,
  isExpired,
  projectOfScope,
  projectsOf,
  scopeIn,
  shownScopes,
} from "./auth/tokens.ts";
export type { Call, Forwarding, Upstream } from "./call/call.ts";
export { defectResponse, errorResponse, pairsOf } from "./call/response.ts";
export {
  contentTooLarge,
  encodingProblem,
  header,
  mediaType,
  readJsonBody,
  refusedBody,
  type ServiceRequest,
} from "./call/service-request.ts";
export { ClientGone, wait } from "./call/wait.ts";
export { addFunction, type CommonOptions, createEngine, type Engine } from "./engine.ts";
export { type Home, type HomeHealth, MemoryHome } from "./home.ts";
export type { Served } from "./record-exchange.ts";
export { serve } from "./serve-request.ts";
export { forwardUnmatched, isForwarded, refuse } from "./unmatched.ts";
export { bodyViolation } from "./validate.ts";
