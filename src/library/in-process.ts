import { ServiceError } from "../contract/index.ts";
import type { AddToProject } from "../control/client/index.ts";
import { addFunction } from "../engine/index.ts";
import { NOWHERE, type RunningMock, runMock } from "./mock.ts";
import type { CreateOptions, StartOptions } from "./options/options.ts";
import { checkOptions, mockFlagsOf, readOptions, textsIn } from "./options/read.ts";
import { portable, requestParts } from "./request-parts.ts";
import type { StartedResourceMock } from "./resource-mock.ts";

/**
 * A mock in this process without its client. Loaded on demand, because a test file may import the library for its types
 * and errors. In CommonJS, Node loads it as an ES module, so its classes differ from those of the caller.
 */
export interface InProcess
  extends Pick<StartedResourceMock, "fetch" | "close">,
    Partial<Pick<StartedResourceMock, "port" | "httpsUrl" | "caCertificate">> {
  readonly url: string;
  readonly servers: readonly string[];
  readonly adminToken: string | undefined;
  readonly addFunction: AddToProject;
}

/** Creates a mock without a socket. */
export async function createMock(options: CreateOptions): Promise<InProcess> {
  await checkOptions("createResourceMock", options);
  return inProcess(await runMock(options, { hasSocket: false }));
}

/** Starts a mock on a socket. */
export async function startMock(options: StartOptions): Promise<InProcess> {
  await checkOptions("startResourceMock", options);
  const mock = await runMock(options);
  const { port, httpsUrl, caCertificate } = mock;
  return { ...inProcess(mock, options.adminToken), port, ...(httpsUrl !== undefined && { httpsUrl, caCertificate }) };
}

/**
 * Starts a mock on a free port. The `RESOURCE_MOCK_…` variables of the command line configure it, except those of the
 * address, the ports and HTTPS: tests reach the mock over HTTP. The default of `RESOURCE_MOCK_CORS` differs: it is the
 * default of `startResourceMock`.
 *
 * @param environment the variables to read; in Jest, a test may have other variables than its process
 */
export async function startFromEnvironment(environment: NodeJS.ProcessEnv): Promise<InProcess> {
  const options = await readOptions(mockFlagsOf("tests"), (flag) => {
    const texts = textsIn(environment, flag);
    return texts && [flag.variable, texts];
  });
  return startMock({ ...options, report: undefined });
}

/** Returns the document of a contract as one JSON text. Throws DocumentError if it is no OpenAPI document. */
export async function textOfContract(contract: string | object): Promise<string> {
  const { readDocument } = await import("../openapi/read/index.ts");
  return JSON.stringify((await readDocument(contract)).document);
}

function inProcess({ engine, app, url, close }: RunningMock, adminToken?: string): InProcess {
  let isClosed = false;
  const requireOpen = () => {
    if (isClosed) throw new Error("expected a running mock, found one after close()");
  };
  return {
    url,
    servers: engine.contract.addresses.servers,
    adminToken,
    close() {
      isClosed = true;
      return close();
    },
    async fetch(input, init) {
      requireOpen();
      const request = requestOf(input, init?.body ? { ...init, body: await portableBody(init.body) } : init);
      request.signal.throwIfAborted();
      return unlessAborted(request.signal, app.fetch(request));
    },
    addFunction(...added) {
      requireOpen();
      try {
        return addFunction(engine, ...added);
      } catch (error) {
        if (error instanceof TypeError) return error.message;
        if (!(error instanceof ServiceError)) throw error;
        return { status: error.status, problem: { detail: error.message } };
      }
    },
  };
}

/** Returns the request for the arguments of `fetch`. `new Request` rejects a Request of another realm: copy its parts. */
function requestOf(input: Request | string | URL, init: RequestInit | undefined): Request {
  if (typeof input === "object" && "method" in input) {
    if (input instanceof Request && !init) return input;
    return new Request(input.url, { ...requestParts(input), ...(init && portable(init)) });
  }
  const url = String(input);
  // Joined as text: `new URL` reads the text after two slashes as a host.
  return new Request(url.startsWith("/") ? NOWHERE + url : url, init && portable(init));
}

/** Returns the body. `new Request` makes text of a Blob or URLSearchParams of another realm: copy its content. */
async function portableBody(body: BodyInit): Promise<BodyInit> {
  if (Object.prototype.toString.call(body) === "[object URLSearchParams]") return new URLSearchParams(String(body));
  if (typeof body !== "object" || !("slice" in body && "type" in body)) return body;
  if (body.arrayBuffer) return new Blob([await body.arrayBuffer()], { type: body.type });
  throw new TypeError("fetch: expected a body that can be read, found a Blob without arrayBuffer(), as in jsdom");
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
