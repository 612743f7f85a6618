/**
 * The way of a request: receive, decide, wait, respond, record. With the handlers of the operations (`operations`), the
 * request and response that they share (`call`), and tokens (`auth`).
 *
 * - *call*: a request in the pipeline, with the results so far
 * - *step*: a function that reads or changes projects; a home can undo it and run it again
 */

export { addFunction } from "./add-function.ts";
export { decodedSegments } from "./address.ts";
export { type Access, allowedOrigin, isRebound, isSameSecret, type Origins } from "./auth/access.ts";
export { oauthEndpoints, respondToOAuth } from "./auth/token-endpoint.ts";
export {
  DEFAULT_EXPIRES_IN,
  type IssuedToken,
  isExpired,
  projectsOf,
  scopeIn,
  shownScopes,
} from "./auth/tokens.ts";
export { type Call, type Forwarding, type Upstream, violate } from "./call/call.ts";
export { defectResponse, errorResponse, stateResponse } from "./call/response.ts";
export {
  contentLength,
  contentTooLarge,
  encodingProblem,
  header,
  mediaType,
  readJsonBody,
  refusedBody,
  type ServiceRequest,
} from "./call/service-request.ts";
export { ClientGone, wait } from "./call/wait.ts";
export { createEngine, type Engine } from "./engine.ts";
export type { CommonOptions } from "./engine-options.ts";
export { type Home, type HomeHealth, MemoryHome } from "./home.ts";
export { documentedResponse } from "./operations/documented.ts";
export { makingIn } from "./operations/find.ts";
export type { Handler } from "./operations/handlers.ts";
export { withKept } from "./operations/sent.ts";
export { createItem, readDraft, writeItem, writtenResponse } from "./operations/write.ts";
export type { Served } from "./record-exchange.ts";
export { serve } from "./serve-request.ts";
export { forwardUnmatched, isForwarded, refuse } from "./unmatched.ts";
export { bodyViolation } from "./validate.ts";
