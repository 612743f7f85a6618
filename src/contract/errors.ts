/**
 * The error catalogue of the service: every code that an error body can contain, with its status.
 * The interface names only 409 (section 7). `npm run docs` lists all of them in docs/behaviour.md.
 */
export const errorCatalogue = {
  InvalidJsonInput: { status: 400, meaning: "The request body is not JSON." },
  InvalidInput: {
    status: 400,
    meaning: "The request is invalid as a whole: for example, the body is missing.",
  },
  InvalidField: {
    status: 400,
    meaning: "A value violates the contract. `field` is the location of the value.",
  },
  invalid_token: { status: 401, meaning: "The bearer token is missing, malformed, unknown, expired or revoked." },
  insufficient_scope: { status: 403, meaning: "The token grants none of the required scopes." },
  ResourceNotFound: { status: 404, meaning: "No resource has this id or key." },
  EndpointNotFound: { status: 404, meaning: "No operation matches this path." },
  MethodNotAllowed: {
    status: 405,
    meaning: "The path does not support this method. `Allow` lists the supported methods.",
  },
  ConcurrentModification: {
    status: 409,
    meaning: "The version in the request is stale. `currentVersion` is the stored version.",
  },
  ContentTooLarge: { status: 413, meaning: "The request body is larger than the limit in the settings." },
  UnsupportedMediaType: {
    status: 415,
    meaning: "The operation does not accept this content type or content encoding.",
  },
  TooManyRequests: {
    status: 429,
    meaning: "The client sends too many requests. `Retry-After` is the time to wait, in seconds.",
  },
  General: { status: 500, meaning: "A scenario or rule simulates a server error." },
  InvalidStub: {
    status: 500,
    meaning: "A rule, scenario or function has created an invalid response.",
  },
  ServiceUnavailable: { status: 503, meaning: "The service or the state of the project is temporarily unavailable." },
  InsufficientStorage: {
    status: 507,
    meaning: "A limit of the server is reached, such as the size of the state.",
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

/** The error codes of requests that `--upstream` forwards. The interface does not have them. */
export const upstreamErrorCatalogue = {
  BadGateway: { status: 502, meaning: "The upstream cannot be reached, or its response is not HTTP." },
  GatewayTimeout: { status: 504, meaning: "The upstream has not responded within `--upstream-timeout`." },
  InvalidResponse: {
    status: 502,
    meaning:
      "The response of the upstream violates the contract. The journal shows this error; the client gets the upstream's response.",
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

/** The error codes that only the control API returns. */
export const controlErrorCatalogue = {
  CrossOriginRequest: { status: 403, meaning: "A web page from another origin cannot send this request." },
  RequestsMissing: { status: 408, meaning: "The expected requests did not arrive in time." },
  DuplicateValue: { status: 409, meaning: "Another resource already has this id or key." },
  LimitReached: { status: 409, meaning: "The call would exceed a limit." },
  NotRewindable: {
    status: 409,
    meaning: "The server cannot restore the earlier state, because the history lacks a change made since then.",
  },
  PreconditionFailed: {
    status: 412,
    meaning: "The resource has changed: `If-Match` is not the current `ETag` of the resource.",
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errorCatalogue;
export type UpstreamErrorCode = keyof typeof upstreamErrorCatalogue;
/** Every error code that an operation can return. */
export type OperationErrorCode = ErrorCode | UpstreamErrorCode;
export type ControlErrorCode = keyof typeof controlErrorCatalogue;

/** Returns the HTTP status of an error with this code. */
export function statusOf(code: OperationErrorCode | ControlErrorCode): number {
  return catalogues[code].status;
}

const catalogues = { ...errorCatalogue, ...upstreamErrorCatalogue, ...controlErrorCatalogue };
