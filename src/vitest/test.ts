import { test as base, expect, inject, type TestContext } from "vitest";
import { mockClient, type ResourceMockClient } from "../client/mock-client.ts";
import type { ProjectControl } from "../client/project.ts";
import { failureReport } from "../testing/failure-report.ts";
import { matchers, type ResourceMockMatchers } from "../testing/matchers.ts";
import { openMock, type SharedMock } from "../testing/open-mock.ts";
import { projectKeyOf } from "../testing/project-key.ts";
import { commandLine, namePattern } from "../testing/reproduce.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The mock that all workers share. Provide it in a global setup, or name a ready-made one. */
    resourceMock: SharedMock;
  }
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown>
    extends ResourceMockMatchers<Promise<void>> {}
}

expect.extend(matchers);

export type { SharedMock };
export { expect };

/**
 * Vitest's `test` with two fixtures. `mock`: a project of the test's own, whose key follows from the test's file and
 * name, so that its ids are the same in every run; it is closed afterwards, and when the test has failed, what the
 * project received is printed with the command that runs the test again. Safe with `test.concurrent`.
 * `resourceMock`: the whole mock behind it.
 */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures are asked for
  .extend("resourceMock", { scope: "file" }, async ({}, { onCleanup }): Promise<ResourceMockClient> => {
    // Nothing is provided where no global setup does: Vitest's type does not say so.
    const { connection, close } = await openMock(inject("resourceMock") as SharedMock | undefined);
    onCleanup(close);
    return mockClient(connection);
  })
  .extend("mock", async ({ resourceMock, task }, { onCleanup }): Promise<ProjectControl> => {
    const mock = resourceMock.project(keyOf(task));
    onCleanup(async () => {
      try {
        if (task.result?.state === "fail") console.error(await failureReport(mock, runAgain(task)));
      } finally {
        await mock.close();
      }
    });
    return mock;
  });

export { test as it };

type Task = TestContext["task"];

/** The keys in use in this worker, by test: tests of one name in one file are told apart by the order they begin in. */
const keys = new Map<string, string>();

function keyOf(task: Task): string {
  const { file, fullTestName = task.name } = task;
  // The projects of a workspace may share a file and a mock.
  const place = file.projectName ? `${file.projectName}:${file.name}` : file.name;
  for (let copy = 1; ; copy++) {
    const key = projectKeyOf(place, copy === 1 ? fullTestName : `${fullTestName} (${copy})`);
    const holder = keys.get(key) ?? task.id;
    if (holder !== task.id) continue;
    keys.set(key, holder);
    return key;
  }
}

function runAgain({ file, fullTestName = "" }: Task): string {
  const project = file.projectName ? ["--project", file.projectName] : [];
  return commandLine(["npx", "vitest", "run", ...project, file.name, "-t", namePattern(fullTestName)], process.env);
}
