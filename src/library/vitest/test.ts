import { test as base, expect, inject, type MatcherState, type TestContext } from "vitest";
import { type ProjectControl, type ResourceMockClient, testClient } from "../../control/client/index.ts";
import { openMock, type SharedMock, sharedMock } from "../open-mock.ts";
import { matchers, type ResourceMockMatchers, watched } from "../testing/matchers.ts";
import type { PactFile } from "../testing/test-files.ts";
import { namePattern, noteTestFile, startTest, uniqueKeyOf } from "../testing/test-project.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The mock that all workers share. Provide it in a global setup, or use one of the bundled global setups. */
    resourceMock: SharedMock;
    /** The file of an OpenAPI document: each test file then has a mock of the service that it describes. */
    mockContract: string | undefined;
    /** The pact file of all tests. Tests can override it with `test.override("pact", …)`. */
    pact: PactFile | undefined;
    /** The project key of all tests, for a client with a fixed one. Tests can override it with `test.override("mockProject", …)`. */
    mockProject: string | undefined;
    /**
     * The folder for the archives of failed tests; by default, `RESOURCE_MOCK_ARCHIVE_FAILURES`. Tests can override it with
     * `test.override("archiveFailures", …)`.
     */
    archiveFailures: string | undefined;
  }
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown>
    extends ResourceMockMatchers<Promise<void>> {}
}

expect.extend(
  watched(matchers, 1, (pending, { task }: MatcherState) => {
    task?.context.onTestFinished(() => {
      if (!pending.isAwaited) throw pending.error;
    });
    return task !== undefined;
  }),
);

export type { PactFile, SharedMock };
export { expect };

/**
 * `test` of Vitest with the fixtures of a mock. `mock` is a new project for each test. The file and the name of the test determine
 * the key of the project, so generated ids are the same in every run. If the test fails, the requests of the project are
 * printed, with the reasons for their responses and the command to run the test again. After the test, the project is
 * deleted; a shared mock keeps the project of a failed test until the test runs again. Safe with `test.concurrent`.
 * `resourceMock` controls the whole mock. With `mockProject`, each test has the project with this key instead, new as well;
 * such tests must not run at the same time. If `pact` is set, the requests of tests that pass are added to this pact file.
 * With `mockContract`, the mock is that of an OpenAPI document. If `archiveFailures` is set, this folder gets an archive of the project of each failed test.
 */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the required fixtures from the pattern
  .extend("resourceMock", { scope: "file" }, async ({}, { onCleanup }): Promise<ResourceMockClient> => {
    const { connection, close } = await openMock(providedMock(), inject("mockContract"));
    onCleanup(close);
    return testClient(connection);
  })
  .extend("pact", (): PactFile | undefined => inject("pact"))
  .extend("archiveFailures", (): string | undefined => inject("archiveFailures"))
  .extend("mockProject", (): string | undefined => inject("mockProject"))
  .extend(
    "mock",
    async ({ resourceMock, mockProject, pact, archiveFailures, task }, { onCleanup }): Promise<ProjectControl> => {
      const testKey = keyOf(task);
      const mock = resourceMock.project(mockProject ?? testKey);
      if (mockProject !== undefined) requireAlone(mockProject, task);
      const { file, fullTestName: name = task.name } = task;
      noteTestFile(mock.key, file.name);
      const project = file.projectName ? ["--project", file.projectName] : [];
      const end = await startTest(mock, {
        file: file.name,
        name,
        rerun: ["npx", "vitest", "run", ...project, file.name, "-t", namePattern(name)],
        server: inject("mockContract") === undefined ? sharedMock(providedMock()) : undefined,
        pact,
        contract: inject("mockContract"),
        archive: { folder: archiveFailures, name: testKey },
        // The test fails if one of its repetitions fails.
        isRepetition: (task.result?.repeatCount ?? 0) > 0,
      });
      onCleanup(() => end(hasFailed(task)));
      return mock;
    },
  );

export { test as it };

/** Returns the mock of a global setup; undefined without one, which the type in Vitest does not say. */
function providedMock(): SharedMock | undefined {
  return inject("resourceMock");
}

type Task = TestContext["task"];

function keyOf({ id, name, file, fullTestName = name }: Task): string {
  // Several Vitest projects may run the same file against the same mock.
  const qualifiedFile = file.projectName ? `${file.projectName}:${file.name}` : file.name;
  return uniqueKeyOf(qualifiedFile, fullTestName, id);
}

const lastTests = new Map<string, Task>();

function requireAlone(project: string, task: Task): void {
  const last = lastTests.get(project);
  if (last !== undefined && last !== task && last.result?.state === "run") {
    const hint = "Run these tests without concurrent.";
    throw new Error(`mockProject: expected one running test in the project "${project}", found two. ${hint}`);
  }
  lastTests.set(project, task);
}

/** Returns whether the test or one of its hooks has failed. Vitest inverts the result of `test.fails` only later. */
function hasFailed({ result, fails = false }: Task): boolean {
  return result?.state !== "skip" && (result?.state === "fail") !== fails;
}
