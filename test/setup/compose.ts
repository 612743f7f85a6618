import { spawnSync } from "node:child_process";
import { run } from "./run.ts";

/** Compose's two commands: the plugin, and before it a program of its own. Either will do. */
function composeCommand(): [program: string, ...parameters: string[]] {
  const hasPlugin = spawnSync("docker", ["compose", "version"], { stdio: "ignore" }).status === 0;
  return hasPlugin ? ["docker", "compose"] : ["docker-compose"];
}

/** Runs Compose on the `compose.yaml` of a folder. */
export function runCompose(
  folder: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const [program, ...first] = composeCommand();
  return run(program, [...first, ...parameters], folder, { ...process.env, ...environment });
}
