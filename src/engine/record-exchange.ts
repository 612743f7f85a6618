import { performance } from "node:perf_hooks";
import { type Operation, ServiceError } from "../contract/index.ts";
import { type Exchange, requestEvent, summariesOf } from "../journal/index.ts";
import { type Project, projectEnded } from "../project/index.ts";
import type { BodyEnd, ServiceResponse } from "../rules/index.ts";
import type { Call, Start } from "./call/call.ts";
import { errorResponse } from "./call/response.ts";
import type { ServiceRequest } from "./call/service-request.ts";
import type { Engine } from "./engine.ts";

/**
 * Increasing numbers for the order of requests. With `floor`, the numbers of several processes increase together: each
 * number is at least `floor()`, and above every number that the process knows from the others.
 */
export class Sequence {
  readonly #floor: (() => number) | undefined;
  /** The last number; 0 before the first one. */
  last = 0;

  constructor(floor?: () => number) {
    this.#floor = floor;
  }

  /** Returns the next number, which is above `after`. */
  next(after: number): number {
    this.last = Math.max(this.last + 1, after + 1, this.#floor?.() ?? 0);
    return this.last;
  }

  /** Continues above the number of another process. */
  follow(number: number): void {
    this.last = Math.max(this.last, number);
  }
}

/** A response with the id of its journal entry. */
export interface Served {
  readonly response: ServiceResponse;
  readonly requestId: string;
  readonly projectKey: string;
}

/** Returns the response to a request that no journal keeps. */
export function unrecorded({ contract }: Engine, projectKey: string, error: ServiceError, operation?: Operation) {
  return { response: errorResponse(contract, error, operation), requestId: "none", projectKey };
}

/** Returns the start of a request: now. `arriving` is its project, if it is known. */
export function startIn({ now }: Engine, arriving?: Project): Start {
  return { serverTime: now(), started: performance.now(), journalStart: arriving?.journalStart };
}

const NONE: readonly never[] = [];
const NO_PARAMETERS: Readonly<Record<string, string>> = {};

/** A request to record. One that matches no operation has only the first members. */
type RecordedCall = Pick<Call, "engine" | "project" | "request" | "arrival" | "decisions"> & Partial<Call>;

/** Creates all members at once, as copying them would take longer, for each request. */
function exchangeOf(
  call: RecordedCall,
  response: ServiceResponse,
  { body, cutFrom, isBroken }: BodyEnd,
  position: Pick<Exchange, "id" | "serial" | "changes" | "momentBefore" | "momentAfter">,
): Exchange {
  const { request, arrival, forwarding } = call;
  const { receivedAt, serverTime, number, started } = arrival;
  const { changes } = position;
  const requestBytes = forwarding?.requestBytes;
  const isCut = (requestBytes ?? cutFrom) !== undefined;
  return {
    id: position.id,
    receivedAt,
    serverTime,
    arrival: number,
    serial: position.serial,
    // Tests that embed the mock can change the clock meanwhile.
    duration: Math.max(0, performance.now() - started),
    delayed: call.delayed,
    method: request.method,
    origin: request.origin,
    path: request.path,
    query: request.query,
    headers: request.headers,
    requestBody: call.text ?? (call.bytes?.length ? call.bytes : undefined),
    operationId: call.operation?.id,
    pathParameters: call.path ?? NO_PARAMETERS,
    actions: call.applied ?? NONE,
    status: response.status,
    isBroken,
    responseHeaders: response.headers,
    responseBody: body,
    source: response.source,
    offContract: response.offContract ?? false,
    // Copied, as a list that grew takes more memory.
    decisions: forwarding ? [...call.decisions, ...forwarding.decisions] : call.decisions.slice(),
    violations: call.violations?.length ? call.violations : NONE,
    unnamed: call.unnamed ?? NONE,
    momentBefore: position.momentBefore,
    momentAfter: position.momentAfter,
    ...(changes && { changes }),
    ...(forwarding && { upstream: forwarding.exchange }),
    ...(isCut && {
      cut: {
        ...(requestBytes !== undefined && { request: requestBytes }),
        ...(cutFrom !== undefined && { response: cutFrom }),
      },
    }),
  };
}

const inProgress = { id: "in progress", serial: Number.POSITIVE_INFINITY };
const unanswered: ServiceResponse = { status: 0, headers: {}, body: null, source: "" };
const noBody: BodyEnd = { body: null, isBroken: false };

/** The requests in progress of this process: they have arrived and are not in a journal yet. */
export class InProgress {
  readonly #calls = new Map<ServiceRequest, Call>();

  add(call: Call): void {
    this.#calls.set(call.request, call);
  }

  delete(request: ServiceRequest): void {
    this.#calls.delete(request);
  }

  /**
   * Returns the requests of one project, or of all projects, as exchanges without a response, in the order of arrival.
   * Leaves out those that arrived before their journal was cleared; `withCleared` includes them.
   */
  of(projectKey?: string, withCleared = false): Exchange[] {
    return Array.from(this.#calls.values())
      .filter(({ project }) => !project.hasEnded && project.key === (projectKey ?? project.key))
      .filter(({ project, arrival }) => withCleared || arrival.journalStart >= project.journalStart)
      .map((call) => exchangeOf({ ...call, forwarding: undefined }, unanswered, noBody, inProgress))
      .sort((a, b) => a.arrival - b.arrival);
  }
}

/**
 * Records a request with its response in the journal, as soon as the body has ended. Returns the response to send: 503 if
 * the project was reset or deleted meanwhile.
 */
export function record(call: RecordedCall, response: ServiceResponse): Served {
  const { engine, project, request, arrival } = call;
  const { delivery } = response;
  const stream = delivery && "stream" in delivery ? delivery.stream : undefined;
  // The project was reset or deleted meanwhile: the request gets 503, and the journal of the new project omits it.
  const isLate = project.hasEnded;
  if (isLate) {
    stream?.cancel();
    response = errorResponse(engine.contract, projectEnded(project), call.endpoint ? undefined : call.operation);
  }
  const requestId = isLate ? "none" : project.newRequestId();
  const { author } = call;
  if (author) author.request = requestId;
  const changes = author?.after === undefined ? undefined : summariesOf(project.history, author);
  const momentBefore = author?.before ?? project.moment;
  const momentAfter = author?.after ?? project.moment;
  const add = (end: BodyEnd) => {
    const serial = engine.sequence.next(project.lastSerial);
    const position = { id: requestId, serial, changes, momentBefore, momentAfter };
    const exchange = exchangeOf(call, response, end, position);
    engine.inProgress.delete(request);
    const isListed = project.record(exchange, arrival.journalStart);
    if (!call.endpoint) engine.sweep?.recorded(exchange, project.key);
    if (engine.feed.isPublishing && isListed) {
      engine.feed.publish("request", project.key, requestEvent(exchange));
    }
  };
  if (stream && !isLate) {
    // A body that ends later is recorded in a step of its own.
    void stream.ended.then(async (end) => {
      try {
        await engine.home.step(project.key, () => add(end));
      } catch (error) {
        // Without its store, no journal can have the request.
        engine.inProgress.delete(request);
        if (!(error instanceof ServiceError)) engine.onDefect(error);
      }
    });
  } else {
    // A rule can replace the body of the upstream by a text.
    const arrived = typeof response.body === "string" ? undefined : call.forwarding?.end;
    add({ body: response.body, ...arrived, isBroken: response.delivery?.fault !== undefined });
  }
  return { response, requestId, projectKey: project.key };
}
