import {
  cut,
  type FromSchema,
  findProblems,
  invalidField,
  JSON_TYPE,
  MAX_ARCHIVE_BYTES,
  MAX_BODY_BYTES,
  MAX_JSON_BYTES,
  nearestOperations,
  readQuery,
  type Schema,
  ServiceError,
  slashHint,
  unknownName,
} from "../contract/index.ts";
import {
  allowedOrigin,
  bodyViolation,
  contentLength,
  encodingProblem,
  header,
  isRebound,
  isSameSecret,
  mediaType,
  readJsonBody,
  refusedBody,
  type ServiceRequest,
} from "../engine/index.ts";
import { type Project, projectEnded, projectKeyProblem } from "../project/index.ts";
import {
  type ControlResponse,
  checked,
  defectProblem,
  notFound,
  problemResponse,
  sendable,
} from "./control-response.ts";
import { type Control, type ControlOperation, LINES_TYPE } from "./define-operation.ts";

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
    admitHost(control, request);
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
    admitHost(control, request);
    admitCaller(control, request);
    throw error ?? (await unknownPath(control, request));
  } catch (thrown) {
    return failureProblem(control, thrown);
  }
}

async function unknownPath({ operations }: Control, { method, path }: ServiceRequest): Promise<ServiceError> {
  const known = await operations();
  const nearest = nearestOperations(known, method, path).map((each) => `${each.method} ${each.path}`);
  const hint = slashHint(known, path);
  const message = `${method} ${path.slice(0, 200)} not found in the control API.${hint} Nearest: ${nearest.join(", ")}. For all calls, see GET /__admin/openapi.json`;
  return new ServiceError({ code: "EndpointNotFound", message });
}

export function failureProblem({ engine }: Control, error: unknown): ControlResponse {
  if (error instanceof ServiceError) return problemResponse(error);
  engine.onDefect(error);
  return defectProblem();
}

