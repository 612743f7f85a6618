import { afterAll, beforeAll, describe } from "vitest";
import { connectResourceMock, type ProjectControl, type ResourceMockClient } from "../../src/client.ts";
import { createResourceMock, type ResourceMock, startResourceMock } from "../../src/index.ts";
import type { CreateOptions } from "../../src/library/options/options.ts";
import { newProject } from "../setup/mock.ts";

/** A mock, and the `fetch` of the client under test. */
export interface DrivenMock {
  readonly client: ResourceMockClient;
  /** Returns a new project at each call. */
  project(): ProjectControl;
  /** Calls an operation of the project; `path` is relative to `{baseUrl}/resource`. */
  call(project: ProjectControl, path?: string, init?: RequestInit): Promise<Response>;
}

/** Defines the tests of `body` twice: with a mock in process, and with a client over HTTP. */
export function describeClients(name: string, body: (mock: DrivenMock) => void, options: CreateOptions = {}): void {
  describe.each(["in process", "over HTTP"] as const)(`${name} (%s)`, (transport) => {
    let mock: ResourceMock;
    let client: ResourceMockClient;
    beforeAll(async () => {
      mock = transport === "in process" ? await createResourceMock(options) : await startResourceMock(options);
      client = transport === "in process" ? mock : connectResourceMock(mock.url);
    });
    afterAll(() => mock.close());
    body({
      get client() {
        return client;
      },
      project: () => client.project(newProject()),
      call(project, path = "", init) {
        const url = `${project.baseUrl}/resource${path}`;
        return transport === "in process" ? mock.fetch(url, init) : fetch(url, init);
      },
    });
  });
}
