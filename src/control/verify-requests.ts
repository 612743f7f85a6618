import {
  FailedVerification,
  type Verdict,
  Verification,
  VerificationFailed,
  VerificationPassed,
  verify,
} from "../journal/index.ts";
import type { Project } from "../project/index.ts";
import type { Match } from "../rules/index.ts";
import { list } from "./control-response.ts";
import type { MatchedRequests } from "./control-schemas.ts";
import { type ControlCall, inProject, json, listOf, operationThat, problem } from "./define-operation.ts";
import { effortOf } from "./search.ts";

/** The operations that verify requests. */
export const operations = {
  verifyRequests: inProject("POST", "/requests/verify", {
    summary: "Verify the requests",
    opensProject: false,
    body: Verification,
    example: (contract) => ({ match: { operation: operationThat("create", contract) }, atLeast: 1 }),
    responses: {
      200: json("The verification passed.", VerificationPassed),
      409: problem("The patterns reached a limit."),
      422: json("The verification failed, with the reasons.", VerificationFailed),
    },
    async handle(call) {
      const { body, project, step } = call;
      const verdict = await verdictOf(body, call);
      if (body.keep !== false && !(verdict.pass && project.verifications.length === 0))
        await step((current) => current.noteVerdict(body, verdict));
      return { status: verdict.pass ? 200 : 422, json: verdict };
    },
  }),

  listVerifications: inProject("GET", "/verifications", {
    summary: "List the failed verifications, newest first",
    description:
      "The last failed verifications and waits for requests. A repetition that passes removes a failure from the list. A reset of the project and the deletion of its requests empty the list.",
    responses: { 200: json("The failed verifications.", listOf("verifications", FailedVerification)) },
    handle: ({ project: { verifications } }) => list("verifications", verifications.toReversed()),
  }),
};

type Call = Pick<ControlCall<unknown, unknown, unknown, Project>, "engine" | "project" | "signal">;

/** Returns how many recorded requests match, and the one that nearly does. */
export async function matchedBy(match: Match, call: Call): Promise<MatchedRequests> {
  const received = receivedBy(call);
  const requests = received.exchanges.length;
  // Only a verification that fails looks for the nearest request.
  const verdict = await verify({ match, atLeast: requests + 1 }, received, call.engine.contract);
  const nearest = verdict.pass ? undefined : verdict.nearest[0];
  return { requests, matched: verdict.matched, ...(nearest && { nearest }) };
}

/** Returns the verdict on the requests of the project, also those in progress. */
export function verdictOf(verification: Verification, call: Call): Promise<Verdict> {
  return verify(verification, receivedBy(call), call.engine.contract);
}

function receivedBy(call: Call) {
  const { journal, key } = call.project;
  const inProgress = call.engine.inProgress.of(key);
  const exchanges = [...journal.list(), ...inProgress].sort((a, b) => a.arrival - b.arrival);
  return { exchanges, inProgress, projectKey: key, forgotten: journal.forgotten, effort: effortOf(call) };
}
