import {
  type ErrorDetail,
  type JsonRefusal,
  MAX_DETAILS,
  type Operation,
  type Problem,
  type QueryValues,
  ServiceError,
} from "../../contract/index.ts";
import type { Author, Decision, UpstreamExchange } from "../../journal/index.ts";
import type { CountedRequest, Project } from "../../project/index.ts";
import type { BodyEnd, ServiceResponse } from "../../rules/index.ts";
import type { SelectedSandbox, Settings } from "../../state/index.ts";
import type { Engine } from "../engine.ts";
import { type ChosenEffects, noEffects } from "./chosen-effects.ts";
import type { ServiceRequest } from "./service-request.ts";

/** A request in the pipeline, with the results of the steps so far. */
export interface Call {
  readonly engine: Engine;
  readonly project: Project;
  readonly arrival: Arrival;
  /** The author of all changes that the request makes in the state. */
  readonly author: Author;
  readonly operation: Operation;
  readonly request: ServiceRequest;
  /** The project key in the path. If the headers select a sandbox, the key of `project` is longer. */
  readonly projectKey: string;
  /** The path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /**
   * The sent path before the path of the operation: project key and base path, such as `/my-project/v1`. Lacks the project
   * key if the path of the operation contains the key.
   */
  readonly base: string;
  /** The settings of the project, with the overrides of rules for this request. */
  settings: Settings;
  query: QueryValues;
  /** Query parameters that the interface does not define. */
  unnamed: readonly string[];
  /** The body as sent; empty if the request has no body or the operation accepts none. */
  bytes: Uint8Array;
  /** The same as text, if the operation accepts JSON and the body is text. */
  text: string | undefined;
  /** The value of the body, if it is JSON, a form or text; with what its schema rejects in it, if it is a form. */
  json: { readonly value: unknown; readonly problems?: readonly Problem[] } | undefined;
  /** The reason why parsing the JSON body failed. */
  refusal: JsonRefusal | undefined;
  /** The effects of rules, scenarios and the Prefer header on the request. */
  effects: ChosenEffects;
  /** The delay of the response, in milliseconds. */
  delay: number;
  /** The error of the head of the request, for which the server has not read the body. */
  unread: ServiceError | undefined;
  /** The time that effects have held the response back, in milliseconds. */
  delayed: number;
  response: ServiceResponse | undefined;
  /** Whether the response reports a mistake in a rule. No effect changes such a response. */
  isStubMistake: boolean;
  /** Set for the token endpoint. */
  readonly endpoint?: Endpoint;
  /** Set if the setting `upstreamMode` sends the request to the upstream, unless an effect responds before. */
  forwarding: Forwarding | undefined;
  /** The place of the request in the window of the setting `rateLimit`; undefined without this setting. */
  counted: CountedRequest | undefined;
  /** The client that the token was issued to, if known. */
  clientId: string | undefined;
  /** The distinct names of the applied update actions. */
  applied: readonly string[];
  /** The decisions behind the response, in order. The journal keeps them. */
  readonly decisions: Decision[];
  /** The first contract violations of the request; empty with `validation: off`. */
  readonly violations: ErrorDetail[];
}

export const NO_BYTES = new Uint8Array(0);
const NONE: readonly never[] = [];

/** The operation that a request addresses, and the sandbox that its headers select. */
export interface Addressed {
  readonly operation: Operation;
  /** The path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly sandbox?: SelectedSandbox;
  /** The start of the path before that of the operation, as sent. */
  readonly base?: string;
  /** Set for the token endpoint, which validates its requests itself. */
  readonly endpoint?: Endpoint;
}

/** The arrival of a request. */
export interface Arrival {
  /** By the project's clock, in milliseconds. */
  readonly receivedAt: number;
  /** By the server's clock, in milliseconds. */
  readonly serverTime: number;
  /** The position of the request in the order of arrival. */
  readonly number: number;
  /** The value of `performance.now()`, in milliseconds. */
  readonly started: number;
  /** The start of the journal (see Log) that the request belongs to. */
  readonly journalStart: number;
}

/** The moment when a request has come. `journalStart` is undefined if only a step can tell. */
export type Start = Pick<Arrival, "serverTime" | "started"> & Partial<Pick<Arrival, "journalStart">>;

/** Returns the arrival of a request at this project. Called in a step. */
export function arrivalIn({ home, sequence }: Engine, project: Project, start: Start): Arrival {
  const { clock, lastSerial } = project;
  const journalStart = start.journalStart ?? home.journalStartAt(project, start.started);
  return { ...start, journalStart, receivedAt: clock.now(), number: sequence.next(lastSerial) };
}

