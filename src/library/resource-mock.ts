import { ServiceError } from "../contract/index.ts";
import {
  type AddToProject,
  ControlError,
  connectionTo,
  mockClient,
  type ResourceMockClient,
} from "../control/client/index.ts";
import { addFunction, type Engine } from "../engine/index.ts";
import { portable, requestParts } from "../http/index.ts";
import { checkCreateOptions, checkStartOptions } from "./options/check.ts";
import type { CreateOptions, HttpsOptions, StartOptions } from "./options/options.ts";
import { NOWHERE, type RunningMock, runMock } from "./server.ts";

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

/**
 * Creates a mock that responds to its `fetch` and opens no socket. Throws TypeError for unknown and invalid options, and
 * FilesError if a file violates the contract.
 */
export async function createResourceMock(options: CreateOptions = {}): Promise<ResourceMock> {
  await checkCreateOptions(options);
  return inProcess(await runMock(options, { hasSocket: false }));
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
  const mock = await runMock(options);
  const { port, httpsUrl, caCertificate } = mock;
  const { adminToken } = options;
  return { ...inProcess(mock, adminToken), port, ...(httpsUrl !== undefined && { httpsUrl, caCertificate }) };
}

function inProcess({ engine, app, url, close }: RunningMock, adminToken?: string): ResourceMock {
  const fetch: ResourceMock["fetch"] = async (input, init) => {
    const request = requestOf(input, init);
    request.signal.throwIfAborted();
    return unlessAborted(request.signal, app.fetch(request));
  };
  const connection = connectionTo(url, { fetch, adminToken, addFunction: functionsOf(engine) });
  return { ...mockClient(connection), fetch, close, [Symbol.asyncDispose]: close };
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
