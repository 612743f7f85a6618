import type { Calls } from "./trial.ts";

/**
 * Returns the test files that call the operation. Returns undefined if a call came from a project without a known test
 * file: then any test can have sent it.
 */
export function testFilesOf(operation: string, { operations, tests }: Calls): string[] | undefined {
  // With a fixed project key, several test files use one project.
  const byProject = Map.groupBy(tests, ([project]) => project);
  const filesOf = (project: string) => byProject.get(project)?.map(([, file]) => file);
  const files = operations
    .filter(([called]) => called === operation)
    // A sandbox has the key of its project, a tilde and its name.
    .flatMap(([, project]) => (project === null ? undefined : filesOf(project.replace(/~.*$/, ""))));
  return files.includes(undefined) ? undefined : [...new Set(files as string[])].sort();
}

/** The word of a command that the sweep replaces by the test files to run. */
const FILES = "{files}";

/** Returns whether the command takes test files. */
export function takesFiles(command: readonly string[]): boolean {
  return command.includes(FILES);
}

/** Returns the command for these test files, or without files for all. */
export function withFiles(command: readonly string[], files: readonly string[] = []): string[] {
  return command.flatMap((word) => (word === FILES ? files : [word]));
}
