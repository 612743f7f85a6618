import { ServiceError } from "../contract/errors.ts";
import { isTooDeep, MAX_JSON_DEPTH } from "../contract/json.ts";
import type { Operation } from "../contract/operation.ts";
import type { Call } from "./call.ts";

/**
 * Reads the body, where the operation takes one, within the settings' limit, and the JSON in it where it takes JSON.
 * What is not JSON is for validation to refuse: whoever may not call the operation is not told about the body.
 * Throws ContentTooLarge (413).
 */
export async function receiveBody(call: Call): Promise<void> {
  const { operation, settings, request } = call;
  if (!operation.body) return;
  const json = takesJson(operation);
  call.bytes = await request.readBody(json ? settings.maxBodyBytes : settings.maxImageBytes);
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
    return JSON.parse(text);
  } catch (error) {
    throw new ServiceError({ code: "InvalidJsonInput", message: `The body is not JSON: ${(error as Error).message}` });
  }
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });
