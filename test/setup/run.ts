import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** For tests of what Windows does not have: POSIX shells, the modes of files, and signals that a program can handle. */
export const isWindows: boolean = process.platform === "win32";

/** Returns a path with slashes, as everywhere but on Windows. */
export function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/** The folder of the repository, with a trailing slash. Without `URL`, which is another class in jsdom. */
export const repository: string = `${slashed(join(import.meta.dirname, "../.."))}/`;

/**
 * The file of the command that tests start with Node. In a run with the package tests, it is the build that their set-up
 * has just written, which starts five times as fast. In other runs, it is the source, which needs no build.
 */
export const bin: string = process.env.MOCK_TEST_BIN ?? `${repository}src/bin.ts`;

/**
 * Runs a program until it ends, by default in the repository and with the environment of this process.
 *
 * @returns its standard output, trimmed
 * @throws Error with both outputs if the exit code is not 0
 */
export async function run(
  program: string,
  parameters: readonly string[],
  folder = repository,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  try {
    // On Windows, npm is a script, which only the shell starts.
    const shell = isWindows && program === "npm";
    const options = { cwd: folder, env: environment, maxBuffer: 64 * 1024 * 1024, shell };
    const { stdout } = await execute(program, parameters, options);
    return stdout.trim();
  } catch (error) {
    const { code, stdout, stderr } = error as NodeJS.ErrnoException & { stdout: string; stderr: string };
    throw new Error(`${[program, ...parameters].join(" ")}: ${code}\n${stdout}\n${stderr}`);
  }
}
