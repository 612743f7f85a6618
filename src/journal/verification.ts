import {
  closedObject,
  count,
  cut,
  dateTime,
  type FromSchema,
  MAX_KEPT_TEXT,
  MAX_SCENARIO_RULES,
  object,
} from "../contract/index.ts";
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
  keep: {
    type: "boolean",
    description:
      "false: the project does not keep a failure in its list of failed verifications, as the caller expects the failure.",
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

const text = { type: "string", maxLength: MAX_KEPT_TEXT } as const;

/** A failed verification or wait, as the project keeps it. */
export const FailedVerification = closedObject(["id", "at", "message"], {
  id: { ...text, description: "The same for each repetition of the verification." },
  at: { ...dateTime, description: "When the verification failed, by the server's clock." },
  operation: { ...text, description: "The operation of the expected requests. Absent if they are of several." },
  message: { ...text, description: "The start of the message of the verdict." },
  nearest: { ...text, description: "The id of the request nearest to a match." },
});
export type FailedVerification = FromSchema<typeof FailedVerification>;

/** Returns what a project keeps of a verification that failed at this time. */
export function failedAt(
  time: number,
  { match: { operation } = {} }: Verification,
  { message, nearest: [nearest] }: VerificationFailed,
): Omit<FailedVerification, "id"> {
  return {
    at: new Date(time).toISOString(),
    ...(typeof operation === "string" && { operation }),
    message: cut(message, MAX_KEPT_TEXT - 1),
    ...(nearest && { nearest: nearest.request.id }),
  };
}
