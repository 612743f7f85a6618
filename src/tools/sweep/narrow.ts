import { readFileSync } from "node:fs";
import { join } from "node:path";
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

/**
 * Returns the command for these test files only. Returns undefined if the command is not clearly a run of Vitest over all
 * files: `vitest run` with flags, also after `npx`, or as the script of `npm test`.
 *
 * @param folder the folder of `package.json`
 */
export function narrowed(
  command: readonly string[],
  files: readonly string[],
  folder: string = process.cwd(),
): string[] | undefined {
  const script = scriptOf(command, folder);
  if (script !== undefined) {
    // npm appends the files to the script. A flag without a value at its end could take them.
    const words = script.split(" ");
    const isSimple = /^[\w@%+=:,./ -]+$/.test(script) && isVitestRun(words) && !/^--?[^=]+$/.test(words.at(-1) ?? "");
    return isSimple ? [...command, ...(command.includes("--") ? [] : ["--"]), ...files] : undefined;
  }
  const runner = runnerLength(command);
  if (!isVitestRun(command.slice(runner))) return undefined;
  return [...command.slice(0, runner + 2), ...files, ...command.slice(runner + 2)];
}

/** Returns the number of words before `vitest`, such as `npx`. */
function runnerLength([first = "", second = ""]: readonly string[]): number {
  if (["npx", "bunx"].includes(first)) return 1;
  if (["npm", "pnpm", "yarn"].includes(first)) return second === "exec" ? 2 : 1;
  return 0;
}

/** The flags of Vitest whose value is the next word. With any other word, the command may select files itself. */
const withValue =
  /^(-c|-r|--(config|root|dir|mode|project|reporter|outputFile|pool|environment|maxWorkers|testTimeout|hookTimeout|retry|sequence\.seed))$/;

function isVitestRun([program = "", run, ...flags]: readonly string[]): boolean {
  if (!/(^|[/\\])vitest(\.mjs)?$/.test(program) || run !== "run") return false;
  return flags.every((word, index) => word.startsWith("-") || withValue.test(flags[index - 1] ?? ""));
}

/** Returns the script that `npm test` or `npm run NAME` runs; undefined for another command. */
function scriptOf([program, ...parameters]: readonly string[], folder: string): string | undefined {
  const words = parameters.at(-1) === "--" ? parameters.slice(0, -1) : parameters;
  const [first = "", name = "test"] = words;
  const isScript = words.length === 1 ? /^(test|t)$/.test(first) : words.length === 2 && /^run(-script)?$/.test(first);
  if (program !== "npm" || !isScript) return undefined;
  try {
    const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return typeof scripts?.[name] === "string" ? scripts[name] : undefined;
  } catch {
    return undefined;
  }
}
