import { type ControlErrorCode, type OperationErrorCode, statusOf } from "./errors.ts";
import { MAX_DETAILS, MAX_PROBLEMS, MAX_TEXT } from "./limits.ts";
import { cut } from "./text/shown.ts";

/** One entry of the array `errors` in an error body. More members depend on the code (`field`, `currentVersion`, …). */
export interface ErrorDetail {
  code: OperationErrorCode | ControlErrorCode;
  message: string;
  /** The location: a JSON pointer into the body, or the name of a query parameter, path parameter or header. */
  field?: string;
  [member: string]: unknown;
}

/** The error body of every operation; 401 and 403 add the members of RFC 6750. */
export interface ErrorBody {
  statusCode: number;
  message: string;
  errors: ErrorDetail[];
  error?: string;
  error_description?: string;
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

  constructor(details: ErrorDetail | ErrorDetail[], headers: Record<string, string> = {}) {
    const all = Array.isArray(details) ? details : [details];
    const first = all[0];
    if (!first) throw new TypeError("a ServiceError needs at least one detail");
    const message = cut(first.message, MAX_TEXT);
    const others = `${all.length < MAX_PROBLEMS ? "" : "at least "}${all.length - 1}`;
    super(all.length === 1 ? message : `${message} (and ${others} more)`);
    this.code = first.code;
    this.details = all.slice(0, MAX_DETAILS).map(withinBounds);
    this.headers = headers;
  }

  get status(): number {
    return statusOf(this.code);
  }
}

/** Returns the error detail of an invalid value. `field` is its location: a JSON pointer or the name of a parameter. */
export function invalidField(field: string, message: string): ErrorDetail {
  return { code: "InvalidField", message: field === "" ? message : `${field}: ${message}`, field };
}

function withinBounds(detail: ErrorDetail): ErrorDetail {
  const { message, field } = detail;
  return { ...detail, message: cut(message, MAX_TEXT), ...(field !== undefined && { field: cut(field, MAX_TEXT) }) };
}

/** Returns the response body of an error. */
export function errorBody(error: ServiceError): ErrorBody {
  const body: ErrorBody = { statusCode: error.status, message: error.message, errors: error.details };
  if (error.status === 401 || error.status === 403) {
    body.error = error.code;
    body.error_description = error.message;
  }
  return body;
}
