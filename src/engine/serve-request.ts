import { type Awaitable, responseFor, ServiceError } from "../contract/index.ts";
import type { Decision } from "../journal/index.ts";
import type { ServiceResponse } from "../rules/index.ts";
import {
  changedResponse,
  chooseDelay,
  countCall,
  deliveredResponse,
  effectResponse,
  rateLimitError,
  wholeBodyFor,
} from "./apply-effects.ts";
import { authorize } from "./auth/authorize.ts";
import { type Addressed, type Call, dropRest, type Forwarding, openCall, resumable } from "./call/call.ts";
import { noEffects } from "./call/chosen-effects.ts";
import { defectResponse, errorResponse } from "./call/response.ts";
import type { ServiceRequest } from "./call/service-request.ts";
import { ClientGone, endOf } from "./call/wait.ts";
import type { Engine } from "./engine.ts";
import { runOperation } from "./operations/handlers.ts";
import { actionsIn } from "./operations/update.ts";
import { type Received, receive } from "./receive.ts";
import { record, type Served, startIn, unrecorded } from "./record-exchange.ts";
import { isSteered, steeringOf } from "./steering.ts";
import { checkResponse, validateRequest } from "./validate.ts";

/**
 * Handles a request to an operation of the project with this key, which its first use creates.
 *
 * Only steps use the project, and a home can run a step again (see Home). A step waits only for a module that is still to
 * be loaded, and for effects. Delays and the upstream keep the request waiting between two steps.
 *
 * Never rejects. A service error becomes its response, and a defect of resource-mock a response with the code `Defect`.
 */
export async function serve(
  engine: Engine,
  projectKey: string,
  addressed: Addressed,
  request: ServiceRequest,
): Promise<Served> {
  const { home } = engine;
  const step = <T>(run: () => Awaitable<T>) =>
    addressed.endpoint ? home.stepAlone([projectKey], run) : home.step(projectKey, run);
  try {
    const { role, body: accepted } = addressed.operation;
    const loading = role && engine.samples.load(role.type);
    if (loading) await loading;
    const arriving = home.arriving(projectKey, true);
    const start = startIn(engine, arriving);
    const hasBody = !addressed.endpoint && (accepted ?? engine.upstream);
    const body = hasBody ? await receive(engine, arriving, projectKey, addressed, request, start) : undefined;

    const first = await step(() => {
      const project = arriving ?? home.opened(projectKey, start.started);
      const call = openCall(engine, project, addressed, request, start);
      const deciding = attempt(call, () => decide(call, body));
      const hasToWait = () => !call.response && (call.delay > 0 || call.forwarding);
      return after(deciding, () => (hasToWait() ? call : respondTo(call)));
    });
    if ("requestId" in first) return first;

    const release = home.hold(first.project);
    try {
      await attempt(first, () => waitFor(first));
      const resume = resumable(first);
      return await step(() => respondTo(resume()));
    } finally {
      release();
    }
  } catch (error) {
    engine.inProgress.delete(request);
    if (!(error instanceof ServiceError)) throw error;
    return unrecorded(engine, projectKey, error, addressed.operation);
  }
}

/**
 * Runs a part of the pipeline. Its error sets the response. Returns a promise only if the part waits. From then to its entry
 * in the journal, the request is in progress.
 */
export function attempt(call: Call, part: () => Awaitable<void>): Awaitable<void> {
  const fail = (error: unknown) => {
    // Beyond the rate limit, an unauthorized or invalid request gets 429 too.
    const rejected = call.effects === noEffects && error instanceof ServiceError ? rateLimitError(call) : undefined;
    call.response = failureResponse(call, rejected ?? error);
    call.isStubMistake = error instanceof ServiceError && error.code === "InvalidStub";
  };
  try {
    const waiting = part();
    if (waiting) call.engine.inProgress.add(call);
    return waiting?.catch(fail);
  } catch (error) {
    fail(error);
  }
}

/** Returns the result of the next part: at once unless a part waits, because a promise takes longer. */
function after<Result>(waiting: Awaitable<void>, next: () => Awaitable<Result>): Awaitable<Result> {
  return waiting ? waiting.then(next) : next();
}

/** Authorizes and validates the request, and chooses the effects on it. Throws ServiceError for a rejected request. */
function decide(call: Call, body: Received | undefined): Awaitable<void> {
  if (!call.endpoint) countCall(call);
  body?.(call);
  const steering = isSteered(call) ? steeringOf(call) : undefined;
  steering?.changeSettings();
  if (!call.endpoint) authorize(call);
  const choose = () => {
    if (steering) call.effects = steering.chooseEffects();
    if (steering || call.settings.latency) call.delay = chooseDelay(call);
  };
  const validating = call.endpoint ? undefined : validateRequest(call);
  return validating ? validating.then(choose) : choose();
}

