import {
  cut,
  type ErrorDetail,
  invalidField,
  loadCheck,
  nearestOperations,
  readQuery,
  type Schema,
  ServiceError,
  unknownName,
} from "../contract/index.ts";
import { allowedOrigin, type Engine, header, isSameSecret, type ServiceRequest } from "../engine/index.ts";
import { type Project, projectEnded, projectKeyProblem } from "../project/index.ts";
import { readBody } from "./control-body.ts";
import {
  acceptsGzip,
  type ControlResponse,
  defectProblem,
  notFound,
  problemResponse,
  streamOf,
} from "./control-response.ts";
import type { Control, ControlOperation } from "./define-operation.ts";

/**
 * Handles a call of the control API: check access, read path, query and body, handle, check the response.
 * Never rejects: errors become problem details.
 */
export async function serveControl(
  control: Control,
  { operation, path }: { operation: ControlOperation; path: Readonly<Record<string, string>> },
  request: ServiceRequest,
): Promise<ControlResponse> {
  try {
    if (!operation.isOpen) admitCaller(control, request);
    if (operation.method !== "GET") admitOrigin(control, request);
    const response = await handle(control, operation, path, request);
    return sendable(control.engine.checkResponses ? await checked(operation, response) : response, request);
  } catch (error) {
    return failureProblem(control, error);
  }
}

/** Returns the response for a call without an operation: `error`, or 404 with the most similar paths. */
export async function refuseControl(
  control: Control,
  request: ServiceRequest,
  error?: ServiceError,
): Promise<ControlResponse> {
  try {
    admitCaller(control, request);
    throw error ?? (await unknownPath(control, request));
  } catch (thrown) {
    return failureProblem(control, thrown);
  }
}

async function unknownPath({ operations }: Control, { method, path }: ServiceRequest): Promise<ServiceError> {
  const nearest = nearestOperations(await operations(), method, path).map((each) => `${each.method} ${each.path}`);
  const message = `${method} ${path.slice(0, 200)} not found in the control API. Nearest: ${nearest.join(", ")}. For all calls, see GET /__admin/openapi.json`;
  return new ServiceError({ code: "EndpointNotFound", message });
}

/** Returns the response for an error that was thrown during a call. */
export function failureProblem({ engine }: Control, error: unknown): ControlResponse {
  if (error instanceof ServiceError) return problemResponse(error);
  engine.onDefect(error);
  return defectProblem();
}

const noContent: ControlResponse = { status: 204 };

async function handle(
  control: Control,
  operation: ControlOperation,
  path: Readonly<Record<string, string>>,
  request: ServiceRequest,
): Promise<ControlResponse> {
  const { engine } = control;
  const { projectKey } = path;
  const problem = projectKey === undefined ? undefined : projectKeyProblem(projectKey);
  if (problem) throw problem.code === "EndpointNotFound" ? notFound(problem.message) : problem;
  const { home } = engine;
  const stepKey = projectKey ?? "";
  const key = operation.isInProject ? projectKey : undefined;
  const arriving = key === undefined ? undefined : home.arriving(key, operation.opensProject);
  const projectIn = () => arriving ?? (key === undefined ? undefined : projectOf(operation, engine, key));
  const query = readParameters(operation, request);
  const body = await readBody(operation, request);
  let stepped: Project | undefined;
  const handleWith = (project: Project | undefined) =>
    operation.handle({
      control,
      engine,
      project,
      path,
      query,
      body,
      origin: request.origin,
      header: (name) => header(request, name),
      signal: request.signal,
      async step(use) {
        const before = stepped;
        return home.step(stepKey, async () => {
          // If another project has the key by now, the one of the step before has ended. A refused step runs again.
          stepped = projectIn() as Project;
          if (stepped.hasEnded || (before && before !== stepped)) throw projectEnded(stepped);
          const result = await use(stepped);
          if (stepped.hasEnded) throw projectEnded(stepped);
          return result;
        });
      },
    });
  const run = async (project = projectIn()) => {
    if (project?.hasEnded) throw projectEnded(project);
    const response = (await handleWith(project)) ?? noContent;
    if (project?.hasEnded) throw projectEnded(project);
    return response;
  };
  const { reach, projectsIn } = operation;
  if (reach === "process") return run();
  if (reach === "all projects") return home.withAll(() => run());
  const others = (projectsIn?.(body) ?? []).filter((other) => projectKeyProblem(other) === undefined);
  if (reach === "server" || others.length > 0) {
    return home.stepAlone(projectKey === undefined ? others : [projectKey, ...others], () => run());
  }
  if (reach === "own steps") return (await handleWith(undefined)) ?? noContent;
  // A call that only reads holds up no other request, as the value that it reads stays as it is.
  if (key !== undefined && !operation.opensProject) return run(await home.step(key, () => projectIn()?.view()));
  if (reach !== "wait") return home.step(stepKey, () => run());
  const end = new AbortController();
  try {
    await home.follow(stepKey, AbortSignal.any([end.signal, request.signal()]));
    // The wait itself holds up no other request.
    await home.step(stepKey, projectIn);
    return await run();
  } finally {
    end.abort();
  }
}

