import type { ErrorFacts } from "./error-form.ts";
import type { ErrorResponse } from "./error-response.ts";
import { MAX_DETAILS, MAX_PROBLEMS, MAX_TEXT } from "./limits.ts";
import { cut } from "./text/shown.ts";

/** A row of a catalogue. The meaning is Markdown. */
function error(status: number, meaning: string) {
  return { status, meaning };
}

/**
 * The error catalogue of the service: every code that an error body can contain, with its status.
 * The interface names only 409 (section 7). `npm run docs` lists all of them in docs/behaviour.md.
 */
export const errorCatalogue = {
  InvalidJsonInput: error(400, "The request body is not JSON."),
  InvalidInput: error(400, "The request is invalid as a whole: for example, the body is missing."),
  InvalidField: error(400, "A value violates the contract. `field` is the location of the value."),
  invalid_token: error(401, "The credentials are missing or malformed, or the token is unknown, expired or revoked."),
  insufficient_scope: error(403, "The token grants none of the required scopes."),
  ResourceNotFound: error(404, "No resource has this id or key."),
  EndpointNotFound: error(404, "No operation matches this path."),
  MethodNotAllowed: error(405, "The path does not support this method. `Allow` lists the supported methods."),
  ConcurrentModification: error(409, "The version in the request is stale. `currentVersion` is the stored version."),
  ContentTooLarge: error(413, "The request body is larger than the limit in the settings."),
  UnsupportedMediaType: error(415, "The operation does not accept this content type or content encoding."),
  TooManyRequests: error(429, "The client sends too many requests. `Retry-After` is the time to wait, in seconds."),
  General: error(500, "A scenario or rule simulates an error."),
  InvalidStub: error(500, "A rule, scenario or function has created an invalid response."),
  ServiceUnavailable: error(503, "The service or the state of the project is temporarily unavailable."),
  InsufficientStorage: error(507, "A limit of the server is reached, such as the size of the state."),
};

/** The error codes of requests that `--upstream` forwards. The interface does not have them. */
export const upstreamErrorCatalogue = {
  BadGateway: error(502, "The upstream cannot be reached, or its response is not HTTP."),
  GatewayTimeout: error(504, "The upstream has not responded within `--upstream-timeout`."),
  InvalidResponse: error(
    502,
    "The response of the upstream violates the contract. The journal shows this error; the client gets the upstream's response.",
  ),
};

/** The error codes of services that offer responses in several media types. The interface of the built-in one does not. */
const negotiationErrorCatalogue = {
  NotAcceptable: error(406, "The operation has no response in a media type that the header `Accept` allows."),
};

/** The error codes that only the control API returns. */
export const controlErrorCatalogue = {
  CrossOriginRequest: error(
    403,
    "A web page from another origin, or a browser that uses an unknown host name, cannot send this request.",
  ),
  RequestsMissing: error(408, "The expected requests did not arrive in time."),
  DuplicateValue: error(409, "Another resource already has this id or key."),
  LimitReached: error(409, "The call would exceed a limit."),
  NotRewindable: error(
    409,
    "The server cannot restore the earlier state, because the history lacks a change made since then.",
  ),
  PreconditionFailed: error(412, "The resource has changed: `If-Match` is not the current `ETag` of the resource."),
};

export type ErrorCode = keyof typeof errorCatalogue;
export type UpstreamErrorCode = keyof typeof upstreamErrorCatalogue;
/** Every error code that an operation can return. */
export type OperationErrorCode = ErrorCode | UpstreamErrorCode | keyof typeof negotiationErrorCatalogue;
export type ControlErrorCode = keyof typeof controlErrorCatalogue;

const catalogues = {
  ...errorCatalogue,
  ...upstreamErrorCatalogue,
  ...negotiationErrorCatalogue,
  ...controlErrorCatalogue,
};

/** One entry of the array `errors` in an error body. More members depend on the code (`field`, `currentVersion`, …). */
export interface ErrorDetail {
  code: OperationErrorCode | ControlErrorCode;
  message: string;
  /** The location: a JSON pointer into the body, or the name of a query parameter, path parameter or header. */
  field?: string;
  [member: string]: unknown;
}

/**
 * The only expected error type. The service and the control API convert it to an error body each. Any other thrown
 * error is a defect of resource-mock.
 */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: OperationErrorCode | ControlErrorCode;
  readonly details: ErrorDetail[];
  readonly headers: Record<string, string>;
  readonly status: number;

  /** `status` is that of the code, unless an operation declares another one for such errors. */
  constructor(details: ErrorDetail | ErrorDetail[], headers: Record<string, string> = {}, status?: number) {
    const all = Array.isArray(details) ? details : [details];
    const first = all[0];
    if (!first) throw new TypeError("a ServiceError needs at least one detail");
    const message = cut(first.message, MAX_TEXT);
    const others = `${all.length < MAX_PROBLEMS ? "" : "at least "}${all.length - 1}`;
    super(all.length === 1 ? message : `${message} (and ${others} more)`);
    this.code = first.code;
    this.details = all.slice(0, MAX_DETAILS).map((detail) => ({
      ...detail,
      message: cut(detail.message, MAX_TEXT),
      ...(detail.field !== undefined && { field: cut(detail.field, MAX_TEXT) }),
    }));
    this.headers = headers;
    this.status = status ?? catalogues[first.code].status;
  }
}

/** Returns the error detail of an invalid value. `field` is its location: a JSON pointer or the name of a parameter. */
export function invalidField(field: string, message: string): ErrorDetail {
  return { code: "InvalidField", message: field === "" ? message : `${field}: ${message}`, field };
}

/** Returns the error of a method that a path does not have. `allow` is the value of the header `Allow`. */
export function methodNotAllowed(method: string, allow: string): ServiceError {
  const message = `Method: expected ${allow.includes(",") ? "one of " : ""}${allow} for this path, found ${method}`;
  return new ServiceError({ code: "MethodNotAllowed", message }, { Allow: allow });
}

/** Returns the response body of an error; that of 401 and 403 has the members of RFC 6750 too. */
export function errorBody({ status, code, message, details }: ErrorFacts): ErrorResponse {
  const ofTokens = (status === 401 || status === 403) && { error: code, error_description: message };
  return { statusCode: status, message, errors: details, ...ofTokens };
}
