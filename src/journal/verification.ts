import { closedObject, count, type FromSchema, object } from "../contract/schema.ts";
import { Match } from "../matching/match.ts";
import { RequestEntry } from "./entry.ts";

/** What is expected of the requests that a project has received. */
export const Verification = closedObject([], {
  match: Match,
  count: { ...count, description: "Exactly this many match. Not together with atLeast or atMost." },
  atLeast: { ...count, description: "At least this many match; 1 by default." },
  atMost: { ...count, description: "At most this many match." },
  order: {
    type: "array",
    minItems: 1,
    maxItems: 100,
    items: Match,
    description: "Instead of the others: requests that match these arrived one after another, with any others between.",
  },
});
export type Verification = FromSchema<typeof Verification>;

/** The response to a verification when the expectation holds. */
export const VerificationPassed = object(["pass", "matched"], {
  pass: { const: true },
  matched: { ...count, description: "How many match; with order, how many of its requests were found." },
});

const Difference = object(["pointer"], {
  pointer: { type: "string", description: "Into the match." },
  expected: {},
  actual: { description: "Left out where there is nothing." },
});

/** The response to a verification when the expectation does not hold. */
export const VerificationFailed = object(["pass", "matched", "message", "nearest"], {
  pass: { const: false },
  undecided: {
    const: true,
    description: "Set where the expectation may hold, by requests that the journal does not keep any more.",
  },
  matched: count,
  message: { type: "string", description: "What is wrong and what came nearest, for a person reading a log." },
  nearest: {
    type: "array",
    description: "The requests that came nearest, and how they differ; or, of too many, those that match.",
    items: object(["request", "differences"], {
      request: RequestEntry,
      differences: { type: "array", items: Difference },
    }),
  },
});

export type Verdict = FromSchema<typeof VerificationPassed> | FromSchema<typeof VerificationFailed>;
