import { type ErrorDetail, ServiceError } from "../contract/service-error.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import { SettingsSchema } from "../settings/settings.ts";
import {
  type JsonBounds,
  type JsonLists,
  JsonReader,
  type JsonReading,
  type JsonRefusal,
} from "../text/json-reader.ts";
import { counted, shown } from "../text/shown.ts";
import { header, type ServiceRequest } from "./request.ts";

/** The maximum of the setting `maxBodyBytes`, and the limit for a body or list item of the control API, in bytes. */
export const MAX_JSON_BYTES = SettingsSchema.properties.maxBodyBytes.maximum;

/** The limits of a JSON body. Within them, validating, copying and writing the value takes less than 0.1 seconds. */
export const jsonBounds: JsonBounds = { values: 2_000_000, members: 50_000, bytes: MAX_JSON_BYTES };

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

/**
 * Parses a line of an archive, with at most this many JSON values. It has no other limits: what a project has accepted, it
 * can always read again.
 */
export function readJsonLine(bytes: Uint8Array, values: number): Promise<JsonReading> {
  return readJsonBody(bytes, { itemBytes: {}, values }, { values, members: Infinity, bytes: Infinity });
}

/** Parses the JSON in a body. Pauses regularly, so that the server can handle other requests. */
export async function readJsonBody(
  bytes: Uint8Array,
  lists?: JsonLists,
  bounds: JsonBounds = jsonBounds,
): Promise<JsonReading> {
  const slice = new TimeSlice();
  const reader = new JsonReader(bytes, bounds, lists);
  while (!reader.readStep()) if (slice.isOver) await slice.next();
  if (slice.isOver) await slice.next();
  return reader.reading;
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
  if (kind === "depth") return new ServiceError({ code: "InvalidInput", message: `${text}: ${message}` });
  const code = kind === "size" ? "InvalidInput" : "InvalidField";
  const location = pointer === "" ? text : pointer;
  return new ServiceError({
    code,
    message: `${location}: ${message}`,
    ...((pointer !== "" || kind === "number") && { field: pointer }),
  });
}
