import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

export interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** Variables of `resource-mock serve` that the servers of a sweep must not share: addresses, certificates and files. */
const ofOneServer =
  /^RESOURCE_MOCK_(URL|PORT|HOST|HTTPS_PORT|TLS_\w+|WATCH|LOG|REPORT|OPEN|PROJECTS|SHARE\w*|RECORD_TO)$/;

/**
 * Starts `resource-mock serve` on a free port of this machine, in a process of its own. The `RESOURCE_MOCK_…` variables of
 * the environment configure it. Rejects with its output if it does not start.
 *
 * @param bin the arguments of Node that run `resource-mock`
 */
export async function startServer(bin: readonly string[], environment: NodeJS.ProcessEnv): Promise<Server> {
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !ofOneServer.test(name)));
  const flags = ["serve", "--port", "0", "--host", "127.0.0.1", "--log", "off"];
  // Detached, so that a Ctrl-C in the terminal does not reach it: the sweep stops it after the command.
  // The channel `ipc` ends with the sweep, even after SIGKILL. The server stops then.
  const child = spawn(process.execPath, [...bin, ...flags], {
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  let output = "";
  child.stderr.on("data", (chunk) => {
    output = (output + chunk).slice(0, 10_000);
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stdout.resume();
    return { url, stop };
  }
  await exited;
  throw new Error(`the mock did not start. ${output.trim()}`);
}
