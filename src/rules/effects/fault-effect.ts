import { closedObject, counted, type FromSchema, MAX_DELAY_MS, MAX_STEPS, type Schema } from "../../contract/index.ts";
import type { BrokenDelivery } from "../service-response.ts";
import { effect } from "./effect.ts";

/** The ways in which a connection can break. MALFORMED_RESPONSE_CHUNK and TRUNCATED_BODY handle the request first. */
const Fault = {
  type: "string",
  enum: [
    "CONNECTION_RESET_BY_PEER",
    "EMPTY_RESPONSE",
    "MALFORMED_RESPONSE_CHUNK",
    "RANDOM_DATA_THEN_CLOSE",
    "TRUNCATED_BODY",
  ],
  description:
    "Breaks the connection to the client. The faults CONNECTION_RESET_BY_PEER (TCP reset), EMPTY_RESPONSE (no byte) " +
    "and RANDOM_DATA_THEN_CLOSE (invalid HTTP) take effect before the operation runs. The faults " +
    "MALFORMED_RESPONSE_CHUNK (an invalid chunk) and TRUNCATED_BODY (half of the body) take effect after the " +
    "operation has run.",
} as const satisfies Schema;
export type Fault = FromSchema<typeof Fault>;

/** The faults that break the response of the operation. The others replace it. */
const breaking: ReadonlySet<Fault> = new Set<Fault>(["MALFORMED_RESPONSE_CHUNK", "TRUNCATED_BODY"]);

export const fault = effect({
  schema: Fault,
  slot: "ending",
  excludes: ["respond", "chunkedDribbleDelay"],
  wholeBody: "sent",
  facts: { fault: { ...Fault, description: "The way in which the connection broke." } },
  recorded: (value) => ({ fault: value }),
  reads: ({ fault: value }) => `broke the connection: ${value}`,
  respond(value, { random }, { source }) {
    if (breaking.has(value)) return undefined;
    return { status: 0, headers: {}, body: null, source, delivery: broken(value, random) };
  },
  deliver: (response, value, { random }, { source }) => ({ ...response, source, delivery: broken(value, random) }),
});

const NOISE = 64;

function broken(value: Fault, random: () => number): BrokenDelivery {
  const isNoisy = value === "RANDOM_DATA_THEN_CLOSE" || value === "MALFORMED_RESPONSE_CHUNK";
  const noise = Uint8Array.from({ length: isNoisy ? NOISE : 0 }, () => Math.floor(random() * 256));
  // Neither an HTTP version nor a chunk size starts with this byte, so the bytes are always invalid.
  if (isNoisy) noise[0] = 0xff;
  return { fault: value, noise };
}

export const chunkedDribbleDelay = effect({
  schema: {
    ...closedObject(["numberOfChunks", "totalDuration"], {
      numberOfChunks: { type: "integer", minimum: 1, maximum: MAX_STEPS },
      totalDuration: { type: "number", minimum: 0, maximum: MAX_DELAY_MS },
    }),
    description: "Sends the response body in numberOfChunks chunks, spread evenly over totalDuration milliseconds.",
  },
  wholeBody: "sent",
  facts: { chunks: { type: "integer", description: "The number of chunks that the body is sent in." } },
  recorded: ({ numberOfChunks }) => ({ chunks: numberOfChunks }),
  reads: ({ chunks }) => `sends the body in ${counted(chunks ?? 0, "chunk")}`,
  deliver(response, { numberOfChunks, totalDuration }, call) {
    if (response.body === null) return response;
    call.addDelay(totalDuration);
    const pause = (gone: AbortSignal) => call.wait(totalDuration / numberOfChunks, gone);
    return { ...response, delivery: { chunks: numberOfChunks, pause } };
  },
});
