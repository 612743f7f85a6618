import { execFile } from "node:child_process";
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
