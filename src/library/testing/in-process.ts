import { mockFlagsOf, readOptions, textsIn } from "../options/read.ts";
import { type StartedResourceMock, startResourceMock } from "../resource-mock.ts";

/**
 * Starts a mock in this process, on a free port. The `RESOURCE_MOCK_…` variables of the command line configure it, except
 * those of the address, the ports and HTTPS: tests reach the mock over HTTP. The default of `RESOURCE_MOCK_CORS` differs:
 * it is the default of `startResourceMock`.
 *
 * @param environment the variables to read; in Jest, a test may have other variables than its process
 */
export async function startFromEnvironment(environment: NodeJS.ProcessEnv): Promise<StartedResourceMock> {
  const options = await readOptions(mockFlagsOf("tests"), (flag) => {
    const texts = textsIn(environment, flag);
    return texts && [flag.variable, texts];
  });
  return startResourceMock({ ...options, report: undefined });
}
