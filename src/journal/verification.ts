import type { FromSchema, Schema } from "../contract/schema.ts";
import { Match } from "../matching/match.ts";
import { RequestEntry } from "./entry.ts";

const times = { type: "integer", minimum: 0 } as const satisfies Schema;

/** What is expected of the requests that a project has received. */
export const Verification = {
  type: "object",
  additionalProperties: false,
  properties: {
    match: Match,
    count: { ...times, description: "Exactly this many match. Not together with atLeast or atMost." },
    atLeast: { ...times, description: "At least this many match; 1 when nothing else is said." },
    atMost: { ...times, description: "At most this many match." },
    order: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      items: Match,
      description:
        "Instead of the others: requests that match these arrived one after another, with any others between.",
    },
  },
} as const satisfies Schema;
export type Verification = FromSchema<typeof Verification>;

/** What a verification answers when the expectation holds. */
export const VerificationPassed = {
  type: "object",
  required: ["pass", "matched"],
  properties: {
    pass: { const: true },
    matched: { ...times, description: "How many match; with order, how many of its requests were found." },
  },
} as const satisfies Schema;

/** What a verification answers when the expectation does not hold. */
export const VerificationFailed = {
  type: "object",
  required: ["pass", "matched", "message", "nearest"],
  properties: {
    pass: { const: false },
    undecided: {
      const: true,
      description: "Set where the expectation may hold, by requests that the journal does not keep any more.",
    },
    matched: times,
    message: { type: "string", description: "What is wrong and what came nearest, for a person reading a log." },
    nearest: {
      type: "array",
      description: "The requests that came nearest, and how they differ; or, of too many, those that match.",
      items: {
        type: "object",
        required: ["request", "differences"],
        properties: {
          request: RequestEntry,
          differences: {
            type: "array",
            items: {
              type: "object",
              required: ["pointer"],
              properties: {
                pointer: { type: "string", description: "Into the match." },
                expected: {},
                actual: { description: "Left out where there is nothing." },
              },
            },
          },
        },
      },
    },
  },
} as const satisfies Schema;

export type Verdict = FromSchema<typeof VerificationPassed> | FromSchema<typeof VerificationFailed>;
