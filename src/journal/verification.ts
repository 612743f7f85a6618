import { closedObject, count, type FromSchema, MAX_SCENARIO_RULES, object } from "../contract/index.ts";
import { Match } from "../rules/index.ts";
import { NearMiss } from "./entry.ts";
import { inProgress } from "./request-summary.ts";

// An expectation about requests: the schemas of the call and of its results.

/** An expectation about the requests that a project has received. */
export const Verification = closedObject([], {
  match: Match,
  count: { ...count, description: "The exact number of matching requests. Cannot be combined with atLeast or atMost." },
  atLeast: {
    ...count,
    description: "The lowest number of matching requests. Without count and atMost, the default is 1.",
  },
  atMost: { ...count, description: "The highest number of matching requests." },
  order: {
    type: "array",
    minItems: 1,
    maxItems: MAX_SCENARIO_RULES,
    items: Match,
    description:
      "Requests that must have arrived in this order; other requests may arrive in between. Cannot be combined with the other members.",
  },
});
export type Verification = FromSchema<typeof Verification>;

/** The response to a verification that passes. */
export const VerificationPassed = object(["pass", "matched"], {
  pass: { const: true },
  matched: {
    ...count,
    description:
      "The number of matching requests, also in progress; with order, the number of its requests that were found.",
  },
  inProgress,
});

/** The response to a verification that fails. */
export const VerificationFailed = object(["pass", "matched", "message", "nearest"], {
  pass: { const: false },
  undecided: {
    const: true,
    description: "Set if the result depends on requests that the journal no longer keeps: the expectation may be true.",
  },
  matched: count,
  inProgress,
  message: {
    type: "string",
    description: "The failure and the nearest requests, as text for a person who reads a log.",
  },
  nearest: {
    type: "array",
    description:
      "The requests nearest to a match, with their differences. If too many requests match, the last matching ones.",
    items: NearMiss,
  },
});

export type VerificationPassed = FromSchema<typeof VerificationPassed>;
export type VerificationFailed = FromSchema<typeof VerificationFailed>;
export type Verdict = VerificationPassed | VerificationFailed;
