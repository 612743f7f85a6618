import { cut } from "../text/shown.ts";
import { type ControlErrorCode, type ErrorCode, statusOf } from "./errors.ts";

/** One entry of the `errors` array in an error body. Further members depend on the code (`field`, `currentVersion`, …). */
export interface ErrorDetail {
  code: ErrorCode | ControlErrorCode;
  message: string;
  /** Where: a JSON pointer into the body, or the name of a query parameter, path parameter or header. */
  field?: string;
  [member: string]: unknown;
}

/** The error body of every operation (DESIGN section 3); 401 and 403 add the members of RFC 6750. */
export interface ErrorBody {
  statusCode: number;
  message: string;
  errors: ErrorDetail[];
  error?: string;
  error_description?: string;
}

/** At most this many details go into one body, so that an error never grows with the request that caused it. */
export const MAX_ERROR_DETAILS = 20;
/** Errors are counted up to this number: the search for problems ends there, so that its work does not grow either. */
export const MAX_PROBLEMS = 100;
/** Nor do its texts, which may hold what a client has sent: longer ones are cut. In UTF-16 units. */
const MAX_ERROR_TEXT = 1000;

/**
 * The one error type that the rules of the service throw; rendered in one place for the service and in one for the
 * control API. Anything else that is thrown is a defect of resource-mock itself.
 */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode | ControlErrorCode;
  readonly details: ErrorDetail[];
  readonly headers: Record<string, string>;

  constructor(details: ErrorDetail | ErrorDetail[], headers: Record<string, string> = {}) {
    const all = Array.isArray(details) ? details : [details];
    const first = all[0];
    if (!first) throw new TypeError("a ServiceError needs at least one detail");
    const message = cut(first.message, MAX_ERROR_TEXT);
    const others = `${all.length < MAX_PROBLEMS ? "" : "at least "}${all.length - 1}`;
    super(all.length === 1 ? message : `${message} (and ${others} more)`);
    this.code = first.code;
    this.details = all.slice(0, MAX_ERROR_DETAILS).map(withinBounds);
    this.headers = headers;
  }

  get status(): number {
    return statusOf(this.code);
  }
}

/** A value that is not what it should be. `field` is where it stands: a JSON pointer, or a parameter's name. */
export function invalidField(field: string, message: string): ErrorDetail {
  return { code: "InvalidField", message: field === "" ? message : `${field}: ${message}`, field };
}

function withinBounds(detail: ErrorDetail): ErrorDetail {
  const { message, field = "" } = detail;
  if (message.length <= MAX_ERROR_TEXT && field.length <= MAX_ERROR_TEXT) return detail;
  return {
    ...detail,
    message: cut(message, MAX_ERROR_TEXT),
    ...(field !== "" && { field: cut(field, MAX_ERROR_TEXT) }),
  };
}

/** The body that stands for the error on the wire. */
export function errorBody(error: ServiceError): ErrorBody {
  const body: ErrorBody = { statusCode: error.status, message: error.message, errors: error.details };
  if (error.status === 401 || error.status === 403) {
    body.error = error.code;
    body.error_description = error.message;
  }
  return body;
}
