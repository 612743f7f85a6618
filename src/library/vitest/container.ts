import type { TestProject } from "vitest/node";
import { ResourceMockContainer } from "../testcontainers.ts";
import { provideMock } from "./server.ts";

/**
 * Starts one container for all workers, as a global setup of Vitest. The variables of the command line configure it
 * (`RESOURCE_MOCK_SEED`, `RESOURCE_MOCK_FIXTURES`, …). `RESOURCE_MOCK_IMAGE` overrides the image. If `RESOURCE_MOCK_URL` is
 * set, uses the mock at this address instead.
 */
export default function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  return provideMock(project, async () => {
    const container = await containerFromEnvironment(process.env).start();
    return { url: container.url, close: () => container.stop() };
  });
}

function containerFromEnvironment(environment: NodeJS.ProcessEnv): ResourceMockContainer {
  const {
    RESOURCE_MOCK_CONTRACT: contract,
    RESOURCE_MOCK_BEHAVIOUR: behaviour,
    RESOURCE_MOCK_FIXTURES: fixtures,
    RESOURCE_MOCK_SCENARIOS: scenarios,
    // Not passed on: the image name is for Testcontainers, and the container has its own address and port.
    RESOURCE_MOCK_IMAGE: _image,
    RESOURCE_MOCK_PORT: _port,
    RESOURCE_MOCK_HOST: _host,
    ...rest
  } = environment;
  const container = new ResourceMockContainer().withOptions({
    contract: contract || undefined,
    behaviour: behaviour || undefined,
    fixtures: fixtures || undefined,
    scenarios: scenarios || undefined,
    // Tests may run in a DOM environment: its page has another origin than the container.
    cors: "*",
  });
  // Tests reach the container over HTTP, and the files for HTTPS and of archives are not in it.
  const variables = Object.entries(rest).filter(([name]) => /^RESOURCE_MOCK_(?!HTTPS_|TLS_|OPEN$)/.test(name));
  return container.withEnvironment(Object.fromEntries(variables.map(([name, value = ""]) => [name, value])));
}
