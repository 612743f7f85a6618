import { MAX_CHECKED_BYTES, type Operation, utf8 } from "../contract/index.ts";
import { encodingProblem, readJsonBody } from "./call/body.ts";
import type { Call } from "./call/call.ts";

/** The part of a call that receiving a body reads and writes. */
export type ReceivingCall = Pick<Call, "operation" | "request" | "settings" | "bytes" | "text" | "json" | "refusal"> &
  Partial<Pick<Call, "forwarding" | "decisions">>;

/**
 * Reads the body if the operation has one, up to the limit in the settings, and parses JSON.
 * Keeps a parse error for validation: authorization comes first, so an unauthorized client gets 401 or 403 instead.
 * Throws ContentTooLarge (413).
 */
export async function receiveBody(call: ReceivingCall): Promise<void> {
  const { operation, settings, request, forwarding } = call;
  if (!operation.body && !forwarding) return;
  const json = takesJson(operation);
  const limit = bodyLimit(operation);
  if (forwarding) {
    // `forward` sends a longer body on as it arrives.
    const most = Math.min(MAX_CHECKED_BYTES, settings[limit]);
    const { bytes, rest } = await request.readStart(most);
    call.bytes = bytes;
    if (rest) call.decisions?.push(`the request body was not validated: it has more than ${most} bytes`);
    forwarding.rest = rest;
  } else call.bytes = await request.readBody(settings[limit], limit);
  // The mock sends encoded and long bodies on without parsing them.
  if (forwarding && (forwarding.rest || encodingProblem(request))) return;
  if (!json || call.bytes.length === 0) return;
  const text = utf8(call.bytes);
  if (text !== undefined) call.text = text;
  const reading = readJsonBody(text ?? call.bytes);
  if ("value" in reading) call.json = reading;
  else call.refusal = reading.refusal;
}

/** Returns the name of the setting that limits the body. */
export function bodyLimit(operation: Operation): "maxBodyBytes" | "maxImageBytes" {
  return takesJson(operation) ? "maxBodyBytes" : "maxImageBytes";
}

/** Returns whether the operation has a JSON body. */
function takesJson({ body }: Operation): boolean {
  return body?.mediaTypes.includes("application/json") ?? false;
}
