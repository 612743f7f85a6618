import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { freePort } from "./free-port.ts";

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
  const port = await freePort();
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
  for (;;) {
    if (child.exitCode !== null) throw new Error(`haproxy: expected a process that listens, found\n${output}`);
    const response = await fetch(`${url}/__admin/health`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) break;
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
