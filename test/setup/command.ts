import { execFile } from "node:child_process";
import { run } from "../../src/cli/index.ts";
import { bin, repository } from "./run.ts";

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `resource-mock` in a separate process in `folder`, until it ends. */
export function command(args: readonly string[], environment = {}, folder = repository): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...environment };
    const child = execFile(process.execPath, [bin, ...args], { env, cwd: folder }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

/**
 * Runs `resource-mock` in this process and in `folder`, until it ends, which takes a hundredth of the time. For commands
 * that end by themselves. Only one at a time, as it replaces the output, the environment and the folder of the process.
 */
export async function commandHere(args: readonly string[], environment = {}, folder = repository): Promise<Ended> {
  const { argv, env, execArgv, exitCode, stdout, stderr } = process;
  const before = { env: { ...env }, folder: process.cwd(), out: stdout.write, err: stderr.write };
  const listeners = [stdout, stderr].map((stream) => [stream, stream.listeners("error")] as const);
  const written = { stdout: "", stderr: "" };
  const into = (name: keyof typeof written) => (chunk: string | Uint8Array, callback?: unknown) => {
    written[name] += chunk;
    if (typeof callback === "function") callback();
    return true;
  };
  try {
    Object.assign(env, environment);
    process.chdir(folder);
    process.argv = [process.execPath, bin, ...args];
    process.execArgv = [];
    process.exitCode = 0;
    stdout.write = into("stdout");
    stderr.write = into("stderr");
    await run([...args]);
    return { code: Number(process.exitCode), ...written };
  } finally {
    stdout.write = before.out;
    stderr.write = before.err;
    Object.assign(process, { argv, execArgv });
    process.exitCode = exitCode;
    process.chdir(before.folder);
    for (const name of Object.keys(environment)) {
      if (before.env[name] === undefined) delete env[name];
      else env[name] = before.env[name];
    }
    for (const [stream, kept] of listeners) {
      for (const each of stream.listeners("error")) if (!kept.includes(each)) stream.off("error", each as () => void);
    }
  }
}
