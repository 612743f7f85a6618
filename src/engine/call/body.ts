import {
  counted,
  type ErrorDetail,
  type JsonBounds,
  type JsonReading,
  type JsonRefusal,
  MAX_JSON_MEMBERS,
  MAX_JSON_VALUES,
  readJson,
  ServiceError,
  shown,
} from "../../contract/index.ts";
import { header, type ServiceRequest } from "./service-request.ts";

/** The limits of the JSON in a body. Within them, reading and storing it takes less than 0.2 seconds. */
const jsonBounds = { values: MAX_JSON_VALUES, members: MAX_JSON_MEMBERS } as const satisfies JsonBounds;

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

/** Parses the JSON in a body. `depth` is the limit for nesting. */
export function readJsonBody(body: string | Uint8Array, depth?: number): JsonReading {
  return readJson(body, { ...jsonBounds, depth });
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
