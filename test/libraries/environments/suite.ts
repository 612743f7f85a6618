import { describe } from "vitest";

/**
 * A `describe` for tests that run in each environment of Vitest. `npm test` runs them in Node only, so their tests have
 * the tag `slow` in the environments with a DOM.
 */
export function describeInEnvironment(name: string, tests: () => void): void {
  describe(name, { tags: typeof window === "undefined" ? [] : ["slow"] }, tests);
}
