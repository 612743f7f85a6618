import { object } from "../contract/index.ts";
import { RequestEntry } from "./entry.ts";

const Difference = object(["pointer"], {
  pointer: { type: "string", description: "The location in the match, as a JSON Pointer." },
  expected: {},
  actual: { description: "Absent if the request has no value there." },
});

/** A request that nearly matches, and why it does not. */
export const NearMiss = object(["request", "differences"], {
  request: RequestEntry,
  differences: { type: "array", items: Difference },
});
