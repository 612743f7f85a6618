import type { ProjectControl } from "../client/types.ts";
import { addToPactFile, type PactFile } from "./pact-file.ts";

/** A mock that runs longer than a test. Undefined if the mock runs in the process of the test, and ends with it. */
export type Server = { readonly url: string } | undefined;

/**
 * Starts the project of a test. On a server, deletes the project of an earlier run, which failed or was interrupted: the
 * key of the project is the same in every run.
 */
export async function startProject(mock: ProjectControl, server: Server): Promise<void> {
  if (server) await mock.close();
}

export interface EndedTest {
  readonly hasFailed: boolean;
  readonly server: Server;
  /** The pact file of the suite, if it has one. */
  readonly pact?: PactFile;
  report(): Promise<void>;
}

/**
 * Ends the project of a test. Calls `report` if the test has failed, and otherwise adds its requests to the pact file. A
 * server keeps the project of a failed test, so that the links in the report lead to its requests.
 */
export async function endProject(mock: ProjectControl, { hasFailed, server, pact, report }: EndedTest): Promise<void> {
  try {
    if (hasFailed) await report();
    else if (pact) await addToPactFile(mock, pact);
  } finally {
    if (!hasFailed || !server) await mock.close();
  }
}
