import type { Effects } from "../scenario.ts";

/* What the effects of a rule do, in words. The dashboard shows them, so this file loads nothing. */

/** The ways in which a connection can break. MALFORMED_RESPONSE_CHUNK and TRUNCATED_BODY handle the request first. */
export const faults = {
  CONNECTION_RESET_BY_PEER: "resets the connection",
  EMPTY_RESPONSE: "closes the connection without a response",
  MALFORMED_RESPONSE_CHUNK: "sends an invalid chunk",
  RANDOM_DATA_THEN_CLOSE: "sends data that is not HTTP",
  TRUNCATED_BODY: "sends a truncated body",
} as const;

type Words = {
  readonly [Name in keyof Effects]-?: (
    value: Exclude<Effects[Name], undefined>,
    shown: (value: unknown) => string,
  ) => string;
};

/** The words for each effect, in the order of a sentence. `shown` returns a value in one short line. */
export const effectWords: Words = {
  respond: ({ status, fixture }, shown) => `returns ${status}${fixture === undefined ? "" : ` (${shown(fixture)})`}`,
  raw: ({ status }) => `returns an off-contract ${status}`,
  fault: (value, shown) => faults[value] ?? shown(value),
  conflict: () => "loses to a concurrent write",
  evolve: () => "evolves the body",
  latency(value) {
    if (value === null) return "has no delay";
    if ("fixed" in value) return `waits ${value.fixed} ms`;
    if ("uniform" in value) return `waits ${value.uniform.join(" to ")} ms`;
    return `waits about ${value.lognormal.median} ms`;
  },
  chunkedDribbleDelay: ({ numberOfChunks, totalDuration }) =>
    `sends the body in ${numberOfChunks} chunks over ${totalDuration} ms`,
  settings: (value, shown) =>
    `uses ${Object.entries(value)
      .map(([name, each]) => `${name}: ${shown(each)}`)
      .join(", ")}`,
};
