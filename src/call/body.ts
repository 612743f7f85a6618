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
import { shown } from "../text/shown.ts";
import { header, type ServiceRequest } from "./request.ts";

/** The largest size that the setting `maxBodyBytes` allows, and that of a body or list item of the control API. */
export const MAX_JSON_BYTES = SettingsSchema.properties.maxBodyBytes.maximum;

/** The bounds of a JSON body: validating, copying and writing such a value takes less than a tenth of a second. */
export const jsonBounds: JsonBounds = { values: 2_000_000, members: 50_000, bytes: MAX_JSON_BYTES };

/** What is wrong with the body's encoding, if anything: bodies are read as they were sent (RFC 9110, 8.4). */
export function encodingProblem(request: ServiceRequest): ErrorDetail | undefined {
  const found = header(request, "content-encoding")?.trim() || "identity";
  if (found.toLowerCase() === "identity") return undefined;
  const message = `Content-Encoding: expected none or identity, as bodies are read as they were sent, found ${shown(found)}`;
  return { code: "UnsupportedMediaType", message, field: "Content-Encoding" };
}

/** Reads the JSON in a body. Other requests are answered in between. */
export async function readJsonBody(bytes: Uint8Array, lists?: JsonLists): Promise<JsonReading> {
  const slice = new TimeSlice();
  const reader = new JsonReader(bytes, jsonBounds, lists);
  while (!reader.readStep()) if (slice.isOver) await slice.next();
  if (slice.isOver) await slice.next();
  return reader.reading;
}

/** The error of a body that is no JSON (InvalidJsonInput), exceeds the bounds (InvalidInput) or holds a number that would change (InvalidField). */
export function refusedBody({ kind, pointer, message }: JsonRefusal): ServiceError {
  if (kind === "syntax") {
    return new ServiceError({ code: "InvalidJsonInput", message: `The body is not JSON: ${message}` });
  }
  if (kind === "depth") return new ServiceError({ code: "InvalidInput", message: `The body: ${message}` });
  const code = kind === "size" ? "InvalidInput" : "InvalidField";
  const place = pointer === "" ? "The body" : pointer;
  return new ServiceError({
    code,
    message: `${place}: ${message}`,
    ...((pointer !== "" || kind === "number") && { field: pointer }),
  });
}
