import { type Awaitable, ServiceError } from "../contract/index.ts";
import type { Decision } from "../journal/index.ts";
import type { Project } from "../project/index.ts";
import type { ServiceResponse } from "../rules/index.ts";
import { authorize } from "./auth/authorize.ts";
import { type Addressed, type Call, dropRest, type Endpoint, type Forwarding, openCall } from "./call/call.ts";
import { defectResponse, errorResponse, noResponse } from "./call/response.ts";
import type { ServiceRequest } from "./call/service-request.ts";
import { ClientGone, endOf } from "./call/wait.ts";
import {
  changedResponse,
  chooseDelay,
  countCall,
  deliveredResponse,
  effectResponse,
  hasChange,
  rateLimitError,
  wholeBodyFor,
  withRateLimit,
} from "./call-effects.ts";
import type { Engine } from "./engine.ts";
import { handlerOf } from "./operations/handlers.ts";
import { actionsIn } from "./operations/resource.ts";
import { type Received, receive } from "./receive.ts";
import { type Arrival, arrivalIn, record, type Served, type Start, startIn } from "./record-exchange.ts";
import { type CallEffects, isSteered, noEffects, steeringOf } from "./steering.ts";
import { checkResponse, validateRequest } from "./validate.ts";

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
 *     receive → step (open → decide: authorize, validate, choose effects → respond → finish: change, deliver, record)
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
    const first = stepOf(engine, projectKey, endpoint, () => {
      const project = arriving ?? engine.projects.get(projectKey);
      return serveFirst(open(engine, project, addressed, request, start), received);
    });
    const served = first instanceof Promise ? await first : first;
    return "requestId" in served ? served : await serveAfterWait(served);
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
  return endpoint ? home.stepAlone([projectKey], step) : home.step(projectKey, step);
}

/** Opens the call of the request, and counts it for the rate limit. */
function open(engine: Engine, project: Project, addressed: Addressed, request: ServiceRequest, start: Start): Serving {
  const arrival = arrivalIn(engine, project, start);
  const call = openCall(engine, project, addressed, request);
  if (!call.endpoint) countCall(call, arrival.receivedAt);
  return { engine, call, arrival, effects: noEffects, delay: 0, isStubMistake: false };
}

/** Returns the served request, or the request between two steps if it has to wait. */
function serveFirst(serving: Serving, received: Received | undefined): Awaitable<Served | Serving> {
  const { call } = serving;
  const respondOrWait = () => {
    if (serving.delay > 0 || call.forwarding) return serving;
    return finished(serving, () => respond(serving));
  };
  return settled(
    serving,
    () => {
      received?.check(call);
      return decide(serving);
    },
    respondOrWait,
  );
}

/** Delays the response or calls the upstream, and then continues in a second step. */
async function serveAfterWait(held: Serving): Promise<Served> {
  const { engine, call } = held;
  const { home } = engine;
  const { project } = call;
  engine.inProgress.add(call, held.arrival);
  const release = home.hold(project);
  let failure: { readonly error: unknown } | undefined;
  try {
    if (held.delay > 0) await delayed(held);
    if (call.forwarding) held.response = await respond(held);
  } catch (error) {
    failure = { error };
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

/**
 * Waits for the chosen delay. A server that stops, and a reset by another process, end the delay.
 * Throws ServiceUnavailable if the project is reset or closed meanwhile, and ClientGone if the client disconnects.
 */
async function delayed({ engine, call, delay }: Serving): Promise<void> {
  const { home } = engine;
  const { project, request } = call;
  const end = new AbortController();
  try {
    await home.follow(project.key, end.signal);
    await home.step(project.key, () => undefined);
    await engine.wait(delay, project.ended, request.signal(), engine.stopping);
    const ending = endOf(call);
    if (ending) throw ending;
  } finally {
    end.abort();
  }
}

/** Finishes the request with the response, or with that of the error. */
function finished(serving: Serving, responding: () => Awaitable<ServiceResponse>): Awaitable<Served> {
  return settled(serving, responding, (response) => {
    serving.response = response;
    return finish(serving);
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
    return finish(serving);
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
  if (!call.endpoint) authorize(call);
  const choose = () => {
    if (steering) serving.effects = steering.chooseEffects();
    if (steering || call.settings.latency) serving.delay = chooseDelay(call, serving.effects);
  };
  const validating = call.endpoint ? undefined : validateRequest(call);
  return validating ? validating.then(choose) : choose();
}

function respond({ engine, call, effects }: Serving): Awaitable<ServiceResponse> {
  const response = effects === noEffects ? operate(call, effects) : respondWith(call, effects);
  return engine.checkResponses && !call.endpoint ? checked(call, response) : response;
}

async function respondWith(call: Call, effects: CallEffects): Promise<ServiceResponse> {
  return (await effectResponse(call, effects)) ?? operate(call, effects);
}

async function checked(call: Call, responding: Awaitable<ServiceResponse>): Promise<ServiceResponse> {
  const response = await responding;
  await checkResponse(call, response);
  return response;
}

/** Returns the response of the operation, or that of the upstream. Throws TooManyRequests (429) beyond the rate limit. */
export function operate(call: Call, effects: CallEffects): Awaitable<ServiceResponse> {
  if (call.endpoint) return call.endpoint.respond();
  const rejected = rateLimitError(call);
  if (rejected) throw rejected;
  return call.forwarding ? forward(call, call.forwarding, effects) : handlerOf(call.operation)(call);
}

async function forward(call: Call, forwarding: Forwarding, effects: CallEffects): Promise<ServiceResponse> {
  const response = await forwarding.upstream.forward(call, forwarding, wholeBodyFor(effects));
  if (response.status < 300) call.applied = actionsIn(call);
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

/** Applies the effects on the response and its delivery, and records the request. */
function finish(serving: Serving): Awaitable<Served> {
  const { effects, isStubMistake, response = defectResponse() } = serving;
  if (isStubMistake || !hasChange(effects)) return deliver(serving, response);
  return changed(serving, response).then((other) => deliver(serving, other));
}

/** Returns the response as a later version of the service could send it. */
async function changed({ engine, call, effects }: Serving, response: ServiceResponse): Promise<ServiceResponse> {
  try {
    const other = await changedResponse(call, response, effects);
    if (engine.checkResponses) await checkResponse(call, other);
    return other;
  } catch (error) {
    return failureResponse(engine, call, error);
  }
}

function deliver({ engine, call, arrival, effects }: Serving, given: ServiceResponse): Served {
  let response = given;
  if (effects !== noEffects) response = deliveredResponse(call, response, effects);
  if (call.counted) response = withRateLimit(response, call.counted);
  dropRest(call);
  return record(engine, call.project, call.request, response, arrival, call);
}

/** The response for a client that has disconnected. Only the journal contains it. */
const goneResponse = noResponse("error", { fault: "CONNECTION_RESET_BY_PEER", noise: new Uint8Array(0) });

/** Returns the response for an error, and adds the decision about it. */
export function failureResponse({ onDefect }: Engine, { decisions }: Call, error: unknown): ServiceResponse {
  if (error instanceof ServiceError) {
    decisions.push(rejection(error));
    const isOfUpstream = error.code === "BadGateway" || error.code === "GatewayTimeout";
    return isOfUpstream ? { ...errorResponse(error), source: "upstream", offContract: true } : errorResponse(error);
  }
  if (error instanceof ClientGone) return goneResponse;
  onDefect(error);
  return defectResponse();
}

export function rejection({ code, message }: ServiceError): Decision {
  return { kind: "rejected", code, message };
}
