import type { Match, ProjectControl, Times, Verdict } from "../client/types.ts";
import { entryLines } from "./failure-report.ts";

/** What `expect` can say of a project, in Vitest and in Jest. All of it must be awaited. */
export interface ResourceMockMatchers<Returned> {
  /** The project received such requests: at least one, or `times`. */
  toHaveReceived(match: Match, times?: Times): Returned;
  /** The project received such requests in this order; others may lie between. */
  toHaveReceivedInOrder(order: readonly Match[]): Returned;
  /** No request broke the contract. */
  toHaveNoViolations(): Returned;
}

/** What a matcher answers to the runner; `message` is for when the test fails because of it. */
interface Outcome {
  readonly pass: boolean;
  message(): string;
}

/** What a runner binds matchers to. */
interface MatcherContext {
  /** Whether the test says `.not`. */
  readonly isNot?: boolean;
}

/** The matchers, as both runners' `expect.extend` takes them. */
export const matchers = {
  async toHaveReceived(this: MatcherContext, mock: ProjectControl, match: Match, times?: Times): Promise<Outcome> {
    if (this.isNot && !times) {
      // Expecting none explains itself better than not having expected any.
      const { pass, message } = outcome(await mock.verify({ match, count: 0 }));
      return { pass: !pass, message };
    }
    return outcome(await mock.verify({ match, ...times }), this.isNot);
  },
  async toHaveReceivedInOrder(this: MatcherContext, mock: ProjectControl, order: readonly Match[]): Promise<Outcome> {
    return outcome(await mock.verify({ order: [...order] }), this.isNot);
  },
  async toHaveNoViolations(mock: ProjectControl): Promise<Outcome> {
    const broken = await mock.requests.list({ violations: true });
    const list = broken.reverse().flatMap(entryLines).join("\n");
    return {
      pass: broken.length === 0,
      message: () =>
        broken.length === 0
          ? "expected a request to break the contract, but none did"
          : `expected no request to break the contract, but these did:\n${list}`,
    };
  },
};

function outcome(verdict: Verdict, isNot = false): Outcome {
  if (verdict.pass) return { pass: true, message: () => "expected not to receive such requests, but did" };
  const { undecided, message } = verdict;
  if (!isNot || !undecided) return { pass: false, message: () => message };
  // What may have been received after all is not known not to have been: the test fails with `.not` too.
  return { pass: true, message: () => `whether such requests were received cannot be told\n\n${message}` };
}
