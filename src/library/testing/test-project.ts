import type { ProjectControl } from "../../control/client/index.ts";
import { type ArchiveFile, removeArchive, writeArchive } from "./archive-file.ts";
import { addToPactFile, type PactFile } from "./pact-file.ts";

/** A mock that runs longer than a test. Undefined if the mock runs in the process of the test, and ends with it. */
export type Server = { readonly url: string } | undefined;

export interface StartedTest {
  readonly server: Server;
  /** The archive of an earlier run or attempt that failed. */
  readonly archive?: ArchiveFile;
}

/**
 * Starts the project of a test. On a server, deletes the project of an earlier run, which failed or was interrupted: the
 * key of the project is the same in every run. Deletes its archive too.
 */
export async function startProject(mock: ProjectControl, { server, archive }: StartedTest): Promise<void> {
  if (archive) removeArchive(archive);
  if (server) await mock.delete();
}

export interface EndedTest {
  readonly hasFailed: boolean;
  readonly server: Server;
  /** The pact file of the suite, if it has one. */
  readonly pact?: PactFile;
  /** The file for the archive of the project if the test has failed. */
  readonly archive?: ArchiveFile;
  /** @param archive a line about the archive */
  report(archive?: string): Promise<void>;
}

/**
 * Ends the project of a test. If the test has failed, writes its archive and calls `report`. Otherwise adds its requests
 * to the pact file. A server keeps the project of a failed test, so that the links in the report lead to its requests.
 */
export async function endProject(mock: ProjectControl, ended: EndedTest): Promise<void> {
  const { hasFailed, server, pact, archive, report } = ended;
  try {
    if (hasFailed) await report(archive && (await writeArchive(mock, archive)));
    else if (pact) await addToPactFile(mock, pact);
  } finally {
    if (!hasFailed || !server) await mock.delete();
  }
}
