import type { TestProject } from "vitest/node";
import { ResourceMockContainer } from "../testcontainers.ts";

/**
 * A global setup for Vitest: one container for all workers. It is shaped by the variables of the command line
 * (`RESOURCE_MOCK_SEED`, `RESOURCE_MOCK_FIXTURES`, …), and `RESOURCE_MOCK_IMAGE` names another image than the usual one.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const container = await containerFromEnvironment(process.env).start();
  project.provide("resourceMock", { url: container.url, adminToken: process.env.RESOURCE_MOCK_ADMIN_TOKEN });
  return async () => {
    await container.stop();
  };
}

function containerFromEnvironment(environment: NodeJS.ProcessEnv): ResourceMockContainer {
  const {
    RESOURCE_MOCK_FIXTURES: fixtures,
    RESOURCE_MOCK_SCENARIOS: scenarios,
    // Which image it is, and where it listens in it, is not for the mock itself.
    RESOURCE_MOCK_IMAGE: _image,
    RESOURCE_MOCK_PORT: _port,
    RESOURCE_MOCK_HOST: _host,
    ...rest
  } = environment;
  const container = new ResourceMockContainer();
  // As in the other setups, pages may call: tests may run in a DOM environment. The container's address is a random port.
  container.withEnvironment({ RESOURCE_MOCK_CORS: "*" });
  if (fixtures) container.withFixtures(fixtures);
  if (scenarios) container.withScenarios(scenarios);
  const variables = Object.entries(rest).filter(([name]) => name.startsWith("RESOURCE_MOCK_"));
  return container.withEnvironment(Object.fromEntries(variables.map(([name, value = ""]) => [name, value])));
}
