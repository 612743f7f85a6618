import type { ProjectControl } from "../../control/client/index.ts";
import { archiveFileOf, removeArchive, writeArchive } from "./archive-file.ts";
import { failureReport } from "./failure-report.ts";
import { addToPactFile, type PactFile } from "./pact-file.ts";
import { commandLine } from "./test-run.ts";

/** A test of a runner. */
export interface RunnerTest {
  /** The path of its file. */
  readonly file: string;
  /** The full name, with the names of the suites. */
  readonly name: string;
  /** The words of the command that runs only this test. */
  readonly rerun: readonly string[];
  /** A mock that runs longer than the test. Undefined if the mock runs in the process of the test, and ends with it. */
  readonly server: { readonly url: string } | undefined;
  /** The pact file of the suite, if it has one. */
  readonly pact?: PactFile;
  /** The folder for the archives of failed tests, and the name of this one; undefined if the runner has no archives. */
  readonly archive?: { readonly folder: string | undefined; readonly name: string };
  /** Whether this is a repetition of the test, which keeps the archive of an earlier one. */
  readonly isRepetition?: boolean;
  /** Shows the report of the failed test; prints it by default. */
  show?(report: string): Promise<void>;
}

/**
 * Starts the project of a test. On a server, deletes the project of an earlier run, which failed or was interrupted: the
 * key of the project is the same in every run. Deletes its archive too.
 *
 * @returns a function that ends the project. If the test has failed, it writes the archive and shows the report. Otherwise
 * it adds the requests to the pact file. A server keeps the project of a failed test, so that the links in the report lead
 * to its requests.
 */
export async function startTest(
  mock: ProjectControl,
  test: RunnerTest,
): Promise<(hasFailed: boolean) => Promise<void>> {
  const { file, name, server, pact, show = async (report: string) => console.error(report) } = test;
  const archive =
    test.archive && archiveFileOf(test.archive.folder, { name: test.archive.name, test: `${file} > ${name}` });
  if (archive && !test.isRepetition) removeArchive(archive);
  if (server) await mock.delete();
  return async (hasFailed) => {
    try {
      if (hasFailed) {
        const line = archive && (await writeArchive(mock, archive));
        const rerunCommand = commandLine(test.rerun, process.env);
        await show(await failureReport(mock, { rerunCommand, server: server?.url, archive: line }));
      } else if (pact) await addToPactFile(mock, pact);
    } finally {
      if (!hasFailed || !server) await mock.delete();
    }
  };
}
