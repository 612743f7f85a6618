import { authorize } from "../auth/authorize.ts";
import type { Call } from "../call/call.ts";
import { header, type ServiceRequest } from "../call/request.ts";
import { defectResponse, errorResponse, noResponse, type ServiceResponse } from "../call/response.ts";
import { ClientGone } from "../call/slice.ts";
import type { ServiceOperation } from "../contract/contract.ts";
import { ServiceError } from "../contract/service-error.ts";
import type { Exchange } from "../journal/exchange.ts";
import { requestEvent } from "../journal/feed.ts";
import { handlerOf } from "../operations/handlers.ts";
import { type Project, projectEnded } from "../projects/project.ts";
import { writeAsAnotherClient } from "./conflict.ts";
import { brokenInstead, delivered } from "./deliver.ts";
import type { Engine } from "./engine.ts";
import { holdBack } from "./hold-back.ts";
import { receiveBody } from "./receive.ts";
import { type CallEffects, isSteered, noEffects, steeringOf } from "./steering.ts";
import { preferredResponse, stubResponse } from "./stub.ts";
import { checkResponse, validateRequest } from "./validate.ts";

/** An answer on its way out, with the id under which the journal keeps it. */
export interface Served {
  readonly answer: ServiceResponse;
  readonly requestId: string;
}

/**
 * The way of every request to an operation: receive → authorize → validate → choose effects → hold back → answer →
 * check → deliver → journal. Nearly every request has no effects but being answered.
 * Never rejects: an error of the service is its answer, and a defect of ours is told apart from every mocked error.
 */
export async function serve(
  engine: Engine,
  project: Project,
  { operation, path }: { operation: ServiceOperation; path: Readonly<Record<string, string>> },
  request: ServiceRequest,
): Promise<Served> {
  const arrival = arrivalIn(engine, project);
  const call = openCall(engine, project, operation, path, request);
  let effects = noEffects;
  let response: ServiceResponse;
  try {
    if (operation.body) await receiveBody(call);
    const steering = isSteered(call) ? await steeringOf(call) : undefined;
    steering?.changeSettings();
    authorizeCall(call);
    await validateRequest(call);
    if (steering) effects = steering.chooseEffects();
    if (effects.latency || call.settings.latency) await holdBack(call, effects.latency);
    response = await (effects === noEffects ? handlerOf(operation)(call) : respondWith(call, effects));
    if (engine.checkAnswers) await checkResponse(call, response);
  } catch (error) {
    response = failureResponse(engine, call, error);
  }
  if (effects !== noEffects) response = delivered(call, response, effects);
  return journal(engine, project, request, response, arrival, call, forcedBy(response, effects));
}

/** The decision that forced the answer; none for one of the operation, or an error. */
function forcedBy({ source }: ServiceResponse, { ending, preferred, decision }: CallEffects): string | undefined {
  if (source === "error" || source === "defect") return undefined;
  return preferred ? decision : ending?.decision;
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
  const response = errorResponse(error);
  if (!project) return { answer: response, requestId: "none" };
  return journal(engine, project, request, response, arrivalIn(engine, project), { decisions: [refusal(error)] });
}

function refusal({ code, message }: ServiceError): string {
  return `refused: ${code}: ${message}`;
}

interface Arrival {
  /** Milliseconds, by the project's clock. */
  readonly receivedAt: number;
  /** Milliseconds, by the server's clock. */
  readonly serverTime: number;
  /** The request's number among all that have arrived. */
  readonly number: number;
  /** Milliseconds, of `performance.now`. */
  readonly started: number;
}

let arrivals = 0;

function arrivalIn(engine: Engine, { clock }: Project): Arrival {
  return {
    receivedAt: clock.now(),
    serverTime: engine.now(),
    number: ++arrivals,
    started: performance.now(),
  };
}

const NO_BYTES = new Uint8Array(0);
const NONE: readonly never[] = [];
const NO_PARAMETERS: Readonly<Record<string, string>> = {};

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
    applied: NONE,
    decisions: [],
    violations: [],
  };
}

function authorizeCall(call: Call): void {
  const { clientId, decision } = authorize(call.settings.auth, call.engine.tokens, {
    header: header(call.request, "authorization"),
    operation: call.operation,
    projectKey: call.project.key,
    clock: call.project.clock,
    serverNow: call.engine.now,
  });
  call.clientId = clientId;
  call.decisions.push(decision);
}

/** The answer that the effects ask for: one of their own, or that of the operation after another client's write. */
async function respondWith(call: Call, effects: CallEffects): Promise<ServiceResponse> {
  const { conflict, preferred, ending } = effects;
  if (conflict) await writeAsAnotherClient(call);
  const broken = brokenInstead(call, effects);
  if (broken) return broken;
  if (preferred) return preferredResponse(call, preferred);
  const respond = ending?.effect.respond;
  return respond ? stubResponse(call, respond, ending.source) : handlerOf(call.operation)(call);
}

/** Nobody sees it: the journal does. */
const goneResponse = noResponse("error", { fault: "CONNECTION_RESET_BY_PEER", noise: NO_BYTES });

function failureResponse({ onDefect }: Engine, { decisions }: Call, error: unknown): ServiceResponse {
  if (error instanceof ServiceError) {
    decisions.push(refusal(error));
    return errorResponse(error);
  }
  if (error instanceof ClientGone) return goneResponse;
  onDefect(error);
  return defectResponse();
}

function journal(
  engine: Engine,
  project: Project,
  request: ServiceRequest,
  response: ServiceResponse,
  { receivedAt, serverTime, number, started }: Arrival,
  call: Pick<Call, "decisions"> & Partial<Call>,
  forcedBy?: string,
): Served {
  // A request that is late has no place in the project that has come instead: it is answered so, and leaves no trace.
  const isLate = project.hasEnded;
  if (isLate) response = errorResponse(projectEnded(project));
  const requestId = isLate ? "none" : project.newRequestId();
  const exchange: Exchange = {
    id: requestId,
    receivedAt,
    serverTime,
    arrival: number,
    // A suite that embeds the mock may set the clock meanwhile.
    duration: Math.max(0, performance.now() - started),
    method: request.method,
    path: request.path,
    query: request.query,
    headers: request.headers,
    requestBody: call.bytes?.length ? call.bytes : undefined,
    operationId: call.operation?.id,
    pathParameters: call.path ?? NO_PARAMETERS,
    actions: call.applied ?? NONE,
    status: response.status,
    responseHeaders: response.headers,
    responseBody: response.body,
    source: response.source,
    decisions: call.decisions,
    forcedBy,
    violations: call.violations ?? NONE,
    unnamed: call.unnamed ?? NONE,
  };
  project.record(exchange);
  if (engine.feed.isPublishing && !isLate) engine.feed.publish("request", project.key, requestEvent(exchange));
  engine.onExchange?.(project.key, exchange);
  return { answer: response, requestId };
}
