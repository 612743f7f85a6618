import { shellWord } from "../../contract/index.ts";
import type { ProjectControl } from "../../control/client/index.ts";
import { shortHash } from "../../project/index.ts";
import { type PlannedFailure, SWEEP_VARIABLE, sweepFiles } from "../../tools/index.ts";
import { failureReport, runOfSweep } from "./failure-report.ts";
import { addToPactFile, archiveFileOf, type PactFile, removeArchive, writeArchive } from "./test-files.ts";

/* The project of a test: its key, its start and end, and the command that runs the test again. */

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
  /** The file of the OpenAPI document of the mock; by default, that of the environment. */
  readonly contract?: string | undefined;
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
        const line = archive && (await writeArchive(mock, archive, test.contract));
        const rerunCommand = commandLine(test.rerun, process.env);
        await show(await failureReport(mock, { rerunCommand, server: server?.url, archive: line }));
      } else if (pact) await addToPactFile(mock, pact);
    } finally {
      if (!hasFailed || !server) await mock.delete();
    }
  };
}

/** Maximum length of the readable part of a key, so that a key fits into a line of a log. */
const READABLE_LENGTH = 60;

/**
 * Returns the project key of a test. The key is readable, and the same on every machine. The generated ids of a project
 * depend on its key, so they are the same on every machine too.
 *
 * @param file the path of the test file, relative to the root of the tests
 * @param name the full name of the test, with the names of its suites
 */
export function projectKeyOf(file: string, name: string): string {
  const path = file.replaceAll("\\", "/");
  const fileName = path.slice(path.lastIndexOf("/") + 1).replace(/(\.(test|spec))?\.\w+$/, "");
  const words = `${fileName} ${name}`.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const readable = words.join("-").slice(0, READABLE_LENGTH).replace(/-$/, "");
  return `${readable || "test"}-${shortHash(JSON.stringify([path, name]))}`;
}

/** Tests by project key. */
const tests = new Map<string, unknown>();

/**
 * Returns the project key of a running test. Tests with the same file and name are numbered in the order in which they
 * start.
 *
 * @param test the identity of the test, the same for each of its attempts
 */
export function uniqueKeyOf(file: string, name: string, test: unknown): string {
  for (let copy = 1; ; copy++) {
    const key = projectKeyOf(file, copy === 1 ? name : `${name} (${copy})`);
    if (tests.has(key) && tests.get(key) !== test) continue;
    tests.set(key, test);
    return key;
  }
}

/** Variables with credentials, which must not appear in a log: those of flags such as `--token` and `--client`. */
const secret = /_(TOKEN|CLIENT)$/;

/** The credentials in an address, such as that of `--upstream`. */
const userInfo = /^(https?:\/\/)[^/?#]*@/i;

/**
 * Returns the command line that repeats a test run, with the variables that configure the mock. In a run of a sweep, the
 * command is a sweep with only the failure of the run. Words are quoted for a POSIX shell if necessary.
 */
export function commandLine(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const folder = environment[SWEEP_VARIABLE];
  // The mock of a sweep stops after the run. The variables of the sweep could select other runs.
  const ofSweep = folder ? /^RESOURCE_MOCK_(URL$|SWEEP)/ : undefined;
  const variables = Object.entries(environment)
    .filter(([name, value]) => name.startsWith("RESOURCE_MOCK_") && value && !secret.test(name) && !ofSweep?.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value = ""]) => `${name}=${shellWord(value.replace(userInfo, "$1"))}`);
  const sweep = folder ? sweepWords(folder, !environment.RESOURCE_MOCK_URL) : [];
  return [...variables, ...[...sweep, ...words].map(shellWord)].join(" ");
}

/** Returns the words before a command that sweep it with the failure of the run in this folder; none without a failure. */
function sweepWords(folder: string, inProcess: boolean): string[] {
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const failure: PlannedFailure | null = JSON.parse(readFileSync(`${folder}/${sweepFiles.failure}`, "utf8"));
  if (failure === null) return [];
  const only = [failure.rule.operation, failure.name].join();
  // Another folder, as a sweep deletes the reports of the last one.
  const flags = ["--out", "resource-mock-sweep/again", ...(inProcess ? ["--in-process"] : []), "--only", only];
  return ["npx", "resource-mock", "sweep", ...flags, "--"];
}

/** Returns a pattern for the flag `-t` of a test runner. It matches only this test name. */
export function namePattern(name: string): string {
  return `^${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
}

/**
 * Notes the test file of a project, if the tests run in a sweep. The sweep can then run only the test files that call an
 * operation.
 */
export function noteTestFile(projectKey: string, file: string): void {
  const folder = runOfSweep();
  if (folder === undefined) return;
  const { appendFileSync } = process.getBuiltinModule("node:fs");
  appendFileSync(`${folder}/${sweepFiles.tests}`, `${JSON.stringify([projectKey, file])}\n`);
}
