import {
  counted,
  type ErrorDetail,
  type JsonReading,
  type JsonRefusal,
  MAX_JSON_MEMBERS,
  MAX_JSON_VALUES,
  readJson,
  ServiceError,
  shown,
  typeOf,
} from "../../contract/index.ts";

/** A request as plain data, independent of its transport (a socket, `fetch`, MSW). */
export interface ServiceRequest {
  readonly method: string;
  /** The scheme and host that the client called: `http://localhost:8080`. */
  readonly origin: string;
  /** The path as sent, percent-encoded, without the query. */
  readonly path: string;
  /** The query as sent, without `?`; empty if the request has no query. */
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Reads the body; empty if the request has no body. Stops and throws `ContentTooLarge` after `limit` bytes. `setting`
   * is the name of the setting that contains the limit, for the message.
   */
  readBody(limit: number, setting?: string): Promise<Uint8Array>;
  /**
   * Reads the start of the body: the whole body, or at least `limit` bytes of a longer one with an iterator over the
   * rest. The caller reads the rest, or calls its `return`.
   */
  readStart(limit: number): Promise<{ readonly bytes: Uint8Array; readonly rest?: AsyncIterator<Uint8Array> }>;
  /** Returns a signal that aborts when the client disconnects. The first call creates it. */
  signal(): AbortSignal;
}

/** Returns the value of a header. Joins several values with commas (RFC 9110, section 5.2). */
export function header(request: ServiceRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Returns the size of the body by its header, in bytes; NaN if the request does not have it. */
export function contentLength(request: ServiceRequest): number {
  return Number(header(request, "content-length"));
}

/** Returns the media type of the body, without parameters, in lower case. */
export function mediaType(request: ServiceRequest): string | undefined {
  const type = header(request, "content-type");
  return type === undefined ? undefined : typeOf(type);
}

/** Returns whether the body is a JSON Merge Patch (RFC 7396), whose nulls remove members. */
export function isMergePatch(request: ServiceRequest): boolean {
  return mediaType(request) === "application/merge-patch+json";
}

/** Returns whether the body is a JSON Patch (RFC 6902). */
export function isJsonPatch(request: ServiceRequest): boolean {
  return mediaType(request) === "application/json-patch+json";
}

/** Returns an error if the body is encoded, as the server does not decode bodies (RFC 9110, section 8.4). */
export function encodingProblem(request: ServiceRequest): ErrorDetail | undefined {
  const found = header(request, "content-encoding")?.trim() || "identity";
  if (found.toLowerCase() === "identity") return undefined;
  const message = `Content-Encoding: expected none or identity, found ${shown(found)}. The server does not decode bodies.`;
  return { code: "UnsupportedMediaType", message, field: "Content-Encoding" };
}

/**
 * Returns the error for a body that is too large. The server adapter then reads and ignores the rest of the body, up to
 * its own limits: if it closed the connection early, clients that still send would often lose the response.
 */
export function contentTooLarge(setting: string, limit: number, found: number | "more"): ServiceError {
  const message = `${setting}: expected at most ${counted(limit, "byte")}, found ${found}`;
  return new ServiceError({ code: "ContentTooLarge", message, maxBytes: limit });
}

/** Parses the JSON in a body. `depth` is the limit for nesting. Within all limits, this takes less than 0.2 seconds. */
export function readJsonBody(body: string | Uint8Array, depth?: number): JsonReading {
  return readJson(body, { values: MAX_JSON_VALUES, members: MAX_JSON_MEMBERS, depth });
}

/**
 * Returns the error for a body that is not JSON (InvalidJsonInput), exceeds a limit (InvalidInput), or contains a number
 * that parsing would change (InvalidField).
 *
 * @param text the name of the text, if it is not the body of a request
 */
export function refusedBody({ kind, pointer, message }: JsonRefusal, text = "The body"): ServiceError {
  if (kind === "syntax") {
    return new ServiceError({ code: "InvalidJsonInput", message: `${text} is not JSON: ${message}` });
  }
  if (kind !== "number") return new ServiceError({ code: "InvalidInput", message: `${text}: ${message}` });
  return new ServiceError({ code: "InvalidField", message: `${pointer || text}: ${message}`, field: pointer });
}
