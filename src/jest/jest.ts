import { relative } from "node:path";
import { afterAll, beforeAll, beforeEach, expect } from "@jest/globals";
import { type ProjectControl, projectControl } from "../client/project.ts";
import { failureReport } from "../testing/failure-report.ts";
import { matchers, type ResourceMockMatchers } from "../testing/matchers.ts";
import { type OpenedMock, openMock, type SharedMock } from "../testing/open-mock.ts";
import { projectKeyOf } from "../testing/project-key.ts";
import { commandLine, namePattern } from "../testing/reproduce.ts";

// The parameters are those of the declarations that these add to, in Jest's own types and in @types/jest.
declare module "expect" {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends ResourceMockMatchers<Promise<void>> {}
}
declare global {
  namespace jest {
    interface Matchers<R, T> extends ResourceMockMatchers<Promise<void>> {}
  }
}

expect.extend(matchers);

export type { ProjectControl, SharedMock };

/**
 * A project of its own for each test of the surrounding `describe`, or file. Its key follows from the test's file and
 * name, so that its ids are the same in every run; it is closed when the next test begins or all have ended, and
 * when the test has failed, what the project received is printed with the command that runs the test again.
 *
 * The project is that of the test which runs now, so this is not for `test.concurrent`.
 *
 * @param shared the mock to use; else the one that `RESOURCE_MOCK_URL` names, else one in this process
 */
export function useResourceMock(shared?: SharedMock): ProjectControl {
  let opened: OpenedMock | undefined;
  let test: RunningTest | undefined;

  /** Not in `afterEach`: those of the test file come after it, and may have something to ask of the project. */
  async function finishTest(): Promise<void> {
    if (!test) return;
    const { file, name, hasFailed } = test;
    try {
      const again = commandLine(["npx", "jest", file, "-t", namePattern(name)], process.env);
      if (hasFailed()) console.error(await failureReport(mock, again));
    } finally {
      await mock.close();
      test = undefined;
    }
  }

  beforeAll(async () => {
    opened = await openMock(shared);
  });
  beforeEach(async () => {
    await finishTest();
    const { testPath = "", currentTestName: name = "" } = expect.getState();
    const file = relative(process.cwd(), testPath);
    test = { file, name, key: projectKeyOf(file, name), hasFailed: watchForFailure() };
  });
  afterAll(async () => {
    await finishTest();
    await opened?.close();
  });

  const mock = projectControl({
    get connection() {
      return during(opened).connection;
    },
    get key() {
      return during(test).key;
    },
  });
  return mock;
}

interface RunningTest {
  readonly file: string;
  /** With the names of its suites. */
  readonly name: string;
  /** The key of its project. */
  readonly key: string;
  hasFailed(): boolean;
}

function during<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("useResourceMock: the mock is there only while a test runs");
  return value;
}

/**
 * Tells, from now on, whether the test that runs now has failed. Jest says that to its own environments only; its state
 * is found by the name of its symbol, and where it is not, no test counts as failed.
 */
function watchForFailure(): () => boolean {
  const symbol = Object.getOwnPropertySymbols(globalThis).find(
    ({ description }) => description === "JEST_STATE_SYMBOL",
  );
  const state = symbol && (globalThis as { [symbol: symbol]: JestState | undefined })[symbol];
  const running = state?.currentlyRunningTest;
  return () => (running?.errors.length ?? 0) > 0;
}

interface JestState {
  readonly currentlyRunningTest?: { readonly errors: readonly unknown[] } | null;
}
