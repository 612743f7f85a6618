import type { Problem } from "../index.ts";

/**
 * A failed call of the control API. The message contains every problem with its location, so that the log of a failed
 * test is enough to fix the call.
 */
export class ControlError extends Error {
  override readonly name = "ControlError";
  /** Status of the response; undefined if there was no response. */
  readonly status: number | undefined;
  /** The problem details (RFC 9457) of the response, with all other members of its body. */
  readonly problem: ProblemResponse;

  constructor(call: string, { status, problem = {}, cause }: ControlFailure) {
    super(`${call}: ${status === undefined ? unreachable(cause) : rejection(status, problem)}`, { cause });
    this.status = status;
    this.problem = problem;
  }
}

type ErrorOf = NonNullable<Problem["errors"]>[number];

/** The body of an error response. Every member is optional, because a proxy may have responded instead of the mock. */
export type ProblemResponse = Readonly<Partial<Problem>> & { readonly [member: string]: unknown };

export interface ControlFailure {
  readonly status?: number;
  readonly problem?: ProblemResponse;
  readonly cause?: unknown;
}

function rejection(status: number, problem: ProblemResponse): string {
  return `${status} ${problemText(problem)}`;
}

/** Returns the title and the details of a problem. Several details have one line each. */
export function problemText({ title, detail, message, errors }: ProblemResponse): string {
  // Each detail names its location. The detail of the problem itself repeats the first one.
  const details = Array.isArray(errors) ? errors.map((error: Partial<ErrorOf> | null) => error?.detail) : [];
  if (details.length > 1) return [title, ...details.map((each) => each && `  ${each}`)].filter(Boolean).join("\n");
  // Errors of the service, and of proxies, have no detail.
  return [title, detail ?? message].filter(Boolean).join(": ");
}

function unreachable(cause: unknown): string {
  return `resource-mock cannot be reached: ${innermost(cause)}`;
}

/** Returns the message of the innermost cause: `fetch` puts the reason of a failure into `cause`. */
function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : innermost(error.cause);
}
