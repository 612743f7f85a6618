import { ServiceError } from "../contract/index.ts";
import { type AddToProject, ControlError, connectionTo, mockClient } from "../control/client/index.ts";
import { addFunction, type Engine } from "../engine/index.ts";
import { portable, requestParts } from "../http/index.ts";
import { checkCreateOptions, checkStartOptions } from "./options/check.ts";
import type { CreateOptions, StartOptions } from "./options/options.ts";
import type { ResourceMock, StartedResourceMock } from "./resource-mock.ts";
import { NOWHERE, type RunningMock, runMock } from "./server.ts";

/** Creates a mock without a socket. Loaded on demand, because a test file may import the library for its types and errors. */
export async function createMock(options: CreateOptions): Promise<ResourceMock> {
  await checkCreateOptions(options);
  return inProcess(await runMock(options, { hasSocket: false }));
}

/** Starts a mock on a socket. */
export async function startMock(options: StartOptions): Promise<StartedResourceMock> {
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
