import type { ProjectControl } from "../client/types.ts";

/** A mock that runs longer than a test. Undefined if the mock runs in the process of the test, and ends with it. */
export type Server = { readonly url: string } | undefined;

/**
 * Starts the project of a test. On a server, deletes the project of an earlier run, which failed or was interrupted: the
 * key of the project is the same in every run.
 */
export async function startProject(mock: ProjectControl, server: Server): Promise<void> {
  if (server) await mock.close();
}

/**
 * Ends the project of a test, and calls `report` if the test has failed. A server keeps the project of a failed test, so
 * that the links in the report lead to its requests.
 */
export async function endProject(
  mock: ProjectControl,
  { hasFailed, server, report }: { readonly hasFailed: boolean; readonly server: Server; report(): Promise<void> },
): Promise<void> {
  try {
    if (hasFailed) await report();
  } finally {
    if (!hasFailed || !server) await mock.close();
  }
}