function projectOf({ opensProject }: ControlOperation, { projects }: Engine, key: string): Project {
  return opensProject ? projects.get(key) : projects.peek(key);
}

/** Returns the query parameters, typed by the operation. Unlike the service, rejects unknown names: they are likely typing errors. */
function readParameters(operation: ControlOperation, request: ServiceRequest) {
  const { values, violations, unnamed } = readQuery(operation.parameters, request.query);
  const known = operation.parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  const unknown = unnamed.map((name) => unknownParameter(name, known));
  if (violations.length + unknown.length > 0) throw new ServiceError([...violations, ...unknown]);
  return values;
}

function unknownParameter(name: string, known: readonly string[]): ErrorDetail {
  const field = name.slice(0, 100);
  return invalidField(field, unknownName("parameter", name, known));
}

/** Returns the response. Throws an Error if the operation does not declare its status, or if it violates the schema. */
async function checked({ id, responses }: ControlOperation, response: ControlResponse): Promise<ControlResponse> {
  const { status, json } = response;
  const declared = responses[status];
  if (!declared) throw new Error(`${id}: expected a declared status, found ${status}`);
  const pieces = response.pieces && [...response.pieces];
  const text = pieces ? pieces.join("") : JSON.stringify(json);
  const isLines = declared.mediaType === "application/x-ndjson";
  const values = isLines ? text?.trimEnd().split("\n") : text === undefined ? [] : [text];
  for (const value of declared.schema ? (values ?? []) : []) {
    const [problem] = (await loadCheck(declared.schema as Schema))(JSON.parse(value));
    if (problem) throw new Error(`${id} ${status}: ${problem.pointer}: ${problem.message}`);
  }
  return pieces ? { ...response, pieces } : response;
}

/** The length of a JSON text that is sent as it is, in UTF-16 units: compression would make it hardly smaller. */
const SHORT = 1400;
/**
 * The length of a text in pieces that is sent as a stream, in UTF-16 units. A shorter one is sent with its length. A
 * longer text in one piece is not compressed: many of them that wait for compression would fill the memory.
 */
const LONG = 64 * 1024;

/** Returns the response with its JSON as text, or as a stream if it is long: compressed if the client accepts that. */
async function sendable({ json, pieces, ...rest }: ControlResponse, request: ServiceRequest): Promise<ControlResponse> {
  if (json === undefined && !pieces) return rest;
  const headers = { "Content-Type": "application/json", ...rest.headers };
  const response = { ...rest, headers, content: pieces ? textOrStream(pieces) : JSON.stringify(json) };
  const length = typeof response.content === "string" ? response.content.length : undefined;
  const isPlain = length !== undefined && (length < SHORT || length > LONG);
  if (isPlain || headers["Content-Type"] !== "application/json" || !acceptsGzip((name) => header(request, name)))
    return response;
  const { gzipped } = await import("./compressed.ts");
  return gzipped(response);
}

function textOrStream(pieces: Iterable<string>): string | ReadableStream<Uint8Array> {
  const rest = Iterator.from(pieces);
  let text = "";
  while (text.length < LONG) {
    const { done, value } = rest.next();
    if (done) return text;
    text += value;
  }
  return streamOf(followed(text, rest));
}

function* followed(start: string, rest: Iterable<string>): Generator<string> {
  yield start;
  yield* rest;
}

/** Throws `invalid_token` (401) if the server has an admin token and the request does not contain it. */
function admitCaller({ adminToken: expected }: Control, request: ServiceRequest): void {
  if (expected === undefined) return;
  const sent = /^Bearer +(\S+)$/i.exec(header(request, "authorization") ?? "")?.[1];
  if (sent !== undefined && isSameSecret(sent, expected)) return;
  const message =
    sent === undefined
      ? 'Authorization: expected "Bearer <admin token>", found no bearer token'
      : "Authorization: expected the admin token, found another token";
  throw new ServiceError(
    { code: "invalid_token", message },
    { "WWW-Authenticate": 'Bearer realm="resource-mock admin"' },
  );
}

/**
 * Throws `CrossOriginRequest` (403) if a page of another origin sent the request and the server does not allow this
 * origin. Browsers send some cross-origin requests without a preflight request, so the server checks the header itself.
 */
function admitOrigin({ origins }: Control, request: ServiceRequest): void {
  // Only browsers send this header, with every request that can change data.
  const origin = header(request, "origin");
  const host = header(request, "host");
  if (origin === undefined || host === undefined || URL.parse(origin)?.host === host.toLowerCase()) return;
  if (origins !== undefined && allowedOrigin(origins, origin) !== undefined) return;
  const message = `Origin: expected the origin of this server, found "${cut(origin, 200)}". To allow an origin, use --cors or the option cors`;
  throw new ServiceError({ code: "CrossOriginRequest", message });
}
