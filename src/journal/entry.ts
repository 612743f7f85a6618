import { Buffer } from "node:buffer";
import { type FromSchema, object, type Schema, string } from "../contract/schema.ts";
import { queryOf } from "../matching/matchable.ts";
import { utf8 } from "../text/json.ts";
import { readJson } from "../text/json-reader.ts";
import { redactHeader, redactJson, redactMember, redactText } from "../text/redact.ts";
import { type Exchange, withinBounds } from "./exchange.ts";

const strings = { type: "array", items: string } as const satisfies Schema;
const textByName = { type: "object", additionalProperties: string } as const satisfies Schema;
const milliseconds = { type: "number", minimum: 0 } as const satisfies Schema;

const EntryBody = {
  type: "object",
  required: ["bytes"],
  description: "One of json, text and base64; of a body that was cut, text or base64 of its beginning.",
  properties: {
    bytes: { type: "integer", minimum: 0, description: "The whole body's size." },
    json: { description: "The value, where the body is JSON." },
    text: { type: "string", description: "Where it is text, but no JSON." },
    base64: { type: "string", description: "Where it is neither." },
    cut: { type: "boolean", description: "Whether only the beginning is kept, or shown." },
  },
} as const satisfies Schema;
type EntryBody = FromSchema<typeof EntryBody>;

/** A request and its answer, as the control API shows them: credentials and tokens are left out. */
export const RequestEntry = object(
  ["id", "request", "response", "source", "decisions", "violations", "unnamed", "timings"],
  {
    id: { type: "string", description: "Unique as long as the server runs. Also in the answer's Mock-Request-Id." },
    operation: { type: "string", description: "Left out where the path or the method is no operation's." },
    request: object(["method", "path", "pathParameters", "query", "headers"], {
      method: string,
      path: { type: "string", description: "As sent, percent-encoded." },
      pathParameters: { ...textByName, description: "Decoded." },
      query: {
        type: "object",
        additionalProperties: strings,
        description: "Decoded, each name with all its values.",
      },
      headers: { ...textByName, description: "By lower-case name." },
      body: EntryBody,
    }),
    response: object(["status", "headers"], { status: { type: "integer" }, headers: textByName, body: EntryBody }),
    source: { type: "string", description: "Where the answer came from, as Mock-Source says it." },
    decisions: { ...strings, description: "Why the answer is what it is, in order." },
    violations: {
      type: "array",
      description: "Where the request broke the contract.",
      items: object(["code", "message"], { code: string, message: string, field: string }),
    },
    unnamed: { ...strings, description: "Query parameters that the interface does not name." },
    timings: object(["receivedAt", "serverTime", "duration"], {
      receivedAt: { type: "string", format: "date-time", description: "By the project's clock." },
      serverTime: { type: "string", format: "date-time", description: "The same moment by the server's clock." },
      duration: { ...milliseconds, description: "From arrival to answer, in milliseconds." },
    }),
  },
);
export type RequestEntry = FromSchema<typeof RequestEntry>;

/** How much of a body a brief entry shows, in bytes. */
const MAX_BRIEF_BODY = 8 * 1024;

/** The exchange as a failure shows it: of long bodies the beginning only. */
export function briefEntryOf(exchange: Exchange): RequestEntry {
  return entryOf(withinBounds(exchange, MAX_BRIEF_BODY));
}

/** The exchange as it is shown. */
export function entryOf(exchange: Exchange): RequestEntry {
  const { id, operationId, method, path, pathParameters, status, source, decisions, violations, unnamed } = exchange;
  const { requestBody, responseBody, cut, receivedAt, serverTime, duration } = exchange;
  const sent = requestBody && bodyOf(requestBody, cut?.request);
  // What a HEAD would have been answered is known, but was not sent.
  const respondedTo = responseBody === null || method === "HEAD" ? undefined : bodyOf(responseBody, cut?.response);
  return {
    id,
    ...(operationId && { operation: operationId }),
    request: {
      method,
      path,
      pathParameters: { ...pathParameters },
      query: shownQuery(exchange),
      headers: shownHeaders(exchange.headers),
      ...(sent && { body: sent }),
    },
    response: { status, headers: shownHeaders(exchange.responseHeaders), ...(respondedTo && { body: respondedTo }) },
    source,
    decisions: [...decisions],
    violations: violations.map(({ code, message, field }) => ({
      code,
      message,
      ...(field !== undefined && { field }),
    })),
    unnamed: [...unnamed],
    timings: {
      receivedAt: new Date(receivedAt).toISOString(),
      serverTime: new Date(serverTime).toISOString(),
      duration: Number(duration.toFixed(3)),
    },
  };
}

function shownQuery(exchange: Exchange): Record<string, string[]> {
  const query = Object.entries(queryOf(exchange));
  return Object.fromEntries(query.map(([name, values]) => [name, values.map((value) => redactMember(name, value))]));
}

function shownHeaders(headers: Exchange["headers"]): Record<string, string> {
  const shown = Object.entries(headers).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? value.join(", ") : value;
    return text === undefined ? [] : [[name, redactHeader(name, text)] as const];
  });
  return Object.fromEntries(shown);
}

/** `cutFrom`: how many bytes there were, where only the beginning was kept. */
function bodyOf(body: Uint8Array | string, cutFrom: number | undefined): EntryBody {
  const bytes = cutFrom ?? Buffer.byteLength(body);
  const cut = cutFrom !== undefined;
  const text = typeof body === "string" ? body : utf8(body, cut);
  if (text === undefined) return { bytes, base64: Buffer.from(body).toString("base64"), ...(cut && { cut }) };
  const json = cut ? undefined : readJson(body);
  if (json && "value" in json) return { bytes, json: redactJson(json.value) };
  return { bytes, text: redactText(text), ...(cut && { cut }) };
}
