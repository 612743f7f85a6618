import { readJsonBody } from "../call/body.ts";
import type { Call } from "../call/call.ts";
import type { Operation } from "../contract/operation.ts";

/**
 * Reads the body, where the operation takes one, within the settings' limit, and the JSON in it where it takes JSON.
 * Validation refuses what is not JSON: whoever may not call the operation is not told about the body.
 * Throws ContentTooLarge (413).
 */
export async function receiveBody(call: Call): Promise<void> {
  const { operation, settings, request } = call;
  if (!operation.body) return;
  const json = takesJson(operation);
  const limit = json ? "maxBodyBytes" : "maxImageBytes";
  call.bytes = await request.readBody(settings[limit], limit);
  if (!json || call.bytes.length === 0) return;
  const reading = await readJsonBody(call.bytes);
  if ("value" in reading) call.json = reading;
  else call.refusal = reading.refusal;
}

/** Whether the operation's body is JSON. */
export function takesJson({ body }: Operation): boolean {
  return body?.mediaTypes.includes("application/json") ?? false;
}
