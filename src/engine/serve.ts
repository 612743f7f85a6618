import { authorize } from "../auth/authorize.ts";
import { type Call, type Forwarding, violate } from "../call/call.ts";
import { header, type ServiceRequest } from "../call/request.ts";
import { defectResponse, errorResponse, noResponse, type ServiceResponse } from "../call/response.ts";
import { ClientGone } from "../call/slice.ts";
import type { ServiceOperation } from "../contract/contract.ts";
import { ServiceError } from "../contract/service-error.ts";
import { handlerOf } from "../operations/handlers.ts";
import { actionsIn } from "../operations/update.ts";
import type { Project } from "../projects/project.ts";
import type { SelectedSandbox } from "../sandbox/sandbox.ts";
import type { ChosenEffect } from "../scenarios/choose.ts";
import type { Awaitable } from "../schedule/awaitable.ts";
import type { Settings } from "../settings/settings.ts";
import { writeAsAnotherClient } from "./conflict.ts";
import { chooseDelay, delayResponse } from "./delay.ts";
import { delivered, faultResponse } from "./deliver.ts";
import type { Engine } from "./engine.ts";
import { type Arrival, arrivalIn, journal, type Served } from "./journal.ts";
import { countCall, rateLimitError, withRateLimit } from "./rate-limit.ts";
import { receiveBody } from "./receive.ts";
import { type CallEffects, isSteered, noEffects, steeringOf } from "./steering.ts";
import { preferredResponse, stubResponse } from "./stub.ts";
import { checkResponse, validateRequest } from "./validate.ts";

