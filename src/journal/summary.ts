import { count, dateTime, type FromSchema, MAX_TEXT, object, string } from "../contract/index.ts";
import { requestEvent } from "./events.ts";
import type { Exchange } from "./exchange.ts";

/** A request and its response without headers and bodies: the data of the event `request`. */
export const RequestSummary = object(
  [
    "project",
    "id",
    "method",
    "path",
    "query",
    "status",
    "source",
    "violations",
    "receivedAt",
    "serverTime",
    "duration",
  ],
  {
    project: string,
    id: string,
    method: string,
    path: { type: "string", description: `As sent, percent-encoded. The first ${MAX_TEXT} characters.` },
    query: {
      type: "string",
      description: `As sent, percent-encoded, without secrets. The first ${MAX_TEXT} characters.`,
    },
    operation: { type: "string", description: "Absent if no operation matches the path and method." },
    status: { type: "integer", description: "0 if the connection ended without a response." },
    source: string,
    offContract: {
      const: true,
      description: "Set if the response is off-contract: from the effect `raw` or a function.",
    },
    violations: { ...count, description: "The number of contract violations." },
    receivedAt: { ...dateTime, description: "The time of arrival by the project's clock." },
    serverTime: { ...dateTime, description: "The same time by the server's clock." },
    duration: { type: "number", minimum: 0, description: "In milliseconds." },
  },
);
export type RequestSummary = FromSchema<typeof RequestSummary>;

/** Returns the summary of a request and its response. */
export function summaryOf(project: string, exchange: Exchange): RequestSummary {
  return { project, ...requestEvent(exchange) };
}
