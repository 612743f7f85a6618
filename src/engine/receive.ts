import { ServiceError } from "../contract/errors.ts";
import type { Call } from "./call.ts";
import { mediaType } from "./request.ts";

/** JSON nested deeper than this is refused: nothing in the interface is, and walking it could exhaust the stack. */
export const MAX_JSON_DEPTH = 200;

/**
 * Reads the body, where the operation takes one, within the settings' limit, and parses it when it is to be JSON.
 * Throws ContentTooLarge (413) and InvalidJsonInput (400).
 */
export async function receiveBody(call: Call): Promise<void> {
  const { body } = call.operation;
  if (!body) return;
  const takesJson = body.mediaTypes.includes("application/json");
  call.bytes = await call.request.readBody(takesJson ? call.settings.maxBodyBytes : call.settings.maxImageBytes);
  // A body that says it is something else is for validation to refuse (415), whatever is in it.
  if (takesJson && call.bytes.length > 0 && mayBeJson(mediaType(call.request))) {
    call.json = { value: parseJson(call.bytes) };
  }
}

function mayBeJson(type: string | undefined): boolean {
  return type === undefined || type === "application/json";
}

/** The JSON value in these bytes. Throws InvalidJsonInput, saying where it goes wrong, or InvalidInput when too deep. */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = strictUtf8.decode(bytes);
  } catch {
    throw new ServiceError({ code: "InvalidJsonInput", message: "The body is not JSON: it is not valid UTF-8" });
  }
  if (isDeeper(text, MAX_JSON_DEPTH)) {
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

function isDeeper(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (inString) {
      if (unit === 0x5c /* \ */) index++;
      else if (unit === 0x22 /* " */) inString = false;
    } else if (unit === 0x22) inString = true;
    else if (unit === 0x5b /* [ */ || unit === 0x7b /* { */) {
      if (++depth > limit) return true;
    } else if (unit === 0x5d /* ] */ || unit === 0x7d /* } */) depth--;
  }
  return false;
}
