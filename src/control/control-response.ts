import { Duplex } from "node:stream";
import { promisify } from "node:util";
import {
  arrayPieces,
  chunksOf,
  type ErrorDetail,
  findProblems,
  invalidField,
  mapValues,
  objectPieces,
  type Schema,
  ServiceError,
  type UpstreamErrorCode,
  valuePieces,
} from "../contract/index.ts";
import { header, type ServiceRequest } from "../engine/index.ts";
import type { Problem } from "./control-schemas.ts";
import type { ControlOperation } from "./define-operation.ts";

/** A response before it is sent: a JSON value, JSON text in pieces, content of another type, or no body. */
export interface ControlResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** JSON text in pieces. Can be iterated once. */
  readonly pieces?: Iterable<string>;
  readonly content?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

/** Returns headers for bytes that a client sent. With these headers, no browser runs the bytes as a page of this origin. */
export function bytesHeaders(contentType: string): Record<string, string> {
  return {
    "Content-Type": contentType,
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
  };
}

export function ok(json: unknown): ControlResponse {
  return { status: 200, json };
}

export function created(json: unknown, headers?: Record<string, string>): ControlResponse {
  return { status: 201, json, headers };
}

/** Returns a list: the items under `name`, the number of all items as `total` (see `listOf`), and other members. */
export function list(name: string, items: readonly unknown[], total = items.length, more = {}): ControlResponse {
  return inPieces({ [name]: items, total, ...more });
}

/** Returns a JSON object. The text of its lists is created as the client reads it, so it is never in memory as a whole. */
export function inPieces(members: object): ControlResponse {
  const pieces = mapValues({ ...members }, (value) => (Array.isArray(value) ? arrayPieces(value) : valuePieces(value)));
  return { status: 200, pieces: objectPieces(pieces) };
}

/** Returns whether a client reads compressed content, from its header `Accept-Encoding`. */
export function acceptsGzip(header: (name: string) => string | undefined): boolean {
  return /\bgzip\b(?! *; *q=0(\.0*)? *(,|$))/i.test(header("accept-encoding") ?? "");
}

/** Returns the entity tag (RFC 9110, 8.8.3) of a text. */
export function tagOf(text: string): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return `"${createHash("sha256").update(text).digest("base64url").slice(0, 24)}"`;
}

const titles: Readonly<Record<Exclude<ErrorDetail["code"], UpstreamErrorCode>, string>> = {
  InvalidJsonInput: "Invalid JSON",
  InvalidInput: "Invalid request",
  InvalidField: "Invalid value",
  invalid_token: "Missing or invalid admin token",
  insufficient_scope: "Insufficient scope",
  ResourceNotFound: "Not found",
  EndpointNotFound: "Path not found",
  MethodNotAllowed: "Method not allowed",
  NotAcceptable: "Not acceptable",
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

/** Returns the response for an error: problem details (RFC 9457). `more` contains additional members of the problem. */
export function problemResponse({ code, status, message, details, headers }: ServiceError, more = {}): ControlResponse {
  const errors = details.flatMap(({ message: detail, field }) => {
    if (field === undefined) return [];
    // A JSON pointer is empty or starts with a slash. The name of a parameter never does.
    return field === "" || field.startsWith("/") ? { detail, pointer: field } : { detail, parameter: field };
  });
  const problem = {
    type: `urn:resource-mock:problem:${code}`,
    title: titles[code as keyof typeof titles],
    status,
    detail: message,
    ...(errors.length > 0 && { errors }),
  };
  return problemDetails({ ...problem, ...more }, headers);
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

/** Returns the response. Throws an Error if the operation does not declare its status, or if it violates the schema. */
export async function checked(operation: ControlOperation, response: ControlResponse): Promise<ControlResponse> {
  const { id, responses } = operation;
  const { status, json } = response;
  const { mediaType, schema } = responses[status] ?? {};
  if (!responses[status]) throw new Error(`${id}: expected a declared status, found ${status}`);
  const pieces = response.pieces && [...response.pieces];
  const text = pieces?.join("") ?? JSON.stringify(json);
  const isLines = mediaType === "application/x-ndjson";
  const values = isLines ? text.trimEnd().split("\n") : text === undefined ? [] : [text];
  for (const value of schema ? values : []) {
    const [problem] = await findProblems(schema as Schema, JSON.parse(value));
    if (problem) throw new Error(`${id} ${status}: ${problem.pointer}: ${problem.message}`);
  }
  return pieces ? { ...response, pieces } : response;
}

/** The length of a JSON text that is sent as it is, in UTF-16 units: compression would make it hardly smaller. */
const SHORT = 1400;
/**
 * The length of a text in pieces that is sent as a stream, in UTF-16 units. A shorter one is sent with its length. A
 * longer text in one piece is not compressed: many of them that wait for compression would fill the memory.
 */
const LONG = 64 * 1024;

/** A compressed stream with these options takes 40 KB instead of 260 KB, for as long as its client reads. */
const SMALL = { windowBits: 12, memLevel: 5 };

/** Returns the response with its JSON as text, or as a stream if it is long: compressed if the client accepts that. */
export async function sendable(
  { json, pieces, ...rest }: ControlResponse,
  request: ServiceRequest,
): Promise<ControlResponse> {
  if (json === undefined && !pieces) return rest;
  const headers = { "Content-Type": "application/json", ...rest.headers };
  const content = pieces ? textOrStream(pieces) : JSON.stringify(json);
  const isPlain = typeof content === "string" && (content.length < SHORT || content.length > LONG);
  if (isPlain || headers["Content-Type"] !== "application/json" || !acceptsGzip((name) => header(request, name))) {
    return { ...rest, headers, content };
  }
  const { createGzip, gzip } = await import("node:zlib");
  const compressed =
    typeof content === "string"
      ? new Uint8Array(await promisify(gzip)(content))
      : content.pipeThrough<Uint8Array>(Duplex.toWeb(createGzip(SMALL)) as ReadableWritablePair);
  return { ...rest, headers: { ...headers, "Content-Encoding": "gzip" }, content: compressed };
}

function textOrStream(pieces: Iterable<string>): string | ReadableStream<Uint8Array> {
  const rest = Iterator.from(pieces);
  let text = "";
  while (text.length < LONG) {
    const { done, value } = rest.next();
    if (done) return text;
    text += value;
  }
  return streamOf(followed(text, rest));
}

function* followed(start: string, rest: Iterable<string>): Generator<string> {
  yield start;
  yield* rest;
}

/** Returns the text as a stream of bytes. Pieces are created as the client reads, and other requests can run in between. */
function streamOf(pieces: Iterable<string>): ReadableStream<Uint8Array> {
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
