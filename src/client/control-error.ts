import type { Problem } from "../control/schemas.ts";

/**
 * A call to the control API that failed. The message holds what the mock said of it, with every place, so that the log
 * of a failed test is enough to know what to mend.
 */
export class ControlError extends Error {
  override readonly name = "ControlError";
  /** The answer's status; undefined when there was no answer. */
  readonly status: number | undefined;
  /** The problem details (RFC 9457) that the mock answered, and whatever it told beside them. */
  readonly problem: ProblemResponse;

  constructor(call: string, { status, problem = {}, cause }: ControlFailure) {
    super(`${call}: ${status === undefined ? unreachable(cause) : refused(status, problem)}`, { cause });
    this.status = status;
    this.problem = problem;
  }
}

type ErrorOf = NonNullable<Problem["errors"]>[number];

/** What an answer that is no success holds; nothing is certain, as it may not be the mock that answered. */
export type ProblemResponse = Readonly<Partial<Problem>> & { readonly [member: string]: unknown };

export interface ControlFailure {
  readonly status?: number;
  readonly problem?: ProblemResponse;
  readonly cause?: unknown;
}

function refused(status: number, problem: ProblemResponse): string {
  return `${status} ${problemText(problem)}`;
}

/** What a problem says: its title and, each in a line of its own where there are several, what is wrong where. */
export function problemText({ title, detail, message, errors }: ProblemResponse): string {
  // Each names its place itself, and the problem's own detail is the first of them.
  const details = Array.isArray(errors) ? errors.map((error: Partial<ErrorOf> | null) => error?.detail) : [];
  if (details.length > 1) return [title, ...details.map((each) => each && `  ${each}`)].filter(Boolean).join("\n");
  // What has no detail is the service's own error, or somebody else's.
  return [title, detail ?? message].filter(Boolean).join(": ");
}

function unreachable(cause: unknown): string {
  return `resource-mock cannot be reached: ${innermost(cause)}`;
}

/** `fetch` says only that it failed; why is in its cause. */
function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : innermost(error.cause);
}
