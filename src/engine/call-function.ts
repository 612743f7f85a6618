import { performance } from "node:perf_hooks";
import { types } from "node:util";
import {
  bodiless,
  cut,
  declaredStatuses,
  isObject,
  join,
  MAX_BODY_BYTES,
  responseFor,
  ServiceError,
  shown,
  unknownName,
} from "../contract/index.ts";
import {
  type AnyFunction,
  type FunctionContext,
  type FunctionRequest,
  headerProblems,
  isOwnHeader,
  type ResponseHeaders,
  type ServiceResponse,
  type Stub,
} from "../rules/index.ts";
import type { ResourceRecord } from "../state/index.ts";
import type { Call } from "./call/call.ts";
import { checkStubBody, headerTexts, invalidStub } from "./call/response.ts";
import { header, readJsonBody } from "./call/service-request.ts";
import { endOf } from "./call/wait.ts";
import { addressedItem } from "./operations/find.ts";
import { queryValues } from "./render.ts";
import { assembled, type Content, contentFor, offContract } from "./stub.ts";

/**
 * Returns the response of the function, or undefined if it passes the request on. Throws InvalidStub if the function
 * throws, or if its response is invalid. Throws ServiceUnavailable and ClientGone if the call ends before the function.
 */
export async function callFunction(call: Call, run: AnyFunction, stub: Stub): Promise<ServiceResponse | undefined> {
  const started = performance.now();
  try {
    return await responseOf(call, run, stub);
  } finally {
    // A timer of 1,000 ms can end a fraction of a millisecond earlier.
    call.delayed += Math.max(0, Math.round(performance.now() - started));
  }
}

async function responseOf(call: Call, run: AnyFunction, stub: Stub): Promise<ServiceResponse | undefined> {
  const resource = addressedItem(call);
  const returned = await untilEnd(call, async (signal) => {
    try {
      const result: unknown = await run.respond(requestOf(call, signal), contextOf(call, resource));
      if (result === undefined) return undefined;
      // Reading the result calls code of the test too, such as getters and streams.
      return isResponse(result) ? await readResponse(result, run, stub) : readResult(result, run, stub);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      // The message, without the stack trace.
      throw invalidStub({ ...stub, label: `${stub.label} threw` }, "", cut(thrownText(error), 300));
    }
  });
  if (!returned) return undefined;
  const hint = returned.offContract ? undefined : "Set offContract to send other content.";
  const [problem] = headerProblems(returned.headers, "/headers", hint);
  if (problem) throw invalidStub(stub, problem.pointer, problem.message);
  const headers = headerTexts(returned.headers, stub);
  if (returned.offContract) return offContractResponse(returned, headers, stub);
  return contractResponse(call, returned, headers, stub);
}

/** Returns the request for a function. Its members are copies, made when the function reads them. */
function requestOf(call: Call, signal: AbortSignal): never {
  const { operation, request, path, bytes, json } = call;
  const names = Object.keys(request.headers);
  const members = {
    operation: operation.id,
    method: request.method,
    path: { ...path },
    query: structuredClone(queryValues(call)),
    headers: Object.fromEntries(names.map((name) => [name, header(request, name)])),
    get body(): unknown {
      if (json) return JSON.parse(new TextDecoder().decode(bytes));
      return bytes.length > 0 ? bytes.slice() : undefined;
    },
    signal,
  };
  return members satisfies Record<keyof FunctionRequest, unknown> as never;
}

function contextOf({ project }: Call, resource: ResourceRecord | undefined): FunctionContext {
  return {
    get resource() {
      return resource && JSON.parse(JSON.stringify(resource));
    },
    now: project.clock.timestamp(),
    uuid: () => project.stubbedId(),
    random: () => project.random(),
  };
}

/** Resolves with the result of `run`. Rejects earlier if the client disconnects, the project ends or the mock stops. */
async function untilEnd<T>(call: Call, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { engine, project, request } = call;
  const controller = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const signals = [request.signal(), project.ended, engine.stopping];
  const end = () => {
    const message = "The server stops before the function has responded";
    const reason = endOf(call) ?? new ServiceError({ code: "ServiceUnavailable", message }, { "Retry-After": "1" });
    reject(reason);
    controller.abort(reason);
  };
  for (const signal of signals) signal.addEventListener("abort", end);
  if (signals.some(({ aborted }) => aborted)) end();
  else run(controller.signal).then(resolve, reject);
  try {
    return await promise;
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", end);
  }
}

/** Returns the name and message of an error, or another thrown value. Reading a thrown value can throw again. */
function thrownText(error: unknown): string {
  try {
    const { name = "Error", message } = isObject(error) ? error : {};
    return message === undefined ? shown(error) : `${name}: ${message}`;
  } catch {
    return "an unreadable value";
  }
}

interface Returned {
  readonly status: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The body. If absent, a contract response gets the body of the fixture, and an off-contract response has no body. */
  readonly content?: Content;
  readonly offContract: boolean;
}

/** Returns whether the value is a Response, perhaps of another realm: test runners have classes of their own. */
function isResponse(value: unknown): value is Response {
  return isObject(value) && typeof value.arrayBuffer === "function" && isPairs(value.headers);
}

