import { ServiceError } from "../contract/index.ts";
import {
  type AddToProject,
  ControlError,
  connectionTo,
  mockClient,
  type ResourceMockClient,
} from "../control/client/index.ts";
import { addFunction, type Engine } from "../engine/index.ts";
import { type Cors, corsOf, createApp, listen, portable, requestParts } from "../http/index.ts";
import { reportOfCoverage } from "../journal/index.ts";
import { pages } from "../page/index.ts";
import { collectReport, isCollected } from "../tools/gate/index.ts";
import { loadEngine } from "./mock.ts";
import {
  type CreateOptions,
  checkMockOptions,
  checkStartOptions,
  type HttpsOptions,
  type StartOptions,
} from "./options/options.ts";
import { version } from "./version.ts";

export { VerificationError } from "../control/client/index.ts";
export { type FileProblem, FilesError } from "../state/index.ts";
export type { CreateOptions as MockOptions, HttpsOptions, StartOptions } from "./options/options.ts";
export { ControlError };

/** A mock in this process, without a socket. The client under test and `project()` send requests through its `fetch`. */
export interface ResourceMock extends ResourceMockClient, AsyncDisposable {
  /**
   * Returns the same response as the server. The host of the URL is ignored. Rejects if a scenario breaks the connection.
   */
  fetch(request: Request | string | URL, init?: RequestInit): Promise<Response>;
  /** Stops the mock, writes the reports of the option `report`, and deletes all its projects. */
  close(): Promise<void>;
}

/** A mock in this process that also listens on a socket, at `url`. */
export interface StartedResourceMock extends ResourceMock {
  readonly port: number;
  /** `https://host:port`, with the option `https`. */
  readonly httpsUrl?: string;
  /** The CA that signed the certificate of `httpsUrl`, as PEM, unless the option `https` names a certificate. */
  readonly caCertificate?: string;
}

/** A mock that also listens for HTTPS, with a certificate that it has created. */
export type SecureResourceMock = StartedResourceMock &
  Required<Pick<StartedResourceMock, "httpsUrl" | "caCertificate">>;

/** The options of HTTPS with a certificate that the mock creates. */
type CreatedCertificate = HttpsOptions & { readonly cert?: undefined; readonly key?: undefined };

/** The `url` of a mock without a socket. */
const NOWHERE = "http://resource-mock";

/**
 * Creates a mock that responds to its `fetch` and opens no socket. Throws TypeError for unknown and invalid options, and
 * FilesError if a file violates the contract.
 */
export async function createResourceMock(options: CreateOptions = {}): Promise<ResourceMock> {
  await checkMockOptions(options);
  const { cors, report, ...rest } = options;
  await prepareReport(report);
  const engine = await loadEngine(rest);
  return inProcess(engine, createApp(engine, { version, cors: corsFor(cors), pages }), { url: NOWHERE, report });
}

/**
 * Starts a mock on a socket, and on another one with the option `https`. Throws TypeError and FilesError as
 * `createResourceMock` does. If it cannot listen, throws an error with the `code` of Node, such as EADDRINUSE.
 */
export function startResourceMock(
  options: StartOptions & { readonly https: true | CreatedCertificate },
): Promise<SecureResourceMock>;
export function startResourceMock(options?: StartOptions): Promise<StartedResourceMock>;
export async function startResourceMock(options: StartOptions = {}): Promise<StartedResourceMock> {
  await checkStartOptions(options);
  const { port = 0, host = "127.0.0.1", adminToken, cors, report, https: secure, ...rest } = options;
  await prepareReport(report);
  const https = secure ? await httpsOptions(secure === true ? {} : secure, host) : undefined;
  const engine = await loadEngine(rest);
  const { caCertificate } = https ?? {};
  const app = createApp(engine, { version, adminToken, cors: corsFor(cors, adminToken), caCertificate, pages });
  const server = await listen(app, { port, host, https }).catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
  const stop = () => server.close();
  const { httpsUrl } = server;
  const mock = inProcess(engine, app, { url: server.url, stop, adminToken, report });
  return { ...mock, port: server.port, ...(httpsUrl !== undefined && { httpsUrl, caCertificate }) };
}

async function httpsOptions({ port = 0, ...options }: HttpsOptions, host: string) {
  const { loadIdentity } = await import("../http/tls/index.ts");
  return { ...(await loadIdentity(options, host)), port };
}

/**
 * Returns the origins whose pages may call the mock. In jsdom and happy-dom, a client under test runs in a page of
 * another origin. By default all pages may call the service, and only pages of this machine may call the control API
 * (decision 0013).
 */
function corsFor(option: CreateOptions["cors"], adminToken?: string): Cors | undefined {
  if (option === false) return undefined;
  return corsOf(option ?? "*", option === undefined ? undefined : adminToken);
}

function inProcess(
  engine: Engine,
  app: ReturnType<typeof createApp>,
  { url, stop, adminToken, report }: { url: string; stop?: () => Promise<void>; adminToken?: string; report?: string },
): ResourceMock {
  const fetch: ResourceMock["fetch"] = async (input, init) => {
    const request = requestOf(input, init);
    request.signal.throwIfAborted();
    return unlessAborted(request.signal, app.fetch(request));
  };
  const end = async () => {
    engine.drain();
    await stop?.();
    if (isCollected(process))
      collectReport(process, url, reportOfCoverage(engine.coverageSinceStart(), engine.contract));
    try {
      if (report !== undefined) await (await import("./report/index.ts")).writeReportAtStop(engine, report, version);
    } finally {
      await engine.close();
    }
  };
  let ending: Promise<void> | undefined;
  const close = () => {
    ending ??= end();
    return ending;
  };
  const connection = connectionTo(url, { fetch, adminToken, addFunction: functionsOf(engine) });
  return { ...mockClient(connection), fetch, close, [Symbol.asyncDispose]: close };
}

/** Throws an Error if reports cannot be written to the folder of the option `report`. */
async function prepareReport(report: string | undefined): Promise<void> {
  if (report === undefined) return;
  const { prepareFolder } = await import("../homes/files/index.ts");
  await prepareFolder(report).catch((error: Error) => {
    throw new Error(`report: ${error.message}`);
  });
}

/** Returns the method that adds functions to the projects of the engine. It throws ControlError as other methods do. */
function functionsOf(engine: Engine): AddToProject {
  return (...added) => {
    try {
      return addFunction(engine, ...added);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw new ControlError("handle", { status: error.status, problem: { detail: error.message } });
    }
  };
}

/** Returns the request for the arguments of `fetch`. `new Request` rejects a Request of another realm: copy its parts. */
function requestOf(input: Request | string | URL, init: RequestInit | undefined): Request {
  if (typeof input === "object" && "method" in input) {
    return init ? new Request(input.url, { ...requestParts(input), ...portable(init) }) : input;
  }
  const url = String(input);
  // Joined as text: `new URL` reads the text after two slashes as a host.
  return new Request(url.startsWith("/") ? NOWHERE + url : url, init && portable(init));
}

/** Returns the response. Rejects as soon as the signal aborts, as `fetch` does, even if the request is in progress. */
function unlessAborted(signal: AbortSignal, response: Response | Promise<Response>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    Promise.resolve(response)
      .finally(() => signal.removeEventListener("abort", abort))
      .then(resolve, reject);
  });
}
