import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { inject } from "vitest";
import { reservePort } from "./reserve-port.ts";

/** HAProxy in a process of its own. */
export interface Haproxy {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts HAProxy with a configuration that contains `bind :8080`, on another port. Resolves when a server responds to a
 * health check through HAProxy. The caller stops it.
 */
export async function startHaproxy(configuration: string): Promise<Haproxy> {
  const port = await reservePort();
  const folder = mkdtempSync(join(tmpdir(), "resource-mock-haproxy-"));
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, configuration.replace("bind :8080", `bind 127.0.0.1:${port}`));
  const child = spawn(inject("haproxy"), ["-db", "-f", file]);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (bytes) => {
      output += bytes;
    });
  }
  const exited = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  for (let status = 0; status !== 200; ) {
    if (child.exitCode !== null) throw new Error(`haproxy: expected a process that listens, found\n${output}`);
    // HAProxy has no event for this. A process takes longer than a tick to start.
    await setTimeout(10);
    const response = await fetch(`${url}/__admin/health`).catch(() => undefined);
    await response?.arrayBuffer();
    status = response?.status ?? 0;
  }
  return {
    url,
    async stop() {
      child.kill();
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