async function readResponse(response: Response, { offContract }: AnyFunction, stub: Stub): Promise<Returned> {
  if (response.bodyUsed) throw invalidStub(stub, "/body", "expected an unread body, found one that was read before");
  // A Response with text has the type text/plain, but the contract requires JSON. The body is decoded already.
  const omitted = offContract ? ["content-encoding"] : ["content-encoding", "content-type"];
  const isOmitted = (name: string) => isOwnHeader(name) || omitted.includes(name.toLowerCase());
  const headers = namedValues([...response.headers].filter(([name]) => !isOmitted(name)));
  const bytes = await bytesOf(response, stub);
  return { status: response.status, headers, ...(bytes.length > 0 && { content: inBytes(bytes) }), offContract };
}

async function bytesOf({ body }: Response, stub: Stub): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge(stub);
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

const members: readonly string[] = ["status", "headers", "body", "offContract"];

function readResult(result: unknown, run: AnyFunction, stub: Stub): Returned {
  if (!isObject(result)) {
    const message = `expected an object with status, headers and body, a Response, or undefined, found ${shown(result)}`;
    throw invalidStub(stub, "", message);
  }
  const unknown = Object.keys(result).find((name) => !members.includes(name));
  if (unknown !== undefined) throw invalidStub(stub, join("", unknown), unknownName("member", unknown, members));
  const { status, headers = {}, body, offContract = run.offContract } = result;
  if (typeof offContract !== "boolean") {
    throw invalidStub(stub, "/offContract", `expected true or false, found ${shown(offContract)}`);
  }
  return {
    status,
    headers: valuesOf(headers, stub),
    ...(body !== undefined && { content: contentOf(body, offContract, stub) }),
    offContract,
  };
}

function valuesOf(headers: unknown, stub: Stub): Returned["headers"] {
  if (isObject(headers) && !isPairs(headers)) return headers;
  const pairs = isPairs(headers) ? [...headers] : undefined;
  if (pairs?.every((pair) => Array.isArray(pair) && typeof pair[0] === "string")) return namedValues(pairs);
  throw invalidStub(stub, "/headers", `expected an object, found ${shown(headers)}`);
}

/** Returns the values by name. A Headers object has one pair for each cookie. */
function namedValues(pairs: readonly [name: string, value: string][]): Returned["headers"] {
  const groups = Map.groupBy(pairs, ([name]) => name.toLowerCase());
  return Object.fromEntries(
    Array.from(groups, ([name, group]) => [name, group.length > 1 ? group.map(([, value]) => value) : group[0]?.[1]]),
  );
}

/** Returns whether the value can be iterated, as a Headers object. */
function isPairs(value: unknown): value is Headers {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

/** Returns a copy of the body: the test can change its value later. Throws InvalidStub if it is no JSON or too large. */
function contentOf(body: unknown, offContract: boolean, stub: Stub): Content {
  const view = types.isAnyArrayBuffer(body) ? new Uint8Array(body) : body;
  if (ArrayBuffer.isView(view)) {
    const bytes = new Uint8Array(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return inBytes(withinLimit(bytes, stub));
  }
  const isText = offContract && typeof body === "string";
  const text = withinLimit(isText ? body : jsonOf(body, stub), stub);
  return { body: text, type: isText ? "text/plain; charset=utf-8" : "application/json" };
}

function inBytes(bytes: Uint8Array<ArrayBuffer>): Content {
  return { body: bytes, type: "application/octet-stream" };
}

/** Returns the body. Throws InvalidStub if it is too large. */
function withinLimit<Body extends string | Uint8Array>(body: Body, stub: Stub): Body {
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) throw tooLarge(stub);
  return body;
}

function tooLarge(stub: Stub): ServiceError {
  return invalidStub(stub, "/body", `expected at most ${MAX_BODY_BYTES} bytes, found more`);
}

/** Returns a response that the contract allows. Throws InvalidStub for any other status or body. */
async function contractResponse(call: Call, { status, content }: Returned, headers: ResponseHeaders, stub: Stub) {
  const statuses = declaredStatuses(call.operation);
  if (typeof status !== "number" || !responseFor(call.operation, status)) {
    const message = `expected a status of the operation (${statuses.join(", ")}), found ${shown(status)}. Set offContract to send any status.`;
    throw invalidStub(stub, "/status", message);
  }
  if (!content)
    return assembled(call, { ...(await contentFor(call, status, undefined)), headers, source: stub.source });
  if (!responseFor(call.operation, status)?.schema) {
    throw invalidStub(stub, "/body", "expected no body, as this response has none");
  }
  const bytes = Buffer.from(content.body);
  const reading = readJsonBody(bytes);
  if ("refusal" in reading) {
    throw invalidStub(stub, `/body${reading.refusal.pointer}`, `expected JSON: ${reading.refusal.message}`);
  }
  const { value } = reading;
  await checkStubBody(call, status, value, stub);
  return assembled(call, { status, value, text: new TextDecoder().decode(bytes), headers, source: stub.source });
}

/** Returns a response that the contract does not restrict. Throws InvalidStub if HTTP does not allow it. */
function offContractResponse({ status, content }: Returned, headers: ResponseHeaders, stub: Stub): ServiceResponse {
  if (typeof status !== "number" || !Number.isInteger(status) || status < 200 || status > 599) {
    throw invalidStub(stub, "/status", `expected a whole number from 200 to 599, found ${shown(status)}`);
  }
  return offContract({ status, headers }, bodiless.includes(status) ? undefined : content, stub);
}

/** Returns the JSON of a value. Throws InvalidStub if it has none. */
function jsonOf(value: unknown, stub: Stub): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    throw invalidStub(stub, "/body", `expected a JSON value: ${cut(thrownText(error), 200)}`);
  }
  if (json === undefined) throw invalidStub(stub, "/body", `expected a JSON value, found ${shown(value)}`);
  return json;
}
