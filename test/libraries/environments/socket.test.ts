// @module-tag tools
import { afterAll, beforeAll } from "vitest";
import { type StartedResourceMock, startResourceMock } from "../../../src/index.ts";
import { axiosCases } from "./axios-cases.ts";
import { consumerCases } from "./consumer-cases.ts";
import { describeInEnvironment } from "./suite.ts";

describeInEnvironment("a client that calls the mock over a socket", () => {
  let mock: StartedResourceMock;
  beforeAll(async () => {
    mock = await startResourceMock();
  });
  afterAll(() => mock.close());

  consumerCases(() => ({ project: mock.project, address: mock.url, fetch: (...request) => fetch(...request) }));
  axiosCases(() => ({ project: mock.project, address: mock.url }));
});
