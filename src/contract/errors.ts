/**
 * The error catalogue of the service: every code that a body of this service's errors can hold, with its status.
 * The interface names only 409 (section 7); the rest is DESIGN's choice, repeated in the README and tested equal to it.
 */
export const errorCatalogue = {
  InvalidJsonInput: { status: 400, meaning: "The body is not JSON." },
  InvalidInput: { status: 400, meaning: "The request as a whole cannot be understood." },
  InvalidField: { status: 400, meaning: "One value breaks the contract; `field` names its place." },
  invalid_token: { status: 401, meaning: "The bearer token is missing, malformed, unknown, expired or revoked." },
  insufficient_scope: { status: 403, meaning: "The token does not grant a scope that the operation asks for." },
  ResourceNotFound: { status: 404, meaning: "There is no resource with this id or key." },
  EndpointNotFound: { status: 404, meaning: "The path is none of the interface's." },
  MethodNotAllowed: { status: 405, meaning: "The path exists, with other methods; `Allow` names them." },
  ConcurrentModification: { status: 409, meaning: "The version sent is stale; `currentVersion` holds the actual one." },
  ContentTooLarge: { status: 413, meaning: "The body is larger than the settings allow." },
  UnsupportedMediaType: {
    status: 415,
    meaning: "The body's content type is not one that the operation takes, or the body is encoded.",
  },
  TooManyRequests: { status: 429, meaning: "The client is asked to slow down; `Retry-After` says for how long." },
  General: { status: 500, meaning: "A server error that a scenario asked for." },
  ServiceUnavailable: { status: 503, meaning: "The service, or this project's state, cannot answer right now." },
  InsufficientStorage: {
    status: 507,
    meaning: "The state of all projects, the number of projects or a response reached its limit; the message names it.",
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

/** Codes that only the control API's errors have: no client of the service sees them. */
export const controlErrorCatalogue = {
  CrossOriginRequest: { status: 403, meaning: "A page of another origin may not change anything here." },
  RequestsMissing: { status: 408, meaning: "The requests that were waited for have not arrived in time." },
  DuplicateValue: { status: 409, meaning: "An id or key is another resource's already." },
  LimitReached: { status: 409, meaning: "There are as many of these as there may be." },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errorCatalogue;
export type ControlErrorCode = keyof typeof controlErrorCatalogue;

/** The HTTP status of an error with this code. */
export function statusOf(code: ErrorCode | ControlErrorCode): number {
  return catalogues[code].status;
}

const catalogues = { ...errorCatalogue, ...controlErrorCatalogue };
