import { type Awaitable, ServiceError, type ServiceOperation } from "../contract/index.ts";
import type { Project } from "../project/index.ts";
import type { ChosenEffect } from "../rules/index.ts";
import type { SelectedSandbox, Settings } from "../state/index.ts";
import { authorize } from "./auth/authorize.ts";
import { contentTooLarge } from "./call/body.ts";
import { type Call, type Endpoint, type Forwarding, violate } from "./call/call.ts";
import { header, type ServiceRequest } from "./call/request.ts";
import { defectResponse, errorResponse, noResponse, type ServiceResponse } from "./call/response.ts";
import { ClientGone } from "./call/slice.ts";
import { writeAsAnotherClient } from "./conflict.ts";
import { chooseDelay, delayResponse } from "./delay.ts";
import { delivered, faultResponse } from "./deliver.ts";
import type { Engine } from "./engine.ts";
import { type Arrival, arrivalIn, journal, type Served, type Start, startIn } from "./journal.ts";
import { handlerOf } from "./operations/handlers.ts";
import { actionsIn } from "./operations/update.ts";
import { countCall, rateLimitError, withRateLimit } from "./rate-limit.ts";
import { bodyLimit, type ReceivingCall, receiveBody } from "./receive.ts";
import { type CallEffects, isSteered, noEffects, steeringOf } from "./steering.ts";
import { preferredResponse, stubResponse } from "./stub.ts";
import { checkResponse, validateRequest } from "./validate.ts";

/** The operation that a request addresses, and the sandbox that its headers select. */
export interface Addressed {
  readonly operation: ServiceOperation;
  /** The path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly sandbox?: SelectedSandbox;
  /** Set for the token endpoint, which validates its requests itself. */
  readonly endpoint?: Endpoint;
}

/** A request to an operation, between the steps of its handling. */
interface Serving {
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
 * Handles a request to an operation of the project with this key, which its first use creates:
 *
 *     receive → step (count → authorize → validate → choose effects → respond → check → deliver → journal)
 *
 * With a delay or a call of the upstream, the step ends after the choice of effects, and a second step continues after the
 * wait: only steps use the project (see Home). Most requests have no effects, so those parts are skipped for them.
 * Never rejects. A service error becomes its response, and a defect of resource-mock a response with the code `Defect`.
 */
export async function serve(
  engine: Engine,
  projectKey: string,
  addressed: Addressed,
  request: ServiceRequest,
): Promise<Served> {
  const { home } = engine;
  try {
    const start = startIn(engine);
    const arriving = home.arriving(projectKey, true);
    const { endpoint } = addressed;
    const hasBody = !endpoint && (addressed.operation.body !== undefined || engine.upstream !== undefined);
    const received = hasBody ? await receive(engine, arriving, projectKey, addressed, request) : undefined;
    const deciding = stepOf(engine, projectKey, endpoint, () => {
      const project = arriving ?? engine.projects.get(projectKey);
      return serveFirst(beginServing(engine, project, addressed, request, start), received);
    });
    const served = deciding instanceof Promise ? await deciding : deciding;
    return "requestId" in served ? served : await finishHeld(served);
  } catch (error) {
    engine.inProgress.delete(request);
    if (!(error instanceof ServiceError)) throw error;
    return { response: errorResponse(error), requestId: "none" };
  }
}

function stepOf<T>(
  { home }: Engine,
  projectKey: string,
  endpoint: Endpoint | undefined,
  step: () => Awaitable<T>,
): Awaitable<T> {
  return endpoint ? home.stepAlone(endpoint.projectKeys, step) : home.step(projectKey, step);
}

/** Counts the request for the rate limit, and opens its call. */
function beginServing(
  engine: Engine,
  project: Project,
  { operation, path, sandbox, endpoint }: Addressed,
  request: ServiceRequest,
  start: Start,
): Serving {
  const arrival = arrivalIn(engine, project, start);
  const opened = openCall(engine, project, operation, path, request);
  const call = endpoint ? { ...opened, endpoint, bytes: endpoint.bytes, forwarding: undefined } : opened;
  if (sandbox) call.decisions.push(selection(sandbox));
  if (!endpoint) countCall(call, arrival.receivedAt);
  return { engine, call, arrival, effects: noEffects, delay: 0, isStubMistake: false };
}

/** Returns the served request, or the request between two steps if it has to wait. */
function serveFirst(serving: Serving, received: ReceivedBody | undefined): Awaitable<Served | Serving> {
  const { call } = serving;
  const respondOrHold = () => {
    if (serving.delay > 0 || call.forwarding) return serving;
    return finished(serving, () => respond(serving));
  };
  return settled(
    serving,
    () => {
      received?.check(call);
      return decide(serving);
    },
    respondOrHold,
  );
}

/** Delays the response or calls the upstream, and then continues in a second step. */
async function finishHeld(held: Serving): Promise<Served> {
  const { engine, call, delay } = held;
  const { home } = engine;
  const { project } = call;
  engine.inProgress.add(call, held.arrival);
  const release = home.hold(project);
  const end = new AbortController();
  let failure: { readonly error: unknown } | undefined;
  try {
    if (delay > 0) {
      // A reset by another process ends the delay too.
      await home.follow(project.key, end.signal);
      await home.step(project.key, () => undefined);
      await delayResponse(call, delay);
    }
    if (call.forwarding) held.response = await respond(held);
  } catch (error) {
    failure = { error };
  } finally {
    end.abort();
  }
  const { length: decided } = call.decisions;
  const { length: violated } = call.violations;
  try {
    return await stepOf(engine, project.key, call.endpoint, () => {
      // Each run of the step starts with the decisions of the first step. A body that still arrives adds others to them.
      call.decisions.length = decided;
      call.violations.length = violated;
      const serving = { ...held, call: { ...call, author: { ...call.author } } };
      return finished(serving, () => {
        if (failure) throw failure.error;
        return held.response ?? respond(serving);
      });
    });
  } finally {
    release();
  }
}

/** Finishes the request with the response, or with that of the error. */
function finished(serving: Serving, responding: () => Awaitable<ServiceResponse>): Awaitable<Served> {
  return settled(serving, responding, (response) => {
    serving.response = response;
    return finishServing(serving);
  });
}

/** Continues with the result of `run`, at once unless it is a promise. An error of `run` finishes the request. */
function settled<Value, Result>(
  serving: Serving,
  run: () => Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result | Served> {
  const failed = (error: unknown) => {
    fail(serving, error);
    return finishServing(serving);
  };
  let running: Awaitable<Value>;
  try {
    running = run();
  } catch (error) {
    return failed(error);
  }
  if (!(running instanceof Promise)) return next(running);
  serving.engine.inProgress.add(serving.call, serving.arrival);
  return running.then(next, failed);
}

/** Authorizes and validates the request, and chooses the effects on it. Throws ServiceError for a rejected request. */
function decide(serving: Serving): Awaitable<void> {
  const { call } = serving;
  const steering = isSteered(call) ? steeringOf(call) : undefined;
  steering?.changeSettings();
  if (!call.endpoint) authorizeCall(call);
  const choose = () => {
    if (steering) serving.effects = steering.chooseEffects();
    const { latency } = serving.effects;
    if (latency || (call.settings.latency && !call.endpoint)) serving.delay = chooseDelay(call, latency);
  };
  const validating = call.endpoint ? undefined : validateRequest(call);
  return validating ? validating.then(choose) : choose();
}

/** Returns the response of the effects or of the operation. Throws ServiceError. */
function respond({ engine, call, effects }: Serving): Awaitable<ServiceResponse> {
  const response = effects === noEffects ? operate(call, effects) : respondWith(call, effects);
  return engine.checkResponses && !call.endpoint ? checked(call, response) : response;
}

async function checked(call: Call, responding: Awaitable<ServiceResponse>): Promise<ServiceResponse> {
  const response = await responding;
  await checkResponse(call, response);
  return response;
}

/** Sets the response for an error of the steps before. */
function fail(serving: Serving, error: unknown): void {
  const { engine, call, effects } = serving;
  // Beyond the rate limit, an unauthorized or invalid request gets 429 too.
  const rejected = effects === noEffects && error instanceof ServiceError ? rateLimitError(call) : undefined;
  serving.response = failureResponse(engine, call, rejected ?? error);
  serving.isStubMistake = error instanceof ServiceError && error.code === "InvalidStub";
}

/** Applies the effects on the delivery of the response, and records the request. */
function finishServing(serving: Serving): Awaitable<Served> {
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
  return journal(engine, project, request, response, arrivalIn(engine, project, startIn(engine)), { decisions });
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
  const arrival = arrivalIn(engine, project, startIn(engine));
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
  return engine.home.step(project.key, () =>
    journal(engine, project, request, response, arrival, { ...call, operation: undefined }),
  );
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

/** A received body, for each run of a step. */
interface ReceivedBody {
  /** Sets the body in the call. Throws the error of receiving it. */
  check(call: Call): void;
}

/** Receives the body before the first step, as a client can send it slowly. */
async function receive(
  engine: Engine,
  arriving: Project | undefined,
  projectKey: string,
  { operation, path }: Addressed,
  request: ServiceRequest,
): Promise<ReceivedBody> {
  const { projects, settings, upstream, home } = engine;
  const setting = bodyLimit(operation);
  // Another process may have raised the limit.
  const length = Number(header(request, "content-length"));
  const known = projects.find(projectKey)?.settings ?? settings;
  if (!arriving && (!(length <= known[setting]) || upstream)) await home.step(projectKey, () => undefined);
  const project = arriving ?? projects.peek(projectKey);
  const received: ReceivingCall = upstream
    ? openCall(engine, project, operation, path, request)
    : { operation, request, settings: project.settings, bytes: NO_BYTES, json: undefined };
  let failure: { readonly error: unknown } | undefined;
  try {
    await receiveBody(received);
  } catch (error) {
    failure = { error };
  }
  const { bytes, text, json, refusal, forwarding, decisions } = received;
  return {
    check(call) {
      if (failure) throw failure.error;
      call.bytes = bytes;
      if (text !== undefined) call.text = text;
      call.json = json;
      if (refusal) call.refusal = refusal;
      if (forwarding) call.forwarding = forwarding;
      if (decisions) call.decisions.push(...decisions);
      const limit = call.settings[setting];
      if (!forwarding && bytes.length > limit) throw contentTooLarge(setting, limit, bytes.length);
    },
  };
}

/** Opens the call of a request. */
function openCall(
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
  if (call.endpoint) return call.endpoint.respond();
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
