import type { Engine } from "./engine/engine.ts";
import { createApp } from "./http/app.ts";
import { listen } from "./http/server.ts";
import { loadEngine, type MockOptions } from "./mock.ts";
import { version } from "./version.ts";

export { type FileProblem, FilesError } from "./fixtures/file-problem.ts";
export type { MockOptions } from "./mock.ts";

/** A mock in this process, without a socket. */
export interface ResourceMock extends AsyncDisposable {
  /** Answers a request as the server would; the host of its URL does not matter. */
  fetch(request: Request | string | URL, init?: RequestInit): Promise<Response>;
  /** Ends every project. */
  close(): Promise<void>;
}

/** A mock in this process that listens on a socket too. */
export interface StartedResourceMock extends ResourceMock {
  /** `http://localhost:port`; operations are under `/{projectKey}/resource`. */
  readonly url: string;
  readonly port: number;
}

export interface StartOptions extends MockOptions {
  /** 0, the default, picks a free one. */
  port?: number;
  /** 127.0.0.1 by default: a mock inside a test is nobody else's to call. */
  host?: string;
}

/** Makes a mock that answers `fetch` and opens no socket. Throws FilesError when a fixture breaks the contract. */
export async function createResourceMock(options: MockOptions = {}): Promise<ResourceMock> {
  return inProcess(await loadEngine(options)).mock;
}

/** Starts a mock on a socket. Throws FilesError, or Node's error when it cannot listen. */
export async function startResourceMock(options: StartOptions = {}): Promise<StartedResourceMock> {
  const { port = 0, host = "127.0.0.1", ...rest } = options;
  const { app, mock } = inProcess(await loadEngine(rest));
  const server = await listen(app, { port, host });
  const close = async () => {
    await server.close();
    await mock.close();
  };
  return { ...mock, url: server.url, port: server.port, close, [Symbol.asyncDispose]: close };
}

function inProcess(engine: Engine) {
  const app = createApp(engine, { version });
  const close = async () => engine.projects.closeAll();
  const mock: ResourceMock = {
    fetch: async (input, init) => {
      const relative = typeof input === "string" && input.startsWith("/");
      return app.fetch(new Request(relative ? new URL(input, "http://resource-mock") : input, init));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return { app, mock };
}
