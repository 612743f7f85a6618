import { inject } from "vitest";
import { run } from "./run.ts";

/** Runs Compose on the `compose.yaml` of a folder. */
export function runCompose(
  folder: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const [program = "", ...first] = inject("compose");
  return run(program, [...first, ...parameters], folder, { ...process.env, ...environment });
}
