import type { IncomingMessage } from "node:http";
import { performance } from "node:perf_hooks";
import { MAX_CHECKED_BYTES, ServiceError, utf8 } from "../../contract/index.ts";
import { type Call, ClientGone, type Forwarding, header } from "../../engine/index.ts";
import type { UpstreamExchange } from "../../journal/index.ts";
import { projectEnded } from "../../project/index.ts";
import type { BodyEnd, ServiceResponse } from "../../rules/index.ts";
import { brokenReason, masked, readAhead, streamOf } from "./arriving-body.ts";
import { type Checked, checkReceived, decodeBody } from "./check-response.ts";
import {
  codingsOf,
  hasCredentials,
  headersToPass,
  headersToSend,
  rejectLoop,
  withoutSecrets,
} from "./forwarded-headers.ts";
import type { Recorder } from "./recorder.ts";
import type { Send } from "./sender.ts";
import { type Address, pathAt } from "./upstream-address.ts";

/**
 * How much of a body is read before its response begins, in bytes and in milliseconds. So the journal has most requests
 * before their clients see a response, as for responses of the mock itself.
 */
const AHEAD_BYTES = 64 * 1024;
const AHEAD_MS = 100;

/** The upstream and the means to reach it. */
export interface Service {
  readonly address: Address;
  readonly send: Send;
  /** The longest time to wait for the response, in milliseconds. */
  readonly timeout: number;
  /** The longest time to wait for each part of its body, in milliseconds. */
  readonly bodyTimeout: number;
  readonly recorder: Recorder | undefined;
  /** The last check. Bodies are checked one after the other: their values together could fill the memory. */
  checking: Promise<unknown>;
}

/** Sends the request of a call to the upstream and returns its response. See `Upstream.forward`. */
export async function forward(
  service: Service,
  call: Call,
  forwarding: Forwarding,
  whole: "sent" | "decoded" | undefined,
): Promise<ServiceResponse> {
  const { address, timeout } = service;
  const { request, project } = call;
  const path = pathAt(address, escaped(request.path));
  rejectLoop(request, address);
  const requestHeaders = { ...headersToSend(request, address), ...framing(call, forwarding) };
  const exchange: UpstreamExchange = { url: address.base + request.path, requestHeaders, ms: 0, violations: [] };
  forwarding.exchange = exchange;
  const body = forwarding.rest ? counting(call, forwarding, forwarding.rest) : call.bytes;
  // From here on, the sender reads the rest.
  forwarding.rest = undefined;
  const started = performance.now();
  const signal = AbortSignal.any([request.signal(), project.ended]);
  const end = () => {
    exchange.ms = performance.now() - started;
  };
  let incoming: IncomingMessage;
  try {
    const target = request.query === "" ? path : `${path}?${escaped(request.query)}`;
    const { method } = request;
    incoming = await service.send({ method, path: target, headers: requestHeaders, body, signal, timeout });
    if (signal.aborted) incoming.destroy();
    signal.throwIfAborted();
  } catch (error) {
    end();
    if (project.hasEnded) throw projectEnded(project);
    if (signal.aborted) {
      exchange.error = "the client disconnected before the upstream responded";
      forwarding.decisions.push({ kind: "not-forwarded", reason: exchange.error });
      throw new ClientGone();
    }
    exchange.error = (error as Error).message;
    throw error;
  }
  return received({ service, call, forwarding, exchange, incoming, signal, end }, whole);
}

/** A request whose response has begun to arrive. */
interface Passage {
  readonly service: Service;
  readonly call: Call;
  readonly forwarding: Forwarding;
  readonly exchange: UpstreamExchange;
  readonly incoming: IncomingMessage;
  /** Aborts when the client disconnects or the project ends. */
  readonly signal: AbortSignal;
  /** Sets the time in the exchange. */
  readonly end: () => void;
}

