import { connectionTo } from "./client/connection.ts";
import { mockClient, type ResourceMockClient } from "./client/mock-client.ts";
import { dashboardPage } from "./dashboard-page.ts";
import type { Engine } from "./engine/engine.ts";
import { createApp } from "./http/app.ts";
import { listen } from "./http/server.ts";
import { loadEngine, type MockOptions } from "./mock.ts";
import { checkMockOptions, checkStartOptions, type StartOptions } from "./options.ts";
import { version } from "./version.ts";

export { ControlError } from "./client/control-error.ts";
export { VerificationError } from "./client/project.ts";
export type * from "./client/types.ts";
export { type FileProblem, FilesError } from "./fixtures/file-problem.ts";
export type { MockOptions } from "./mock.ts";
export type { StartOptions } from "./options.ts";

/** A mock in this process, without a socket. Its own `fetch` answers, for the client under test and for `project()`. */
export interface ResourceMock extends ResourceMockClient, AsyncDisposable {
  /** Answers a request as the server would; the host of its URL does not matter. A broken connection rejects. */
  fetch(request: Request | string | URL, init?: RequestInit): Promise<Response>;
  /** Ends every project. */
  close(): Promise<void>;
}

/** A mock in this process that listens on a socket too, at `url`. */
export interface StartedResourceMock extends ResourceMock {
  readonly port: number;
}

/** Where a mock without a socket says that it is. */
const NOWHERE = "http://resource-mock";

/**
 * Makes a mock that answers `fetch` and opens no socket. Throws TypeError for an option that is none, or is not what it
 * may be, and FilesError when a file breaks the contract.
 */
export async function createResourceMock(options: MockOptions = {}): Promise<ResourceMock> {
  await checkMockOptions(options);
  const engine = await loadEngine(options);
  return inProcess(engine, createApp(engine, { version, dashboardPage }), { url: NOWHERE });
}

/**
 * Starts a mock on a socket. Throws TypeError and FilesError as `createResourceMock` does, and an error with the `code`
 * of Node's own, such as EADDRINUSE, when it cannot listen.
 */
export async function startResourceMock(options: StartOptions = {}): Promise<StartedResourceMock> {
  await checkStartOptions(options);
  const { port = 0, host = "127.0.0.1", adminToken, cors, ...rest } = options;
  const engine = await loadEngine(rest);
  const app = createApp(engine, { version, adminToken, cors, dashboardPage });
  const server = await listen(app, { port, host });
  const stop = () => server.close();
  return { ...inProcess(engine, app, { url: server.url, stop, adminToken }), port: server.port };
}

function inProcess(
  engine: Engine,
  app: ReturnType<typeof createApp>,
  { url, stop, adminToken }: { url: string; stop?: () => Promise<void>; adminToken?: string },
): ResourceMock {
  const fetch: ResourceMock["fetch"] = async (input, init) => {
    const relative = typeof input === "string" && input.startsWith("/");
    // Put together as text: a URL would take what follows two slashes for a host.
    const request = new Request(relative ? NOWHERE + input : input, init);
    request.signal.throwIfAborted();
    return unlessAborted(request.signal, app.fetch(request));
  };
  const close = async () => {
    engine.drain();
    await stop?.();
    engine.projects.closeAll();
  };
  return { ...mockClient(connectionTo(url, { fetch, adminToken })), fetch, close, [Symbol.asyncDispose]: close };
}

/** What a `fetch` does with its signal: it rejects as soon as that aborts, whoever is still at work on an answer. */
function unlessAborted(signal: AbortSignal, response: Response | Promise<Response>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    Promise.resolve(response)
      .finally(() => signal.removeEventListener("abort", abort))
      .then(resolve, reject);
  });
}
