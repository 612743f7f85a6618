import {
  arrayPieces,
  chunksOf,
  type ErrorDetail,
  invalidField,
  objectPieces,
  ServiceError,
  type UpstreamErrorCode,
  valuePieces,
} from "../contract/index.ts";
import type { Problem } from "./control-schemas.ts";

/** A response before it is sent: a JSON value, JSON text in pieces, content of another type, or no body. */
export interface ControlResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** JSON text in pieces. Can be iterated once. */
  readonly pieces?: Iterable<string>;
  readonly content?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

export function ok(json: unknown): ControlResponse {
  return { status: 200, json };
}

export function created(json: unknown, headers?: Record<string, string>): ControlResponse {
  return { status: 201, json, headers };
}

/**
 * Returns a list: the items under `name`, the number of all items as `total` (see `listOf`), and other members. The text is
 * created as the client reads it, so that the text of a large list is never in memory as a whole.
 */
export function list(name: string, items: Iterable<unknown>, total: number, more: object = {}): ControlResponse {
  const others = Object.entries({ total, ...more }).map(([member, value]) => [member, valuePieces(value)] as const);
  return { status: 200, pieces: objectPieces({ [name]: arrayPieces(items), ...Object.fromEntries(others) }) };
}

/** Returns the text as a stream of bytes. Pieces are created as the client reads, and other requests can run in between. */
export function streamOf(pieces: Iterable<string>): ReadableStream<Uint8Array> {
  const chunks = chunksOf(pieces);
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

/** Returns whether a client reads compressed content, from its header `Accept-Encoding`. */
export function acceptsGzip(header: (name: string) => string | undefined): boolean {
  return /\bgzip\b(?! *; *q=0(\.0*)? *(,|$))/i.test(header("accept-encoding") ?? "");
}

/** The title of each problem, by error code. */
const titles: Readonly<Record<Exclude<ErrorDetail["code"], UpstreamErrorCode>, string>> = {
  InvalidJsonInput: "Invalid JSON",
  InvalidInput: "Invalid request",
  InvalidField: "Invalid value",
  invalid_token: "Missing or invalid admin token",
  insufficient_scope: "Insufficient scope",
  ResourceNotFound: "Not found",
  EndpointNotFound: "Path not found",
  MethodNotAllowed: "Method not allowed",
  ConcurrentModification: "Version conflict",
  ContentTooLarge: "Body too large",
  UnsupportedMediaType: "Unsupported content type",
  TooManyRequests: "Too many requests",
  General: "Server error",
  InvalidStub: "Invalid stub",
  ServiceUnavailable: "Service unavailable",
  InsufficientStorage: "Insufficient storage",
  CrossOriginRequest: "Cross-origin request rejected",
  RequestsMissing: "Wait timed out",
  DuplicateValue: "Duplicate value",
  PreconditionFailed: "Precondition failed",
  LimitReached: "Limit reached",
  NotRewindable: "Not rewindable",
};

/** Returns the problem details (RFC 9457) of an error. */
export function problemOf(error: ServiceError): Problem {
  const located = error.details.filter(({ field }) => field !== undefined);
  return {
    type: `urn:resource-mock:problem:${error.code}`,
    title: titles[error.code as keyof typeof titles],
    status: error.status,
    detail: error.message,
    ...(located.length > 0 && { errors: located.map(locationOf) }),
  };
}

function locationOf({ message, field = "" }: ErrorDetail): NonNullable<Problem["errors"]>[number] {
  // A JSON pointer is empty or starts with a slash. The name of a parameter never does.
  return field === "" || field.startsWith("/")
    ? { detail: message, pointer: field }
    : { detail: message, parameter: field };
}

/** Returns the response for an error. `more` contains additional members of the problem. */
export function problemResponse(error: ServiceError, more: object = {}): ControlResponse {
  return problemDetails({ ...problemOf(error), ...more }, error.headers);
}

/** Returns the response for a defect of resource-mock itself. It contains no details of the machine. */
export function defectProblem(): ControlResponse {
  return problemDetails({
    type: "urn:resource-mock:problem:Defect",
    title: "Internal error",
    status: 500,
    detail: "resource-mock failed to handle this request. Its log contains the cause. Please report it.",
  });
}

function problemDetails(problem: Problem, headers: Readonly<Record<string, string>> = {}): ControlResponse {
  return { status: problem.status, json: problem, headers: { "Content-Type": "application/problem+json", ...headers } };
}

/** Returns the error for an unknown id, key or name in a path. */
export function notFound(message: string): ServiceError {
  return new ServiceError({ code: "ResourceNotFound", message });
}

/** Returns the error for an invalid value. `field` is a JSON pointer into the body, or the name of a parameter. */
export function invalid(field: string, message: string): ServiceError {
  return new ServiceError(invalidField(field, message));
}
