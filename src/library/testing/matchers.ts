import type { Match, ProjectControl, Times, Verdict } from "../../control/client/index.ts";
import { entryLines } from "./failure-report.ts";

/** Matchers of `expect` for a project, in Vitest, Jest and Playwright. Await each of them. */
export interface ResourceMockMatchers<Returned> {
  /** Passes if the project received matching requests: at least one, or as many as `times` says. */
  toHaveReceived(match: Match, times?: Times): Returned;
  /** Passes if the project received matching requests in this order. Other requests may come in between. */
  toHaveReceivedInOrder(order: readonly Match[]): Returned;
  /** Passes if no request violated the contract. */
  toHaveNoViolations(): Returned;
}

/** The result of a matcher. The runner calls `message` if the matcher fails the test. */
interface Outcome {
  readonly pass: boolean;
  message(): string;
}

/** The `this` of a matcher, as the runner sets it. */
interface MatcherContext {
  /** True if the test uses `.not`. */
  readonly isNot?: boolean;
}

/** The matchers for `expect.extend` of both runners. */
export const matchers = {
  async toHaveReceived(this: MatcherContext, mock: ProjectControl, match: Match, times?: Times): Promise<Outcome> {
    if (this.isNot && !times) {
      // A failed `count: 0` has a better message than an inverted verification.
      const { pass, message } = outcome(await mock.verify({ match, count: 0 }));
      return { pass: !pass, message };
    }
    return outcome(await mock.verify({ match, ...times }), this.isNot);
  },
  async toHaveReceivedInOrder(this: MatcherContext, mock: ProjectControl, order: readonly Match[]): Promise<Outcome> {
    return outcome(await mock.verify({ order: [...order] }), this.isNot);
  },
  async toHaveNoViolations(mock: ProjectControl): Promise<Outcome> {
    const invalid = await mock.requests.list({ violations: true });
    const list = invalid
      .reverse()
      .flatMap((entry) => entryLines(entry))
      .join("\n");
    return {
      pass: invalid.length === 0,
      message: () =>
        invalid.length === 0
          ? "expected a request that violates the contract, found none"
          : `expected no request that violates the contract, found:\n${list}`,
    };
  },
};

function outcome(verdict: Verdict, isNot = false): Outcome {
  if (verdict.pass)
    return { pass: true, message: () => "expected the verification to fail, but the requests satisfy it" };
  const { undecided, message } = verdict;
  if (!isNot || !undecided) return { pass: false, message: () => message };
  // The journal no longer holds every request, so the matcher fails with and without `.not`.
  return { pass: true, message: () => `cannot verify that no matching request was received\n\n${message}` };
}
