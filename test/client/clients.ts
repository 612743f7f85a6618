import { afterAll, beforeAll, describe } from "vitest";
import { connectResourceMock, type ProjectControl, type ResourceMockClient } from "../../src/client/client.ts";
import { createResourceMock, type ResourceMock, startResourceMock } from "../../src/index.ts";
import { newProject } from "../setup/mock.ts";

/** A mock as a test drives it, and the fetch of the client under test. */
export interface DrivenMock {
  readonly client: ResourceMockClient;
  /** Another project at each call. */
  project(): ProjectControl;
  /** Calls an operation of the project: `path` goes on behind `{baseUrl}/resource`. */
  call(project: ProjectControl, path?: string, init?: RequestInit): Promise<Response>;
}

/** Runs the cases of `body` with the controls of a mock in process, without a socket, and over HTTP. */
export function describeClients(name: string, body: (mock: DrivenMock) => void): void {
  describe.each(["in process", "over HTTP"] as const)(`${name} (%s)`, (place) => {
    let mock: ResourceMock;
    let client: ResourceMockClient;
    beforeAll(async () => {
      mock = place === "in process" ? await createResourceMock() : await startResourceMock();
      client = place === "in process" ? mock : connectResourceMock(mock.url);
    });
    afterAll(() => mock.close());
    body({
      get client() {
        return client;
      },
      project: () => client.project(newProject()),
      call(project, path = "", init) {
        const url = `${project.baseUrl}/resource${path}`;
        return place === "in process" ? mock.fetch(url, init) : fetch(url, init);
      },
    });
  });
}