async function received(passage: Passage, whole: "sent" | "decoded" | undefined): Promise<ServiceResponse> {
  const { service, call, forwarding, exchange, incoming, end, signal } = passage;
  const { address } = service;
  const status = incoming.statusCode ?? 0;
  const refuse = (expected: string, found: unknown) => {
    incoming.destroy();
    end();
    exchange.error = `The upstream: expected ${expected}, found ${found}`;
    throw new ServiceError({ code: "BadGateway", message: exchange.error });
  };
  if (status < 200 || status > 599) refuse("a status from 200 to 599", status);
  exchange.status = status;
  exchange.responseHeaders = withoutSecrets(incoming.headers, address);
  forwarding.decisions.push({ kind: "forwarded", status });
  const headers = headersToPass(exchange.responseHeaders, address);
  const response = { status, headers, body: null, source: "upstream" } as const;
  const length = lengthOf(incoming);
  let checked: Checked | undefined;
  const finish = async (kept: { bytes: Uint8Array; size: number }, error?: Error): Promise<BodyEnd> => {
    end();
    if (error) {
      exchange.error = brokenReason(error);
      forwarding.decisions.push({ kind: "broke-off", reason: exchange.error });
      return { ...startOf(kept), isBroken: true };
    }
    const concluding = service.checking.then(() => conclude(passage, kept));
    const forget = () => {};
    service.checking = concluding.then(forget, forget);
    const concluded = await concluding;
    checked = concluded.checked;
    return concluded;
  };
  if (call.request.method === "HEAD" || status === 204 || status === 205 || status === 304) {
    // Node reads a body after 205, which can be endless.
    incoming.destroy();
    await finish({ bytes: new Uint8Array(0), size: 0 });
    if (length === undefined || call.request.method !== "HEAD") return response;
    return { ...response, headers: { ...headers, "Content-Length": String(length) } };
  }
  const codings = codingsOf(incoming.headers);
  if (codings !== "" && hasCredentials(exchange.requestHeaders, address)) {
    const hint = "The mock cannot remove the credentials of --upstream from such a body. Send Authorization yourself.";
    refuse("a body without compression", `${codings}. ${hint}`);
  }
  const limit = limitOf(call);
  const { secrets } = address;
  const stream = streamOf({ incoming, length, limit, secrets, timeout: service.bodyTimeout, signal, finish });
  const ahead = await readAhead(stream, whole ? { bytes: limit } : { bytes: AHEAD_BYTES, time: AHEAD_MS });
  if (ahead.rest) {
    if (whole) forwarding.decisions.push({ kind: "not-changed", reason: ahead.why });
    return { ...response, delivery: { stream: ahead.rest } };
  }
  forwarding.end = ahead.end;
  const { body } = ahead.end;
  if (whole !== "decoded" || checked?.violations.length !== 0 || typeof body !== "string") {
    return { ...response, body: ahead.bytes };
  }
  const { "content-encoding": _, ...decoded } = headers;
  return { ...response, headers: decoded, body };
}

async function conclude(
  { service, call, forwarding, exchange }: Passage,
  { bytes, size }: { bytes: Uint8Array; size: number },
): Promise<BodyEnd & { checked?: Checked }> {
  const { operation, settings } = call;
  const { decisions } = forwarding;
  const isRecording = call.project.settings.upstreamMode === "record" && service.recorder !== undefined;
  const { status = 0, responseHeaders: headers = {} } = exchange;
  const limit = limitOf(call);
  if (size > bytes.length || size > limit) {
    const reason = size > limit ? `it has more than ${limit} bytes` : "too many others were checked at the same time";
    decisions.push({ kind: "not-checked", reason, ...(isRecording && { unrecorded: true }) });
    return { ...startOf({ bytes, size }), isBroken: false };
  }
  const { problem, ...decoding } = decodeBody(bytes, String(headers["content-encoding"] ?? ""), limit);
  const decoded = decoding.bytes ? masked(decoding.bytes, service.address.secrets) : bytes;
  const end = { ...startOf({ bytes: decoded, size: decoded.length }), isBroken: false };
  // A request that matches no operation has no declared responses.
  const isUnmatched = Object.keys(operation.responses).length === 0;
  if (isUnmatched || (settings.validation === "off" && !isRecording)) return end;
  const { path, query } = call.request;
  const sent = { paths: [path, service.address.basePath + path], query: new URLSearchParams(query) };
  const response = { status, headers, bytes: decoded, problem };
  const checked = await checkReceived(call.engine.contract, operation, sent, response);
  if (settings.validation !== "off") {
    exchange.violations = checked.violations;
    const [difference] = checked.differs;
    if (difference) {
      exchange.differs = checked.differs;
      const { assumption, message } = difference;
      decisions.push({ kind: "differs", assumption, message });
    }
  }
  const [violation] = checked.violations;
  if (violation) decisions.push({ kind: "violates", message: violation.message });
  if (isRecording) decisions.push(await service.recorder(call, exchange, checked));
  return { ...end, checked };
}

function framing({ request, bytes }: Call, { rest }: Forwarding): Record<string, string> {
  const sent = header(request, "content-length");
  if (rest) {
    const isKnown = sent !== undefined && /^\d+$/.test(sent) && Number(sent) > bytes.length;
    return isKnown ? { "content-length": sent } : { "transfer-encoding": "chunked" };
  }
  if (bytes.length > 0 || sent !== undefined || /^P/.test(request.method))
    return { "content-length": String(bytes.length) };
  return {};
}

/** Yields a long body from its start, and counts its bytes for the journal. */
async function* counting(
  { bytes }: Call,
  forwarding: Forwarding,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  forwarding.requestBytes = bytes.length;
  try {
    yield bytes;
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      forwarding.requestBytes += next.value.length;
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}

/** Returns a part of a request target with only the characters that a target can have. */
function escaped(text: string): string {
  return text.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}

function lengthOf({ headers }: IncomingMessage): number | undefined {
  const length = headers["content-length"];
  return length === undefined || headers["transfer-encoding"] !== undefined ? undefined : Number(length);
}

function limitOf({ settings }: Call): number {
  return Math.min(MAX_CHECKED_BYTES, settings.maxBodyBytes);
}

/** Returns a body for the journal, which may have only its start. */
function startOf({ bytes, size }: { bytes: Uint8Array; size: number }): Pick<BodyEnd, "body" | "cutFrom"> {
  const isCut = size > bytes.length;
  return { body: size === 0 ? null : (utf8(bytes, isCut) ?? bytes), ...(isCut && { cutFrom: size }) };
}
