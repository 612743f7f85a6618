/** A call of a matcher whose promise a test must await. */
export interface Pending {
  isAwaited: boolean;
  /** The error for a test that ends without awaiting it, with the line of the call. */
  readonly error: Error;
}

type Matcher = (this: { readonly isNot?: boolean }, ...args: never[]) => Promise<unknown>;

/**
 * Returns the matchers so that each call passes a `Pending` to `note`. The promises of a matcher never cause unhandled
 * rejections, as the error of `Pending` fails the test.
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
    function watchedMatcher(this: { readonly isNot?: boolean }, ...args: never[]): Promise<unknown> {
      const call = `expect(mock)${this.isNot ? ".not" : ""}.${name}(…)`;
      const error = new Error(`${call} was not awaited, so it verified nothing. Write: await ${call}`);
      Error.captureStackTrace?.(error, watchedMatcher);
      const pending = { isAwaited: false, error };
      const result = matcher.apply(this, args);
      return note(pending, this as Context) ? chained(result, links, pending) : result;
    }
    return [name, watchedMatcher];
  };
  return Object.fromEntries(Object.entries(matchers).map(watch));
}

/** Returns the promise in a form that notes whether the test awaits it, after the links of the runner. */
function chained<T>(promise: Promise<T>, links: number, pending: Pending): Promise<T> {
  promise.catch(() => {});
  // The runner chains its promises at once, and `await` does so later.
  let isRunner = links > 0;
  queueMicrotask(() => {
    isRunner = false;
  });
  const next = <Next>(derived: Promise<Next>): Promise<Next> => {
    if (isRunner) return chained(derived, links - 1, pending);
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
