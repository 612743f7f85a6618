import { relative } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "@jest/globals";
import { checkOptionNames } from "../../contract/index.ts";
import { type ProjectControl, projectControl } from "../../control/client/index.ts";
import { type OpenedMock, openMock, type SharedMock, sharedMock } from "../open-mock.ts";
import { matchers, type Pending, type ResourceMockMatchers, watched } from "../testing/matchers.ts";
import type { PactFile } from "../testing/test-files.ts";
import { namePattern, startTest, uniqueKeyOf } from "../testing/test-project.ts";

// These declarations extend declarations in the types of Jest and in @types/jest, and need the same type parameters.
declare module "expect" {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends ResourceMockMatchers<Promise<void>> {}
}
declare global {
  namespace jest {
    interface Matchers<R, T> extends ResourceMockMatchers<Promise<void>> {}
  }
}

/** The calls of matchers in the running test; undefined between the tests of `useResourceMock`. */
let calls: Pending[] | undefined;

expect.extend(
  watched(matchers, 2, (call) => {
    calls?.push(call);
    return calls !== undefined;
  }),
);

/** Returns the error of the first call of a matcher that the test has not awaited. Forgets the calls. */
function unawaited(): Error | undefined {
  return calls?.splice(0).find(({ isAwaited }) => !isAwaited)?.error;
}

export type { PactFile, ProjectControl, SharedMock };

/** The mock to use, by default the mock at `RESOURCE_MOCK_URL`, or else a mock in this process. */
export interface ResourceMockOptions extends Partial<SharedMock> {
  /** The file of an OpenAPI document. The tests then have a mock of the service that it describes, in this process. */
  readonly contract?: string;
  /** The project key of all tests, for a client with a fixed one; by default, each test has a key of its own. */
  readonly project?: string;
  /** The pact file to which the requests of tests that pass are added. */
  readonly pact?: PactFile;
  /** The folder for the archives of failed tests; by default, the variable `RESOURCE_MOCK_ARCHIVE_FAILURES` names it. */
  readonly archiveFailures?: string;
}

/** The address and the fixed project of each mock that the running test file uses, in the order of `useResourceMock`. */
const openMocks: string[] = [];

/**
 * Returns the controls of a project that is new for each test in the surrounding `describe` or file. The file and the
 * name of the test determine the key of the project, so generated ids are the same in every run. If a test fails, its
 * requests are printed, with the reasons for their responses and the command to run it again. The project is deleted when
 * the next test starts or all tests have finished; a shared mock keeps the project of a failed test until it runs again.
 *
 * The controls belong to the running test, so they throw in `test.concurrent`. Throws TypeError for unknown options.
 */
export function useResourceMock(options: ResourceMockOptions = {}): ProjectControl {
  checkOptionNames("useResourceMock", options, ["url", "adminToken", "contract", "project", "pact", "archiveFailures"]);
  const { url, adminToken, contract, project, pact, archiveFailures } = options;
  const shared = url === undefined ? undefined : { url, adminToken };
  let opened: OpenedMock | undefined;
  let test: RunningTest | undefined;
  const place = () => `${opened?.connection.url} ${project ?? ""}`;

  /** Reports and deletes the project. Not called in `afterEach`, because later `afterEach` hooks may use the project. */
  async function finishTest(): Promise<void> {
    if (!test) return;
    // Too late to fail the test.
    const late = unawaited();
    if (late) console.error(late);
    calls = undefined;
    try {
      await test.end?.(test.hasFailed());
    } finally {
      test = undefined;
    }
  }

  beforeAll(async () => {
    opened = await openMock(shared, contract);
    openMocks.push(place());
  });
  beforeEach(async () => {
    await finishTest();
    const { testPath = "", currentTestName: name = "" } = expect.getState();
    const file = relative(process.cwd(), testPath);
    const running = runningTest();
    // Jest does not tell a test the name of its project. Each of the `projects` can set this global.
    const { resourceMockDisplayName: displayName } = globalThis as { readonly resourceMockDisplayName?: string };
    const testKey = uniqueKeyOf(displayName ? `${displayName}:${file}` : file, name, running);
    const rerun = ["npx", "jest", file, "-t", namePattern(name)];
    calls = [];
    const key = project ?? testKey;
    test = { key, nameInContext: nameInContext(), hasFailed: watchForFailure(running) };
    test.end = await startTest(projectControl({ connection: duringTest(opened).connection, key }), {
      file,
      name,
      rerun: [...rerun, ...(displayName ? ["--selectProjects", displayName] : [])],
      server: contract === undefined ? sharedMock(shared) : undefined,
      pact,
      contract,
      archive: { folder: archiveFailures, name: testKey + numberOf(place()) },
    });
  });
  afterEach(() => {
    const error = unawaited();
    if (error) throw error;
  });
  afterAll(async () => {
    try {
      await finishTest();
    } finally {
      // Jest does not exit while the mock runs.
      if (opened) openMocks.splice(openMocks.indexOf(place()), 1);
      await opened?.close();
    }
  });

  return projectControl({
    get connection() {
      return duringTest(opened).connection;
    },
    get key() {
      const name = nameInContext();
      return duringTest(name === undefined || name === test?.nameInContext ? test : undefined).key;
    },
  });
}

interface RunningTest {
  readonly key: string;
  readonly nameInContext: string | undefined;
  hasFailed(): boolean;
  end?(hasFailed: boolean): Promise<void>;
}

/** Returns the end of the names of archives: empty for the first mock of a test, then `-2` and so on. */
function numberOf(place: string): string {
  const index = [...new Set(openMocks)].indexOf(place);
  return index > 0 ? `-${index + 1}` : "";
}

function duringTest<T>(value: T | undefined): T {
  if (value !== undefined) return value;
  const hint = 'With test.concurrent, call project("my-test") of a mock from startResourceMock() instead';
  throw new Error(`useResourceMock: expected a test after its beforeEach hooks, which test.concurrent lacks. ${hint}`);
}

/**
 * Returns the name of the test that calls this function, directly or after a wait. Jest 30.0 knows only the tests of
 * `test.concurrent`, later versions know all. Returns undefined for other callers.
 */
function nameInContext(): string | undefined {
  return expect.getState().currentConcurrentTestName?.();
}

interface JestTest {
  readonly errors: readonly unknown[];
  readonly invocations: number;
}

/** Returns the running test. Jest has no public API for this: its state is stored under a symbol, which may be missing. */
function runningTest(): JestTest | undefined {
  const symbols = Object.getOwnPropertySymbols(globalThis);
  const symbol = symbols.find(({ description }) => description === "JEST_STATE_SYMBOL");
  const state = symbol && (globalThis as { [symbol: symbol]: { currentlyRunningTest?: JestTest | null } })[symbol];
  return state?.currentlyRunningTest ?? undefined;
}

/** Returns a function that reports whether the current attempt of the test has failed; an unknown test never has. */
function watchForFailure(running: JestTest | undefined): () => boolean {
  if (!running) return () => false;
  const { errors, invocations } = running;
  // Before another attempt, which follows only a failed one, Jest replaces the errors by an empty array.
  return () => errors.length > 0 || running.errors.length > 0 || running.invocations > invocations;
}
