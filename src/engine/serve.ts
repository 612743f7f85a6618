import { authorize } from "../auth/authorize.ts";
import { ServiceError } from "../contract/errors.ts";
import type { ServiceOperation } from "../contract/operations.ts";
import type { Exchange } from "../journal/journal.ts";
import { handlers } from "../operations/handlers.ts";
import type { Project } from "../projects/project.ts";
import { type Answer, defectAnswer, errorAnswer } from "./answer.ts";
import type { Call } from "./call.ts";
import type { Engine } from "./engine.ts";
import { receiveBody } from "./receive.ts";
import { header, type ServiceRequest } from "./request.ts";
import { checkAnswer, validateRequest } from "./validate.ts";

/** An answer on its way out, with the id under which the journal keeps it. */
export interface Served {
  readonly answer: Answer;
  readonly requestId: string;
}

/**
 * The way of every request to an operation: receive → authorize → validate → answer → check → journal.
 * Never rejects: an error of the service is its answer, and a defect of ours is told apart from every mocked error.
 */
export async function serve(
  engine: Engine,
  project: Project,
  { operation, path }: { operation: ServiceOperation; path: Readonly<Record<string, string>> },
  request: ServiceRequest,
): Promise<Served> {
  const started = performance.now();
  const receivedAt = project.clock.now();
  const call = openCall(engine, project, operation, path, request);
  let answer: Answer;
  try {
    if (operation.body) await receiveBody(call);
    authorizeCall(call);
    await validateRequest(call);
    answer = await handlers[operation.id](call);
    if (engine.checkAnswers) await checkAnswer(call, answer);
  } catch (error) {
    answer = failureAnswer(engine, error);
  }
  return journal(engine, project, request, answer, { receivedAt, started }, call);
}

/**
 * Answers a request that names no operation: an unknown path (404) or a wrong method (405). It is journaled where its
 * path names a project.
 */
export function refuse(
  engine: Engine,
  project: Project | undefined,
  error: ServiceError,
  request: ServiceRequest,
): Served {
  const answer = errorAnswer(error);
  if (!project) return { answer, requestId: "none" };
  return journal(engine, project, request, answer, { receivedAt: project.clock.now(), started: performance.now() });
}

const NO_BYTES = new Uint8Array(0);
const NONE: readonly never[] = [];

function openCall(
  engine: Engine,
  project: Project,
  operation: ServiceOperation,
  path: Call["path"],
  request: ServiceRequest,
): Call {
  return {
    engine,
    project,
    operation,
    request,
    path,
    settings: project.settings,
    query: {},
    unnamed: NONE,
    bytes: NO_BYTES,
    json: undefined,
    clientId: undefined,
    decisions: [],
    violations: [],
  };
}

function authorizeCall(call: Call): void {
  const { clientId, decision } = authorize(call.settings.auth, call.engine.tokens, {
    header: header(call.request, "authorization"),
    operation: call.operation,
    projectKey: call.project.key,
    now: call.project.clock.now(),
  });
  call.clientId = clientId;
  call.decisions.push(decision);
}

function failureAnswer(engine: Engine, error: unknown): Answer {
  if (error instanceof ServiceError) return errorAnswer(error);
  engine.onDefect(error);
  return defectAnswer();
}

function journal(
  engine: Engine,
  project: Project,
  request: ServiceRequest,
  answer: Answer,
  { receivedAt, started }: { receivedAt: number; started: number },
  call?: Call,
): Served {
  const requestId = project.newRequestId();
  const exchange: Exchange = {
    id: requestId,
    receivedAt,
    duration: performance.now() - started,
    method: request.method,
    path: request.path,
    query: request.query,
    headers: request.headers,
    requestBody: call && call.bytes.length > 0 ? call.bytes : undefined,
    operationId: call?.operation.id,
    status: answer.status,
    responseHeaders: answer.headers,
    responseBody: answer.body,
    source: answer.source,
    decisions: call?.decisions ?? NONE,
    violations: call?.violations ?? NONE,
    unnamed: call?.unnamed ?? NONE,
  };
  project.journal.add(exchange);
  engine.onExchange?.(project.key, exchange);
  return { answer, requestId };
}
