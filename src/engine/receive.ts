import { type ErrorDetail, ServiceError, shown } from "../contract/errors.ts";
import { isTooDeep, MAX_JSON_DEPTH, parseJson as parseText } from "../contract/json.ts";
import type { Operation } from "../contract/operation.ts";
import type { Call } from "./call.ts";
import { header, type ServiceRequest } from "./request.ts";

/**
 * Reads the body, where the operation takes one, within the settings' limit, and the JSON in it where it takes JSON.
 * What is not JSON is for validation to refuse: whoever may not call the operation is not told about the body.
 * Throws ContentTooLarge (413).
 */
export async function receiveBody(call: Call): Promise<void> {
  const { operation, settings, request } = call;
  if (!operation.body) return;
  const json = takesJson(operation);
  const limit = json ? "maxBodyBytes" : "maxImageBytes";
  call.bytes = await request.readBody(settings[limit], limit);
  if (!json || call.bytes.length === 0) return;
  try {
    call.json = { value: parseJson(call.bytes) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

/** Whether the operation's body is JSON. */
export function takesJson({ body }: Operation): boolean {
  return body?.mediaTypes.includes("application/json") ?? false;
}

/** What is wrong with the body's encoding, if anything: bodies are read as they were sent (RFC 9110, 8.4). */
export function encodingProblem(request: ServiceRequest): ErrorDetail | undefined {
  const found = header(request, "content-encoding")?.trim() || "identity";
  if (found.toLowerCase() === "identity") return undefined;
  const message = `Content-Encoding: expected none or identity, as bodies are read as they were sent, found ${shown(found)}`;
  return { code: "UnsupportedMediaType", message, field: "Content-Encoding" };
}

/** The JSON value in these bytes. Throws InvalidJsonInput, saying where it goes wrong, or InvalidInput when too deep. */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = strictUtf8.decode(bytes);
  } catch {
    throw new ServiceError({ code: "InvalidJsonInput", message: "The body is not JSON: it is not valid UTF-8" });
  }
  if (isTooDeep(text)) {
    throw new ServiceError({
      code: "InvalidInput",
      message: `The body is nested deeper than ${MAX_JSON_DEPTH} levels`,
    });
  }
  try {
    return parseText(text);
  } catch (error) {
    throw new ServiceError({ code: "InvalidJsonInput", message: `The body is not JSON: ${(error as Error).message}` });
  }
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });
