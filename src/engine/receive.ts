import {
  bestFor,
  kindOf,
  MAX_CHECKED_BYTES,
  type Operation,
  readFormBody,
  readMultipart,
  utf8,
} from "../contract/index.ts";
import type { Project } from "../project/index.ts";
import { type Addressed, type Call, forwardingOf, NO_BYTES, openCall, type Start } from "./call/call.ts";
import {
  contentLength,
  contentTooLarge,
  encodingProblem,
  header,
  readJsonBody,
  type ServiceRequest,
} from "./call/service-request.ts";
import type { Engine } from "./engine.ts";
import { isSteered } from "./steering.ts";
import { errorOfHead } from "./validate.ts";

/** Sets a received body in a call, in each run of a step. Throws the error of receiving the body. */
export type Received = (call: Call) => void;

/** Receives the body before the first step, as a client can send it slowly. `arriving` is the project, if it is known. */
export async function receive(
  engine: Engine,
  arriving: Project | undefined,
  projectKey: string,
  addressed: Addressed,
  request: ServiceRequest,
  start: Start,
): Promise<Received> {
  const { operation } = addressed;
  const { projects, settings, upstream, home } = engine;
  const setting = bodyLimit(bodyType(operation, request));
  // Another process may have raised the limit.
  const length = contentLength(request);
  const known = projects.find(projectKey)?.settings ?? settings;
  if (!arriving && (!(length <= known[setting]) || upstream)) await home.step(projectKey, () => undefined);
  const project = arriving ?? projects.peek(projectKey);
  const received: ReceivingCall = {
    operation,
    request,
    ...forwardingOf(engine, project),
    bytes: NO_BYTES,
    text: undefined,
    json: undefined,
    refusal: undefined,
  };
  let failure: { readonly error: unknown } | undefined;
  // A client that sends the body only after 100 saves it. A rule can depend on the body, so the head does not decide then.
  const isAwaited = header(request, "expect") !== undefined && !(length > project.settings[setting]);
  const decideByHead = () => {
    const call = openCall(engine, arriving ?? projects.peek(projectKey), addressed, request, start);
    return isSteered(call) ? undefined : errorOfHead(call);
  };
  const unread = isAwaited ? await home.step(projectKey, decideByHead) : undefined;
  try {
    if (!unread) await receiveBody(received);
  } catch (error) {
    failure = { error };
  }
  const { forwarding, bytes, text, json, refusal } = received;
  return (call) => {
    if (failure) throw failure.error;
    if (unread) call.unread = unread;
    Object.assign(call, { bytes, text, json, refusal });
    if (forwarding) call.forwarding = { ...forwarding, decisions: [...forwarding.decisions] };
    const limit = call.settings[setting];
    if (!forwarding && bytes.length > limit) throw contentTooLarge(setting, limit, bytes.length);
  };
}

/** The part of a call that receiving a body reads and writes. */
type ReceivingCall = Pick<
  Call,
  "operation" | "request" | "settings" | "bytes" | "text" | "json" | "refusal" | "forwarding"
>;

/**
 * Reads the body if the operation has one, up to the limit in the settings, and parses JSON.
 * Keeps a parse error for validation: authorization comes first, so an unauthorized client gets 401 or 403 instead.
 * Throws ContentTooLarge (413).
 */
export async function receiveBody(call: ReceivingCall): Promise<void> {
  const { operation, settings, request, forwarding } = call;
  if (!operation.body && !forwarding) return;
  const { type, kind } = bodyType(operation, request);
  const limit = bodyLimit({ kind });
  if (forwarding) {
    // `forward` sends a longer body on as it arrives.
    const most = Math.min(MAX_CHECKED_BYTES, settings[limit]);
    const { bytes, rest } = await request.readStart(most);
    call.bytes = bytes;
    if (rest) forwarding.decisions.push({ kind: "not-validated", most });
    forwarding.rest = rest;
  } else call.bytes = await request.readBody(settings[limit], limit);
  // The mock sends encoded and long bodies on without parsing them.
  if (forwarding && (forwarding.rest || encodingProblem(request))) return;
  if (kind === "bytes" || call.bytes.length === 0) return;
  const text = kind === "multipart" ? undefined : utf8(call.bytes);
  if (text !== undefined) call.text = text;
  if (kind === "text") {
    if (text !== undefined) call.json = { value: text };
    return;
  }
  const reading = kind === "json" ? readJsonBody(text ?? call.bytes) : await readForm(call, type, text);
  if ("problem" in reading) call.json = { value: undefined, problems: [{ pointer: "", message: reading.problem }] };
  else if ("refusal" in reading) call.refusal = reading.refusal;
  else call.json = reading;
}

function readForm({ operation: { body }, request, bytes }: ReceivingCall, type: string, text: string | undefined) {
  const schema = body?.schemas?.[type] ?? body?.schema ?? {};
  if (text !== undefined) return readFormBody(text, schema, body?.encoding);
  const contentType = header(request, "content-type") ?? "";
  return readMultipart(bytes as Uint8Array<ArrayBuffer>, contentType, schema, body?.encoding);
}

interface BodyType {
  readonly type: string;
  readonly kind: ReturnType<typeof kindOf>;
}

function bodyLimit({ kind }: Pick<BodyType, "kind">): "maxBodyBytes" | "maxImageBytes" {
  return kind === "multipart" || kind === "bytes" ? "maxImageBytes" : "maxBodyBytes";
}

/** Returns the declared media type of the body, and how it is read: by default as the first declared one. */
function bodyType({ body }: Operation, request: ServiceRequest): BodyType {
  const [first = ""] = body?.mediaTypes ?? [];
  const sent = header(request, "content-type");
  const type = bestFor(body?.mediaTypes ?? [], sent) ?? first;
  return { type, kind: kindOf(type.includes("*") ? (sent ?? "") : type) };
}