/** Waits for the delay and for the response of the upstream. */
async function waitFor(call: Call): Promise<void> {
  if (call.delay > 0) await delayed(call);
  if (!call.forwarding) return;
  await respond(call);
  call.decisions.push(...call.forwarding.decisions.splice(0));
}

/**
 * Waits for the chosen delay. A server that stops, and a reset by another process, end the delay.
 * Throws ServiceUnavailable if the project is reset or closed meanwhile, and ClientGone if the client disconnects.
 */
async function delayed(call: Call): Promise<void> {
  const { engine, project, request, delay } = call;
  const end = new AbortController();
  try {
    await engine.home.follow(project.key, end.signal);
    await engine.home.step(project.key, () => undefined);
    await engine.wait(delay, project.ended, request.signal(), engine.stopping);
    const ending = endOf(call);
    if (ending) throw ending;
  } finally {
    end.abort();
  }
}

/** Responds to the request unless it has a response, lets the effects change the response, and records both. */
function respondTo(call: Call): Awaitable<Served> {
  const responding = call.response ? undefined : attempt(call, () => respond(call));
  const labelling = after(responding, () => label(call));
  const hasChange = () => !call.isStubMistake && call.effects.chosen.some(({ row }) => row.change);
  const change = () => setResponse(call, changedResponse(call));
  const changing = after(labelling, () => (hasChange() ? attempt(call, change) : undefined));
  return after(changing, () => {
    dropRest(call);
    return record(call, deliveredResponse(call));
  });
}

/** Sets the response: that of the effects, of the upstream, or of the operation. */
export function respond(call: Call): Awaitable<void> {
  const responding =
    call.effects === noEffects ? operate(call) : effectResponse(call).then((response) => response ?? operate(call));
  if (responding instanceof Promise || call.engine.checkResponses) return setResponse(call, responding);
  call.response = responding;
}

/** Returns the response of the upstream or of the operation. Throws TooManyRequests (429) beyond the rate limit. */
function operate(call: Call): Awaitable<ServiceResponse> {
  if (call.endpoint) return call.endpoint.respond();
  const rejected = rateLimitError(call);
  if (rejected) throw rejected;
  return call.forwarding ? forward(call, call.forwarding) : runOperation(call);
}

async function forward(call: Call, forwarding: Forwarding): Promise<ServiceResponse> {
  const response = await forwarding.upstream.forward(call, forwarding, wholeBodyFor(call));
  if (response.status < 300) call.applied = actionsIn(call);
  return response;
}

/**
 * Labels a response that violates the contract as off-contract. Not for a service that declares all statuses, as its tests
 * check each response.
 */
function label(call: Call): Awaitable<void> {
  const { response, endpoint, engine, operation } = call;
  if (engine.contract.declaresAllStatuses || endpoint || !response) return;
  // An error that the operation does not declare is labelled already, unless others declare it.
  if (response.source === "error" && !responseFor(operation, response.status)) return;
  const { shows } = response;
  if (shows?.valid.has(shows.item)) return;
  return checkResponse(call, response).then(
    () => void (call.settings.validation === "enforce" && shows?.valid.add(shows.item)),
    () => {
      call.response = { ...response, offContract: true };
    },
  );
}

async function setResponse(call: Call, responding: Awaitable<ServiceResponse>): Promise<void> {
  const response = await responding;
  if (call.engine.checkResponses && !call.endpoint) await checkResponse(call, response);
  call.response = response;
}

/** The response for a client that has disconnected. Only the journal contains it. */
const goneResponse: ServiceResponse = {
  ...{ status: 0, headers: {}, body: null, source: "error" },
  delivery: { fault: "CONNECTION_RESET_BY_PEER", noise: new Uint8Array(0) },
};

/** Returns the response for an error, and adds the decision about it. */
function failureResponse({ engine, decisions, operation, endpoint }: Call, error: unknown): ServiceResponse {
  if (error instanceof ServiceError) {
    decisions.push(rejection(error));
    const response = errorResponse(engine.contract, error, endpoint ? undefined : operation);
    const isOfUpstream = error.code === "BadGateway" || error.code === "GatewayTimeout";
    if (isOfUpstream) return { ...response, source: "upstream", offContract: true };
    // A service with a form of its own for errors says more than a fixture.
    const isOpen = !engine.contract.errorBody && !endpoint;
    const fixture = isOpen ? engine.fixtures.get(operation.id, error.status) : undefined;
    return fixture ? { ...response, body: fixture.text } : response;
  }
  if (error instanceof ClientGone) return goneResponse;
  engine.onDefect(error);
  return defectResponse();
}

export function rejection({ code, message }: ServiceError): Decision {
  return { kind: "rejected", code, message };
}
