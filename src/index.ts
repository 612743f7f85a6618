import { connectionTo } from "./client/connection.ts";
import { mockClient, type ResourceMockClient } from "./client/mock-client.ts";
import { dashboardPage } from "./dashboard-page.ts";
import type { Engine } from "./engine/engine.ts";
import { createApp } from "./http/app.ts";
import { type Cors, corsOf } from "./http/cors.ts";
import { portable, requestParts } from "./http/request-parts.ts";
import { listen } from "./http/server.ts";
import { loadEngine } from "./mock.ts";
import { type CreateOptions, checkMockOptions, checkStartOptions, type StartOptions } from "./options.ts";
import { version } from "./version.ts";

export { ControlError } from "./client/control-error.ts";
export { VerificationError } from "./client/project.ts";
export type * from "./client/types.ts";
export { type FileProblem, FilesError } from "./fixtures/file-problem.ts";
export type { CreateOptions as MockOptions, StartOptions } from "./options.ts";

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
export async function createResourceMock(options: CreateOptions = {}): Promise<ResourceMock> {
  await checkMockOptions(options);
  const { cors, ...rest } = options;
  const engine = await loadEngine(rest);
  return inProcess(engine, createApp(engine, { version, cors: corsFor(cors), dashboardPage }), { url: NOWHERE });
}

/**
 * Starts a mock on a socket. Throws TypeError and FilesError as `createResourceMock` does, and an error with the `code`
 * of Node's own, such as EADDRINUSE, when it cannot listen.
 */
export async function startResourceMock(options: StartOptions = {}): Promise<StartedResourceMock> {
  await checkStartOptions(options);
  const { port = 0, host = "127.0.0.1", adminToken, cors, ...rest } = options;
  const engine = await loadEngine(rest);
  const app = createApp(engine, { version, adminToken, cors: corsFor(cors), dashboardPage });
  const server = await listen(app, { port, host });
  const stop = () => server.close();
  return { ...inProcess(engine, app, { url: server.url, stop, adminToken }), port: server.port };
}

/**
 * Returns the pages that may call. In jsdom and happy-dom, a client under test runs in a page of another origin. By
 * default all pages may call the service, and only pages of this machine may change the mock (decision 0013).
 */
function corsFor(option: CreateOptions["cors"]): Cors | undefined {
  if (option === false) return undefined;
  return option === undefined ? { service: "*", control: "loopback" } : corsOf(option);
}

function inProcess(
  engine: Engine,
  app: ReturnType<typeof createApp>,
  { url, stop, adminToken }: { url: string; stop?: () => Promise<void>; adminToken?: string },
): ResourceMock {
  const fetch: ResourceMock["fetch"] = async (input, init) => {
    const request = requestOf(input, init);
    request.signal.throwIfAborted();
    return unlessAborted(request.signal, app.fetch(request));
  };
  const close = async () => {
    engine.drain();
    await stop?.();
    await engine.projects.closeAll();
  };
  return { ...mockClient(connectionTo(url, { fetch, adminToken })), fetch, close, [Symbol.asyncDispose]: close };
}

/** Returns the request that a `fetch` is called with. A Request may be another realm's, and is read by its parts. */
function requestOf(input: Request | string | URL, init: RequestInit | undefined): Request {
  if (typeof input === "object" && "method" in input) {
    return init ? new Request(input.url, { ...requestParts(input), ...portable(init) }) : input;
  }
  const url = String(input);
  // Put together as text: a URL would take what follows two slashes for a host.
  return new Request(url.startsWith("/") ? NOWHERE + url : url, init && portable(init));
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
