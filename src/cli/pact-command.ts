import { connectionTo, limitedFetch, mockClient } from "../control/client/index.ts";
import { writeWhole } from "../journal/reports/index.ts";
import { Misuse } from "../library/index.ts";
import type { Options } from "./flags.ts";
import { print } from "./terminal.ts";

/**
 * Writes the pact of a project to a file, or prints it. Creates missing folders. Lists the omitted exchanges on the standard error. Throws an Error
 * for an unknown project, or if the mock cannot be reached or the file cannot be written.
 */
export async function run(options: Options<"pact">): Promise<void> {
  const url = required("url", options.url);
  const key = required("project", options.project);
  const consumer = required("consumer", options.consumer);
  const { provider, as, out, adminToken } = options;
  const project = mockClient(connectionTo(url, { adminToken, fetch: limitedFetch() })).project(key);
  // Fails for an unknown project, whose pact would be empty.
  const summary = await project.summary();
  if (summary?.key !== key) throw new Error(`${url}: expected a mock, found another response`);
  const pact = await project.pact({ consumer, provider, as });
  const text = `${JSON.stringify(pact, undefined, 2)}\n`;
  const { omitted } = pact.metadata["resource-mock"];
  for (const each of omitted) process.stderr.write(`omitted: ${each}\n`);
  await (out === undefined ? print(text) : writeWhole(out, text));
}

function required(name: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new Misuse(`--${name}: expected a value, found nothing`);
}
