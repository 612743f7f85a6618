import { connectionTo, type ResourceMockClient, testClient } from "../control/client/index.ts";
import { FilesError } from "../state/index.ts";
import type { InProcess } from "./in-process.ts";
import { importInProcess } from "./open-mock.ts";
import type { CreateOptions, HttpsOptions, StartOptions } from "./options/options.ts";

export { ControlError, VerificationError } from "../control/client/index.ts";
export { type FileProblem, FilesError } from "../state/index.ts";
export type { CreateOptions as MockOptions, HttpsOptions, StartOptions } from "./options/options.ts";

/** A mock in this process, without a socket. The client under test and `project()` send requests through its `fetch`. */
export interface ResourceMock extends ResourceMockClient, AsyncDisposable {
  /**
   * Returns the same response as the server. The host of the URL is ignored. Rejects if a scenario breaks the connection.
   */
  fetch(request: Request | string | URL, init?: RequestInit): Promise<Response>;
  /** The URLs of the real service, as its contract names them. */
  readonly servers: readonly string[];
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
  return withClient((await importInProcess()).createMock(options));
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
  return withClient((await importInProcess()).startMock(options)) as Promise<StartedResourceMock>;
}

async function withClient(starting: Promise<InProcess>): Promise<ResourceMock> {
  const { url, adminToken, addFunction, ...mock } = await starting.catch((error) => Promise.reject(ownError(error)));
  const connection = connectionTo(url, { fetch: mock.fetch, adminToken, addFunction });
  return { ...testClient(connection), ...mock, [Symbol.asyncDispose]: mock.close };
}

/** Returns the error with the class of the caller, which in CommonJS is another one. */
function ownError(error: Error & Pick<FilesError, "problems">): Error {
  if (error instanceof FilesError || error instanceof TypeError) return error;
  if (error.name === "FilesError") return new FilesError(error.problems);
  return error.name === "TypeError" ? new TypeError(error.message) : error;
}
