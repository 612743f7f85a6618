import { count, type FromSchema, object, string } from "../contract/index.ts";
import type { Exchange } from "./kept-exchange.ts";

/** The schema of the number of requests in progress in a result. */
export const inProgress = {
  ...count,
  description:
    "The number of requests that have arrived and have no response yet, at this process. Absent without such requests.",
} as const;

/** A request that has arrived and has no response yet. */
export const PendingRequest = object(["method", "path", "duration"], {
  operation: { type: "string", description: "Absent if no operation matches the path and method." },
  method: string,
  path: { type: "string", description: "As sent, percent-encoded." },
  duration: { type: "number", minimum: 0, description: "The time since the arrival, in milliseconds." },
});
export type PendingRequest = FromSchema<typeof PendingRequest>;

export function pendingRequestOf({ operationId, method, path, duration }: Exchange): PendingRequest {
  return { ...(operationId && { operation: operationId }), method, path, duration: Number(duration.toFixed(3)) };
}
