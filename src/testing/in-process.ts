import { readFlags } from "../cli/command-line.ts";
import { mockOptions } from "../cli/serve.ts";
import { type StartedResourceMock, startResourceMock } from "../index.ts";

/** Starts a mock in this process, on a free port, as the `RESOURCE_MOCK_…` variables say: those of the command line. */
export async function startFromEnvironment(): Promise<StartedResourceMock> {
  const options = await readFlags("serve", [], process.env);
  return startResourceMock({ ...mockOptions(options), adminToken: options.adminToken, cors: options.cors });
}
