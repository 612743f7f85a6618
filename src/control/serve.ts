import { header, type ServiceRequest } from "../call/request.ts";
import { nearestOperations } from "../contract/nearest.ts";
import { readQuery } from "../contract/parameters.ts";
import { type ErrorDetail, invalidField, ServiceError } from "../contract/service-error.ts";
import { loadCheck } from "../contract/validator.ts";
import { projectEnded } from "../projects/project.ts";
import { projectKeyProblem } from "../projects/projects.ts";
import { unknownName } from "../text/nearest.ts";
import { admitCaller, admitOrigin } from "./access.ts";
import { readBody } from "./body.ts";
import type { Control, ControlOperation } from "./operation.ts";
import { defectProblem, notFound, problemResponse } from "./problem.ts";
import { type ControlResponse, streamOf } from "./response.ts";

/**
 * The way of every call of the control API: admit → read the path, the query and the body → handle → check.
 * Never rejects: an error is answered as problem details.
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
    return sent(control.engine.checkAnswers ? await checked(operation, response) : response);
  } catch (error) {
    return failureProblem(control, error);
  }
}

/** Answers a call that is no operation's: with `error`, or that there is no such path, naming the nearest. */
export function refuseControl(control: Control, request: ServiceRequest, error?: ServiceError): ControlResponse {
  try {
    admitCaller(control, request);
    throw error ?? unknownPath(control, request);
  } catch (thrown) {
    return failureProblem(control, thrown);
  }
}

function unknownPath({ operations }: Control, { method, path }: ServiceRequest): ServiceError {
  const nearest = nearestOperations(operations, method, path).map((each) => `${each.method} ${each.path}`);
  const message = `${method} ${path.slice(0, 200)} is not in the control API (GET /__admin/openapi.json describes it). Nearest: ${nearest.join(", ")}`;
  return new ServiceError({ code: "EndpointNotFound", message });
}

/** The answer to what was thrown while a call was handled. */
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
  const { engine } = control;
  const { projectKey } = path;
  const problem = projectKey === undefined ? undefined : projectKeyProblem(projectKey);
  if (problem) throw problem.code === "EndpointNotFound" ? notFound(problem.message) : problem;
  // Found before anything is waited for: what has come in its place by then is not what was called for.
  const project = operation.isInProject && projectKey !== undefined ? engine.projects.get(projectKey) : undefined;
  const query = readParameters(operation, request);
  const body = await readBody(operation, request);
  if (project?.hasEnded) throw projectEnded(project);
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
  });
  if (project?.hasEnded) throw projectEnded(project);
  return response;
}

/** The query as the operation types it. Unlike the service, a name that is not known is refused: it was meant to do something. */
function readParameters(operation: ControlOperation, request: ServiceRequest) {
  const { values, violations, unnamed } = readQuery(operation.parameters, request.query);
  const known = operation.parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  const unknown = unnamed.map((name) => unknownParameter(name, known));
  if (violations.length + unknown.length > 0) throw new ServiceError([...violations, ...unknown]);
  return values;
}

function unknownParameter(name: string, known: readonly string[]): ErrorDetail {
  const field = name.slice(0, 100);
  return invalidField(field, unknownName(name, known));
}

/** Returns the answer. Throws a defect when it is not one that the operation's description declares. */
async function checked({ id, responses }: ControlOperation, answer: ControlResponse): Promise<ControlResponse> {
  const { status, json } = answer;
  const response = responses[status];
  if (!response) throw new Error(`${id} answered ${status}, which is not declared`);
  const pieces = answer.pieces && [...answer.pieces];
  const text = pieces ? pieces.join("") : JSON.stringify(json);
  if (text !== undefined && response.schema) {
    const [problem] = (await loadCheck(response.schema))(JSON.parse(text));
    if (problem) throw new Error(`${id} ${status}: ${problem.pointer}: ${problem.message}`);
  }
  return pieces ? { ...answer, pieces } : answer;
}

/** The answer with its pieces as a stream. */
function sent({ pieces, ...response }: ControlResponse): ControlResponse {
  if (!pieces) return response;
  return {
    ...response,
    headers: { "Content-Type": "application/json", ...response.headers },
    content: streamOf(pieces),
  };
}