/** The operation that a request addresses, and the sandbox that its headers select. */
export interface Addressed {
  readonly operation: ServiceOperation;
  /** The path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly sandbox?: SelectedSandbox;
}

/** A request to an operation, between the steps of its handling. */
export interface Serving {
  readonly engine: Engine;
  readonly call: Call;
  readonly arrival: Arrival;
  effects: CallEffects;
  /** The delay of the response, in milliseconds. */
  delay: number;
  response?: ServiceResponse;
  isStubMistake: boolean;
}

/**
 * Handles a request to an operation: count → receive → decide (authorize → validate → choose effects) → delay → respond →
 * check → deliver → journal. Most requests have no effects, so those steps are skipped for them.
 * Never rejects. A service error becomes its response, and a defect of resource-mock a response with the code `Defect`.
 */
export async function serve(
  engine: Engine,
  project: Project,
  addressed: Addressed,
  request: ServiceRequest,
): Promise<Served> {
  const serving = beginServing(engine, project, addressed, request);
  const { call } = serving;
  try {
    if (call.operation.body || call.forwarding) await receiveBody(call);
    const deciding = decide(serving);
    if (deciding) await deciding;
    if (serving.delay > 0) await delayResponse(call, serving.delay);
    const response = respond(serving);
    serving.response = response instanceof Promise ? await response : response;
  } catch (error) {
    fail(serving, error);
  }
  return finishServing(serving);
}

/** Counts the request for the rate limit, and opens its call. */
export function beginServing(
  engine: Engine,
  project: Project,
  { operation, path, sandbox }: Addressed,
  request: ServiceRequest,
): Serving {
  const arrival = arrivalIn(engine, project);
  const call = openCall(engine, project, operation, path, request);
  if (sandbox) call.decisions.push(selection(sandbox));
  countCall(call, arrival.receivedAt);
  return { engine, call, arrival, effects: noEffects, delay: 0, isStubMistake: false };
}

/** Authorizes and validates the request, and chooses the effects on it. Throws ServiceError for a rejected request. */
export function decide(serving: Serving): Awaitable<void> {
  const { call } = serving;
  if (isSteered(call)) return decideSteered(serving);
  authorizeCall(call);
  const validating = validateRequest(call);
  if (validating) return validating.then(() => chooseDelayOf(serving));
  chooseDelayOf(serving);
}

async function decideSteered(serving: Serving): Promise<void> {
  const { call } = serving;
  const steering = await steeringOf(call);
  steering.changeSettings();
  authorizeCall(call);
  await validateRequest(call);
  serving.effects = steering.chooseEffects();
  chooseDelayOf(serving);
}

function chooseDelayOf(serving: Serving): void {
  const { call, effects } = serving;
  const { latency } = effects;
  if (latency || call.settings.latency) serving.delay = chooseDelay(call, latency);
}

/** Returns the response of the effects or of the operation. Throws ServiceError. */
export function respond({ engine, call, effects }: Serving): Awaitable<ServiceResponse> {
  const response = effects === noEffects ? operate(call, effects) : respondWith(call, effects);
  return engine.checkResponses ? checked(call, response) : response;
}

async function checked(call: Call, responding: Awaitable<ServiceResponse>): Promise<ServiceResponse> {
  const response = await responding;
  await checkResponse(call, response);
  return response;
}

/** Sets the response for an error of the steps before. */
export function fail(serving: Serving, error: unknown): void {
  const { engine, call, effects } = serving;
  // Beyond the rate limit, an unauthorized or invalid request gets 429 too.
  const rejected = effects === noEffects && error instanceof ServiceError ? rateLimitError(call) : undefined;
  serving.response = failureResponse(engine, call, rejected ?? error);
  serving.isStubMistake = error instanceof ServiceError && error.code === "InvalidStub";
}

/** Applies the effects on the delivery of the response, and records the request. */
export function finishServing(serving: Serving): Awaitable<Served> {
  const { engine, call, effects, isStubMistake, response = defectResponse() } = serving;
  if (!effects.evolve || isStubMistake) return deliver(serving, response);
  return changed(engine, call, response, effects.evolve).then((evolved) => deliver(serving, evolved));
}

function deliver({ engine, call, arrival, effects }: Serving, given: ServiceResponse): Served {
  let response = given;
  if (effects !== noEffects) response = delivered(call, response, effects);
  if (call.counted) response = withRateLimit(response, call.counted);
  if (call.forwarding) call.forwarding.upstream.abandon(call);
  return journal(engine, call.project, call.request, response, arrival, call, forcedBy(response, effects));
}

/** Returns the response as a later version of the service could send it. */
async function changed(
  engine: Engine,
  call: Call,
  response: ServiceResponse,
  effect: ChosenEffect<true>,
): Promise<ServiceResponse> {
  try {
    const { evolvedResponse } = await import("./evolve.ts");
    const evolved = await evolvedResponse(call, response, effect);
    if (engine.checkResponses) await checkResponse(call, evolved);
    return evolved;
  } catch (error) {
    return failureResponse(engine, call, error);
  }
}

/** Returns the decision that forced the response; undefined for the operation's own response, an error or a defect. */
function forcedBy({ source }: ServiceResponse, { ending, preferred, decision }: CallEffects): string | undefined {
  if (source === "error" || source === "defect") return undefined;
  return preferred ? decision : ending?.decision;
}

/**
 * Responds to a request without an operation: an unknown path (404) or a wrong method (405). The journal records the
 * request if there is a project.
 */
export function refuse(
  engine: Engine,
  project: Project | undefined,
  error: ServiceError,
  request: ServiceRequest,
  sandbox?: SelectedSandbox,
): Served {
  const response = errorResponse(error);
  if (!project) return { response: response, requestId: "none" };
  const decisions = sandbox ? [selection(sandbox), rejection(error)] : [rejection(error)];
  return journal(engine, project, request, response, arrivalIn(engine, project), { decisions });
}

/** The methods that are forwarded without an operation. The response to TRACE would contain the sent credentials. */
const forwardedMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Returns whether the settings send a request that matches no operation to the upstream. */
export function isForwarded({ upstream }: Engine, { upstreamMode }: Settings, { method }: ServiceRequest): boolean {
  return upstream !== undefined && upstreamMode !== "off" && forwardedMethods.has(method);
}

/** Sends a request without an operation to the upstream: the real service can have more than the contract. Never rejects. */
export async function forwardUnmatched(
  engine: Engine,
  project: Project,
  error: ServiceError,
  request: ServiceRequest,
  sandbox?: SelectedSandbox,
): Promise<Served> {
  const arrival = arrivalIn(engine, project);
  const call = openCall(engine, project, unmatched, NO_PARAMETERS, request);
  if (sandbox) call.decisions.push(selection(sandbox));
  let response: ServiceResponse;
  try {
    await receiveBody(call);
    violate(call, error.details);
    response = await operate(call, noEffects);
  } catch (failure) {
    response = failureResponse(engine, call, failure);
  }
  call.forwarding?.upstream.abandon(call);
  const record = () => journal(engine, project, request, response, arrival, { ...call, operation: undefined });
  return engine.sharing ? engine.sharing.inProject(project.key, record) : record();
}

/** In place of the operation of a request that matches none. It declares no responses, so none violates the contract. */
const unmatched: ServiceOperation = {
  id: "unmatched" as ServiceOperation["id"],
  method: "GET",
  path: "",
  summary: "",
  tag: "",
  parameters: [],
  responses: {},
  scopes: [],
};

function selection({ name, header }: SelectedSandbox): string {
  return `sandbox "${name}", selected by the header ${header}`;
}

function rejection({ code, message }: ServiceError): string {
  return `rejected: ${code}: ${message}`;
}

const NO_BYTES = new Uint8Array(0);
const NONE: readonly never[] = [];
const NO_PARAMETERS: Readonly<Record<string, string>> = {};

/** Opens the call of a request. */
export function openCall(
  engine: Engine,
  project: Project,
  operation: ServiceOperation,
  path: Call["path"],
  request: ServiceRequest,
): Call {
  const { upstream } = engine;
  const forwarding = upstream && project.settings.upstreamMode !== "off" ? { upstream } : undefined;
  return {
    engine,
    project,
    author: { by: "request", method: request.method, path: request.path },
    operation,
    request,
    projectKey: path.projectKey ?? project.key,
    path,
    settings: forwarding ? forwardedSettings(project.settings) : project.settings,
    query: {},
    unnamed: NONE,
    bytes: NO_BYTES,
    json: undefined,
    delayed: 0,
    forwarding,
    counted: undefined,
    clientId: undefined,
    chosen: undefined,
    applied: NONE,
    decisions: [],
    violations: [],
  };
}

/**
 * Returns the settings for a forwarded request: the service checks tokens and rejects invalid requests, the mock only
 * reports them. A rule can override these settings.
 */
function forwardedSettings(settings: Settings): Settings {
  return { ...settings, auth: "off", validation: settings.validation === "off" ? "off" : "report" };
}

function authorizeCall(call: Call): void {
  const { clientId, decision } = authorize(call.settings.auth, call.engine.tokens, {
    header: header(call.request, "authorization"),
    operation: call.operation,
    projectKey: call.project.key,
    pathKey: call.projectKey,
    clock: call.project.clock,
    serverNow: call.engine.now,
  });
  call.clientId = clientId;
  if (clientId !== undefined) call.author.client = clientId;
  const isLeft = call.forwarding && call.settings.auth === "off";
  call.decisions.push(isLeft ? "auth passed: left to the upstream" : decision);
}

/** Returns the response of the effects, or that of the operation, after the write of another client if there is a conflict. */
async function respondWith(call: Call, effects: CallEffects): Promise<ServiceResponse> {
  if (effects.conflict) writeAsAnotherClient(call);
  if (effects.ending?.effect.run) {
    const { callFunctions } = await import("./function.ts");
    const response = await callFunctions(call, effects);
    if (response) return response;
  }
  const { preferred, ending } = effects;
  const broken = faultResponse(call, effects);
  if (broken) return broken;
  if (preferred) return preferredResponse(call, preferred);
  return (ending && (await stubResponse(call, ending))) ?? operate(call, effects);
}

/** Returns the response of the operation, or that of the upstream. Throws TooManyRequests (429) beyond the rate limit. */
function operate(call: Call, effects: CallEffects): ServiceResponse | Promise<ServiceResponse> {
  const rejected = rateLimitError(call);
  if (rejected) throw rejected;
  return call.forwarding ? forward(call, call.forwarding, effects) : handlerOf(call.operation)(call);
}

async function forward(call: Call, { upstream }: Forwarding, effects: CallEffects): Promise<ServiceResponse> {
  const { evolve, ending, dribble } = effects;
  const whole = evolve ? "decoded" : ending?.effect.fault || dribble ? "sent" : undefined;
  const response = await upstream.forward(call, whole);
  if (response.status < 300) call.applied = actionsIn(call);
  return response;
}

/** The response for a client that has disconnected. Only the journal contains it. */
const goneResponse = noResponse("error", { fault: "CONNECTION_RESET_BY_PEER", noise: NO_BYTES });

function failureResponse({ onDefect }: Engine, { decisions }: Call, error: unknown): ServiceResponse {
  if (error instanceof ServiceError) {
    decisions.push(rejection(error));
    const isOfUpstream = error.code === "BadGateway" || error.code === "GatewayTimeout";
    return isOfUpstream ? { ...errorResponse(error), source: "upstream", offContract: true } : errorResponse(error);
  }
  if (error instanceof ClientGone) return goneResponse;
  onDefect(error);
  return defectResponse();
}
