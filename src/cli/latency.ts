import { loadCheck } from "../contract/validator.ts";
import { Latency } from "../settings/settings.ts";
import { Misuse } from "./values.ts";

/** Holds what `--latency` says against the setting. Throws Misuse. */
export async function checkLatency(latency: Latency): Promise<void> {
  const [problem] = (await loadCheck(Latency))(latency);
  if (problem) throw new Misuse(`--latency: ${problem.pointer}${problem.pointer && ": "}${problem.message}`);
}
