import { readFlags } from "../cli/command-line.ts";
import { mockOptions } from "../cli/serve.ts";
import { type StartedResourceMock, startResourceMock } from "../index.ts";

/**
 * Starts a mock in this process, on a free port, as the `RESOURCE_MOCK_…` variables say: those of the command line. Only
 * `RESOURCE_MOCK_CORS` has another default, that of `startResourceMock`.
 *
 * @param environment the variables; in Jest, those of this process may be others than those of the test
 */
export async function startFromEnvironment(environment: NodeJS.ProcessEnv): Promise<StartedResourceMock> {
  const options = await readFlags("serve", [], environment);
  return startResourceMock({ ...mockOptions(options), adminToken: options.adminToken, cors: options.cors });
}