async function handle(
  control: Control,
  operation: ControlOperation,
  path: Readonly<Record<string, string>>,
  request: ServiceRequest,
): Promise<ControlResponse> {
  const arrivedAt = performance.now();
  const { engine } = control;
  const { home, projects } = engine;
  const { opensProject, reach, projectsIn } = operation;
  const loading = reach === "process" || reach === "all projects" ? undefined : engine.samples.load();
  if (loading) await loading;
  const { projectKey } = path;
  const problem = projectKey === undefined ? undefined : projectKeyProblem(projectKey);
  if (problem) throw problem.code === "EndpointNotFound" ? notFound(problem.message) : problem;
  const stepKey = projectKey ?? "";
  const key = operation.isInProject ? projectKey : undefined;
  const arriving = key === undefined ? undefined : home.arriving(key, opensProject);
  const projectIn = () => {
    if (arriving || key === undefined) return arriving;
    return opensProject ? home.opened(key, arrivedAt) : projects.peek(key);
  };
  const query = readParameters(operation, request);
  const body = await readBody(operation, request);
  let stepped: Project | undefined;
  const handleWith = async (project: Project | undefined): Promise<ControlResponse> => {
    const response = await operation.handle({
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
    return response ?? { status: 204 };
  };
  const run = async (project = projectIn()) => {
    if (project?.hasEnded) throw projectEnded(project);
    const response = await handleWith(project);
    if (project?.hasEnded) throw projectEnded(project);
    return response;
  };
  if (reach === "process") return run();
  if (reach === "all projects") return home.withAll(() => run());
  const others = (projectsIn?.(body) ?? []).filter((other) => projectKeyProblem(other) === undefined);
  if (reach === "server" || others.length > 0) {
    return home.stepAlone(projectKey === undefined ? others : [projectKey, ...others], () => run());
  }
  if (reach === "own steps") return handleWith(undefined);
  // A call that only reads holds up no other request, as the value that it reads stays as it is.
  if (key !== undefined && !opensProject) return run(await home.step(key, () => projectIn()?.view()));
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

/** Returns the query parameters, typed by the operation. Unlike the service, rejects unknown names: they are likely typing errors. */
function readParameters({ parameters }: ControlOperation, request: ServiceRequest) {
  const { values, violations, unnamed } = readQuery(parameters, request.query);
  const known = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  const unknown = unnamed.map((name) => invalidField(name.slice(0, 100), unknownName("parameter", name, known)));
  if (violations.length + unknown.length > 0) throw new ServiceError([...violations, ...unknown]);
  return values;
}

/**
 * Returns the JSON body of the request, validated for the operation. An absent optional body is `{}`. Of JSON lines,
 * returns the bytes.
 *
 * Throws UnsupportedMediaType if the body is encoded or has another content type: pages of other origins can send forms
 * without a preflight request. Throws ContentTooLarge, InvalidJsonInput and InvalidInput. Throws InvalidField with the
 * location of each schema violation.
 */
async function readBody(operation: ControlOperation, request: ServiceRequest): Promise<unknown> {
  const { method, body, shapeOf, holdsState, depth, bodyElsewhere } = operation;
  const type = mediaType(request);
  const { mediaTypes: expected } = body ?? { mediaTypes: [JSON_TYPE] };
  const isExpected = type !== undefined && expected.includes(type);
  if (!body && (method !== "POST" || isExpected || type === undefined)) return undefined;
  const hint = bodyElsewhere ? `. ${bodyElsewhere.hint}` : "";
  const message = `Content-Type: expected ${expected.join(" or ")}, found ${type ?? "nothing"}${hint}`;
  const problem = isExpected ? encodingProblem(request) : ({ code: "UnsupportedMediaType", message } as const);
  const limit = type === LINES_TYPE ? MAX_ARCHIVE_BYTES : holdsState ? MAX_BODY_BYTES : MAX_JSON_BYTES;
  const length = contentLength(request);
  // A client that sends the body only after 100 saves it.
  if (problem && length > 0 && length <= limit) throw new ServiceError(problem);
  const bytes = await request.readBody(limit);
  if (bytes.length === 0) {
    // An empty body may have any content type: `curl -d ''` sends the type of a form.
    if (!body?.required) return body && {};
    const message = `body: expected JSON (${expected.join(" or ")}), found nothing`;
    throw new ServiceError({ code: "InvalidInput", message });
  }
  if (problem) throw new ServiceError(problem);
  bodyElsewhere?.refuse(bytes);
  if (type === LINES_TYPE) return bytes;
  const reading = readJsonBody(bytes, depth);
  if ("refusal" in reading) throw refusedBody(reading.refusal);
  const schema = shapeOf?.(reading.value) ?? body?.schema;
  return schema ? validated(schema, reading.value, "") : reading.value;
}

/** Validates the value at `pointer` in the body and returns it. Throws InvalidField with each problem. */
export async function validated<S extends Schema>(schema: S, value: unknown, pointer: string): Promise<FromSchema<S>> {
  const problems = await findProblems(schema, value);
  if (problems.length === 0) return value as FromSchema<S>;
  throw new ServiceError(problems.map((problem) => bodyViolation({ ...problem, pointer: pointer + problem.pointer })));
}

/** Throws `CrossOriginRequest` (403) if a browser sent the request to a host name that another site can have. */
function admitHost(control: Control, request: ServiceRequest): void {
  if (!isRebound(request, control)) return;
  const expected = "expected an IP address, localhost, a name without a dot, or an allowed name";
  const found = cut(header(request, "host") ?? "", 200);
  const message = `Host: ${expected}, found "${found}". To allow a name, use --allowed-host or the option allowedHosts`;
  throw new ServiceError({ code: "CrossOriginRequest", message });
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
  const headers = { "WWW-Authenticate": 'Bearer realm="resource-mock admin"' };
  throw new ServiceError({ code: "invalid_token", message }, headers);
}

/**
 * Throws `CrossOriginRequest` (403) if a page of another origin sent the request and the server does not allow this
 * origin. Browsers send some cross-origin requests without a preflight request, so the server checks the header itself.
 */
function admitOrigin({ origins }: Control, request: ServiceRequest): void {
  // Only browsers send these headers. Behind a proxy that ends TLS, the scheme of the page is not that of the request.
  const origin = header(request, "origin");
  const host = header(request, "host");
  if (origin === undefined || host === undefined || header(request, "sec-fetch-site") === "same-origin") return;
  const page = URL.parse(origin)?.origin;
  if (page !== undefined && page === URL.parse(request.origin.replace(/\/\/.*/, `//${host}`))?.origin) return;
  if (origins !== undefined && allowedOrigin(origins, origin) !== undefined) return;
  const message = `Origin: expected the origin of this server, found "${cut(origin, 200)}". To allow an origin, use --cors or the option cors`;
  throw new ServiceError({ code: "CrossOriginRequest", message });
}