export function openCall(
  engine: Engine,
  project: Project,
  { operation, path, base = "", sandbox, endpoint }: Addressed,
  request: ServiceRequest,
  start: Start,
): Call {
  const { settings, forwarding } = forwardingOf(engine, project, endpoint);
  return {
    engine,
    project,
    arrival: arrivalIn(engine, project, start),
    // All members from the start: an object that grows takes more memory, and the history keeps it.
    author: {
      by: "request",
      method: request.method,
      path: request.path,
      client: undefined,
      request: undefined,
      before: undefined,
      after: undefined,
    },
    operation,
    request,
    projectKey: path[engine.contract.addresses.project ?? ""] ?? project.key,
    path,
    base,
    settings,
    query: {},
    unnamed: NONE,
    bytes: endpoint?.bytes ?? NO_BYTES,
    text: undefined,
    json: undefined,
    refusal: undefined,
    effects: noEffects,
    delay: 0,
    unread: undefined,
    delayed: 0,
    response: undefined,
    isStubMistake: false,
    endpoint,
    forwarding,
    counted: undefined,
    clientId: undefined,
    applied: NONE,
    decisions: sandbox ? [{ kind: "sandbox", ...sandbox }] : [],
    violations: [],
  };
}

/**
 * Returns a function that returns the call as it is now, for each run of the next step. The lists are cut, not copied,
 * because the chosen effects add to them.
 */
export function resumable(call: Call): () => Call {
  const { length: decided } = call.decisions;
  const { length: violated } = call.violations;
  return () => {
    call.decisions.length = decided;
    call.violations.length = violated;
    return { ...call, author: { ...call.author } };
  };
}

export function responseOf({ response }: Call): ServiceResponse {
  if (!response) throw new Error("the call has no response");
  return response;
}

/** Returns the settings for a request to the project, and whether it is forwarded to the upstream. */
export function forwardingOf(
  { upstream }: Engine,
  { settings }: Project,
  endpoint?: Endpoint,
): Pick<Call, "settings" | "forwarding"> {
  if (!upstream || endpoint || settings.upstreamMode === "off") return { settings, forwarding: undefined };
  // The service checks tokens and rejects invalid requests, the mock only reports them. A rule can override these settings.
  const validation = settings.validation === "off" ? "off" : "report";
  return { settings: { ...settings, auth: "off", validation }, forwarding: { upstream, decisions: [] } };
}

/** An endpoint of the server that uses the pipeline for its effects and its journal only. */
export interface Endpoint {
  /** The received body. */
  readonly bytes: Uint8Array;
  /** Returns the response. Runs in a step that can change the project and the state outside of projects. */
  respond(): ServiceResponse;
}

/** The real service of `--upstream`. `src/upstream` implements it and is loaded only with this flag. */
export interface Upstream {
  /** Whether a folder for recorded fixtures is set. */
  readonly canRecord: boolean;
  /**
   * Sends the request to the service and returns its response. By default, the body is passed on as it arrives.
   * `whole: "sent"` reads it first; `whole: "decoded"` also decodes it, for effects that change it.
   * Throws BadGateway and GatewayTimeout, and ClientGone if the client disconnects meanwhile.
   */
  forward(call: Call, forwarding: Forwarding, whole?: "sent" | "decoded"): Promise<ServiceResponse>;
}

/** What happens to a forwarded request. */
export interface Forwarding {
  readonly upstream: Upstream;
  /** The decisions about the forwarding. A body that still arrives adds some after the last step. */
  readonly decisions: Decision[];
  /** The rest of a body that is longer than the limit in the settings, until it is sent. */
  rest?: AsyncIterator<Uint8Array>;
  /** The size of the whole request body, once the rest was sent; in bytes. */
  requestBytes?: number;
  /** The body of the response as the journal shows it, once it has arrived: without its content coding. */
  end?: BodyEnd;
  /** Set when the request goes to the service. */
  exchange?: UpstreamExchange;
}

/** Drops the rest of the request body, if it was not sent to the upstream. */
export function dropRest({ forwarding }: Call): void {
  void forwarding?.rest?.return?.();
}

/**
 * Reports contract violations of the request. With `validation: enforce`, adds them to the call and throws. With
 * `report`, adds them to the call. With `off`, does nothing.
 */
export function violate(call: Call, details: readonly ErrorDetail[]): void {
  const { validation } = call.settings;
  if (details.length === 0 || validation === "off") return;
  const isInvalid = details[0]?.code === "InvalidField" || (details[0]?.code === "InvalidInput" && !call.refusal);
  // An invalid value or a missing body gets 422 if the operation declares it (RFC 9110, section 15.5.21).
  const error = new ServiceError([...details], {}, isInvalid && call.operation.responses[422] ? 422 : undefined);
  // Limited as in an error, so that one request cannot fill the journal with its violations.
  call.violations.push(...error.details.slice(0, MAX_DETAILS - call.violations.length));
  if (validation === "enforce") throw error;
}
