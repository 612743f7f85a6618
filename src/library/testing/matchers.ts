import { shown } from "../../contract/index.ts";
import { checkTimes, type Match, type ProjectControl, type Times, type Verdict } from "../../control/client/index.ts";
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

/** The `this` of a matcher, as the runner sets it. */
interface MatcherContext {
  /** True if the test uses `.not`. */
  readonly isNot?: boolean;
}

/** The matchers for `expect.extend` of both runners. */
export const matchers = {
  async toHaveReceived(this: MatcherContext, mock: ProjectControl, match: Match, times?: Times) {
    requireProject("toHaveReceived", mock);
    checkTimes("toHaveReceived", times);
    if (this.isNot && !times) {
      // A failed `count: 0` has a better message than an inverted verification.
      const { pass, message } = outcome(await mock.verify({ match, count: 0 }));
      return { pass: !pass, message };
    }
    return outcome(await mock.verify({ match, ...times, ...expectation(this) }), this.isNot);
  },
  async toHaveReceivedInOrder(this: MatcherContext, mock: ProjectControl, order: readonly Match[]) {
    requireProject("toHaveReceivedInOrder", mock);
    if (!Array.isArray(order))
      throw new TypeError(`toHaveReceivedInOrder: expected an array of matches, found ${shown(order)}`);
    return outcome(await mock.verify({ order: [...order], ...expectation(this) }), this.isNot);
  },
  async toHaveNoViolations(mock: ProjectControl) {
    requireProject("toHaveNoViolations", mock);
    const invalid = await mock.requests.list({ violations: true });
    const lines = invalid.reverse().flatMap((entry) => entryLines(entry));
    const none = "expected a request that violates the contract, found none";
    const found = `expected no request that violates the contract, found:\n${lines.join("\n")}`;
    return { pass: invalid.length === 0, message: () => (invalid.length === 0 ? none : found) };
  },
};

/** Returns what a verification says about its failure: with `.not`, the test expects it, so the project keeps none. */
function expectation({ isNot }: MatcherContext): { keep?: false } {
  return isNot ? { keep: false } : {};
}

/** Throws a TypeError if the subject of `expect` is no project. Callers in JavaScript can pass anything. */
function requireProject(matcher: string, subject: Partial<ProjectControl> | null | undefined): void {
  if (typeof subject?.verify === "function") return;
  throw new TypeError(`${matcher}: expected a project such as the mock of a test, found ${shown(subject)}`);
}

/** Returns the result of a matcher. The runner calls `message` if the matcher fails the test. */
function outcome(verdict: Verdict, isNot = false) {
  if (verdict.pass)
    return { pass: true, message: () => "expected the verification to fail, but the requests satisfy it" };
  const { undecided, message } = verdict;
  if (!isNot || !undecided) return { pass: false, message: () => message };
  // The journal no longer holds every request, so the matcher fails with and without `.not`.
  return { pass: true, message: () => `cannot verify that no matching request was received\n\n${message}` };
}

/** A call of a matcher whose promise a test must await. */
export interface Pending {
  isAwaited: boolean;
  /** Whether somebody reads this object. Otherwise, a rejection that the test does not await stays unhandled. */
  isNoted: boolean;
  /** The error for a test that ends without awaiting it, with the line of the call. */
  readonly error: Error;
}

type Matcher = (this: MatcherContext, ...args: never[]) => Promise<unknown>;

/**
 * Returns the matchers so that each call passes a `Pending` to `note`. The promises of a matcher never cause unhandled
 * rejections, as the error of `Pending` fails the test. The stack of a failure has the line of the call.
 *
 * @param links how many promises the runner itself chains to that of a matcher, before it returns the last one to the test
 * @param note returns false if nobody will read the `Pending`
 */
export function watched<Matchers extends { readonly [name: string]: Matcher }, Context>(
  matchers: Matchers,
  links: number,
  note: (pending: Pending, context: Context) => boolean,
): Matchers {
  const watch = ([name, matcher]: [string, Matcher]) => {
    function watchedMatcher(this: MatcherContext, ...args: never[]): Promise<unknown> {
      const call = `expect(mock)${this.isNot ? ".not" : ""}.${name}(…)`;
      const error = new Error(`${call} was not awaited, so it verified nothing. Write: await ${call}`);
      Error.captureStackTrace?.(error, watchedMatcher);
      const pending: Pending = { isAwaited: false, isNoted: false, error };
      pending.isNoted = note(pending, this as Context);
      return chained(matcher.apply(this, args), links, pending);
    }
    return [name, watchedMatcher];
  };
  return Object.fromEntries(Object.entries(matchers).map(watch));
}

/** Returns the promise in a form that notes whether the test awaits it, after the links of the runner. */
function chained<T>(promise: Promise<T>, links: number, pending: Pending): Promise<T> {
  if (pending.isNoted) promise.catch(() => {});
  // The runner chains its promises at once, and `await` does so later.
  let isRunner = links > 0;
  queueMicrotask(() => {
    isRunner = false;
  });
  const next = <Next>(derived: Promise<Next>): Promise<Next> => {
    if (isRunner) return chained(located(derived, pending.error), links - 1, pending);
    pending.isAwaited = true;
    return derived;
  };
  return {
    // biome-ignore lint/suspicious/noThenProperty: the runners and `await` call it
    then: (...handlers) => next(promise.then(...handlers)),
    catch: (handler) => next(promise.catch(handler)),
    finally: (handler) => next(promise.finally(handler)),
    [Symbol.toStringTag]: "Promise",
  };
}

/** Returns the promise whose error has the stack of the call. After a wait for the mock, the stack has no line of the test. */
function located<T>(promise: Promise<T>, { stack = "" }: Error): Promise<T> {
  return promise.catch((error) => {
    const frames = stack.indexOf("\n    at ");
    if (frames !== -1) error.stack = `${error.name}: ${error.message}${stack.slice(frames)}`;
    throw error;
  });
}
