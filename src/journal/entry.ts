import { Buffer } from "node:buffer";
import {
  type ErrorDetail,
  type FromSchema,
  MAX_BRIEF_BODY,
  MAX_LISTED,
  mapValues,
  mentionsSecret,
  object,
  objectExcept,
  readJson,
  redactHeader,
  redactJson,
  redactMember,
  redactQuery,
  redactText,
  type Schema,
  string,
  utf8,
} from "../contract/index.ts";
import { queryOf } from "../rules/index.ts";
import {
  AppliedEffect,
  conflictSchema,
  DecisionSchema,
  decisionNamed,
  effectsIn,
  evolvedIn,
  milliseconds,
  sentenceOf,
  shownDecision,
} from "./decisions.ts";
import { withinBounds } from "./kept-bounds.ts";
import { type Exchange, KeptExchange, type UpstreamExchange } from "./kept-exchange.ts";

const strings = { type: "array", items: string } as const satisfies Schema;
const textByName = { type: "object", additionalProperties: string } as const satisfies Schema;

const EntryBody = {
  type: "object",
  required: ["bytes"],
  description: "Has one of json, text and base64. For a cut body, text or base64 holds the start.",
  properties: {
    bytes: { type: "integer", minimum: 0, description: "The size of the whole body." },
    json: { description: "The value, if the body is JSON." },
    text: { type: "string", description: "The body, if it is text but not JSON." },
    base64: { type: "string", description: "The body, if it is neither JSON nor text." },
    cut: { type: "boolean", description: "Whether the entry has only the start of the body." },
  },
} as const satisfies Schema;
type EntryBody = FromSchema<typeof EntryBody>;

const { violations, changes, upstream, unnamed } = KeptExchange.properties;
const { differs, recorded, error } = upstream.properties;

const EntryChange = object(changes.items.required, {
  ...changes.items.properties,
  before: { description: "The value before. Only in the response for a single request; a long value is cut." },
  after: { description: "The value after." },
});

/** A request and its response, as the control API returns them. Credentials and tokens are redacted. */
export const RequestEntry = objectExcept(["operation", "evolved", "conflict", "upstream", "cut"], {
  id: {
    type: "string",
    description: "Unique as long as the server runs. The same as Mock-Request-Id of the response.",
  },
  operation: { type: "string", description: "Absent if no operation matches the path and method." },
  request: object(["method", "path", "pathParameters", "query", "headers"], {
    method: string,
    path: { type: "string", description: "As sent, percent-encoded." },
    pathParameters: { ...textByName, description: "Decoded." },
    query: {
      type: "object",
      additionalProperties: strings,
      description: "Decoded. Each name has the list of its values.",
    },
    headers: { ...textByName, description: "Headers by lower-case name." },
    body: EntryBody,
  }),
  response: object(["status", "headers"], { status: { type: "integer" }, headers: textByName, body: EntryBody }),
  source: { type: "string", description: "The source of the response, as in Mock-Source." },
  offContract: {
    type: "boolean",
    description:
      "Whether the response is off-contract: from the effect `raw` or a function, and not restricted by the contract.",
  },
  decisions: { ...strings, description: "The decisions that led to the response in words, in order." },
  facts: {
    type: "array",
    items: DecisionSchema,
    description: "The same decisions as data. `kind` says which members a decision has.",
  },
  effects: {
    type: "array",
    description: "The effects of rules and scenarios on the request, at most one of each kind.",
    items: AppliedEffect,
  },
  evolved: {
    ...strings,
    description:
      "The changes of the effect evolve in the response, such as `added /sum/extension`: the first ten, or all in the response for a single request. Absent without this effect.",
  },
  violations: { ...violations, description: "The contract violations of the request." },
  changes: { ...changes, items: EntryChange },
  conflict: {
    ...conflictSchema,
    description: "Why the version in the request was stale. Absent without a version conflict.",
  },
  upstream: {
    ...object(["url", "ms", "request", "violations"], {
      url: { type: "string", description: "The URL at the upstream, without credentials." },
      ms: { ...milliseconds, description: "The time until the whole response had arrived, in milliseconds." },
      request: object(["headers"], {
        headers: { ...textByName, description: "The headers as sent to the upstream." },
      }),
      response: {
        ...object(["status", "headers"], { status: { type: "integer" }, headers: textByName }),
        description: "The response as received. Absent if none arrived.",
      },
      violations: {
        ...object(["request", "response"], { request: violations, response: violations }),
        description: "The contract violations of the request and of the response.",
      },
      differs: {
        ...differs,
        description:
          "Where the response differs from an assumption of the mock, as `resource-mock compare` names it. Absent without a difference.",
      },
      error,
      recorded,
    }),
    description: "What was sent to the upstream and what came back. Absent if the mock itself responded.",
  },
  cut: {
    const: true,
    description:
      "Set if the entry has only a part of its texts and lists, apart from bodies: of the query, the headers and so on. A cut text ends with …",
  },
  unnamed,
  timings: object(["receivedAt", "serverTime", "duration"], {
    receivedAt: { type: "string", format: "date-time", description: "The time of arrival by the project's clock." },
    serverTime: { type: "string", format: "date-time", description: "The same time by the server's clock." },
    duration: {
      ...milliseconds,
      description: "The time from the arrival of the request to the response, in milliseconds.",
    },
  }),
});
export type RequestEntry = FromSchema<typeof RequestEntry>;

const Difference = object(["pointer"], {
  pointer: { type: "string", description: "The location in the match, as a JSON Pointer." },
  expected: {},
  actual: { description: "Absent if the request has no value there." },
});

/** A request that nearly matches, and why it does not. */
export const NearMiss = object(["request", "differences"], {
  request: RequestEntry,
  differences: { type: "array", items: Difference },
});

/** Returns the entry of an exchange for a verification failure, with long bodies cut to their start. */
export function briefEntryOf(exchange: Exchange): RequestEntry {
  return entryOf(withinBounds(exchange, MAX_BRIEF_BODY));
}

/** Returns the journal entry of an exchange, without credentials and tokens. */
export function entryOf(exchange: Exchange): RequestEntry {
  const { id, operationId, method, path, pathParameters, status, source, offContract = false } = exchange;
  const { decisions, requestBody, responseBody, cut, sizes, receivedAt, serverTime, duration } = exchange;
  const sent = requestBody && bodyOf(requestBody, cut?.request, sizes?.request);
  // The exchange may hold a body, but a response to HEAD is sent without it.
  const received =
    responseBody === null || method === "HEAD" ? undefined : bodyOf(responseBody, cut?.response, sizes?.response);
  const evolved = evolvedIn(decisions);
  const { kind: _kind, ...conflict } = decisionNamed(decisions, "conflict") ?? {};
  return {
    id,
    ...(operationId && { operation: operationId }),
    request: {
      method,
      path,
      pathParameters: { ...pathParameters },
      query: mapValues(queryOf(exchange), (values, name) => values.map((value) => redactMember(name, value))),
      headers: shownHeaders(exchange.headers),
      ...(sent && { body: sent }),
    },
    response: { status, headers: shownHeaders(exchange.responseHeaders), ...(received && { body: received }) },
    source,
    offContract,
    decisions: decisions.map(sentenceOf),
    facts: decisions.map(shownDecision),
    effects: effectsIn(decisions),
    ...(evolved && { evolved: evolved.slice(0, MAX_LISTED) }),
    violations: exchange.violations.map(shownViolation),
    changes: [...(exchange.changes ?? [])],
    ...("sent" in conflict && { conflict }),
    ...(exchange.upstream && { upstream: shownUpstream(exchange, exchange.upstream) }),
    ...(cut?.texts && { cut: cut.texts }),
    unnamed: [...exchange.unnamed],
    timings: {
      receivedAt: new Date(receivedAt).toISOString(),
      serverTime: new Date(serverTime).toISOString(),
      duration: Number(duration.toFixed(3)),
    },
  };
}

function shownViolation({ code, message, field }: ErrorDetail): RequestEntry["violations"][number] {
  return { code, message, ...(field !== undefined && { field }) };
}

function shownUpstream({ query, violations }: Exchange, upstream: UpstreamExchange): RequestEntry["upstream"] {
  const { url, ms, requestHeaders, status, responseHeaders, differs, error, recorded } = upstream;
  return {
    url: query === "" ? url : `${url}?${redactQuery(query)}`,
    ms: Number(ms.toFixed(3)),
    request: { headers: shownHeaders(requestHeaders) },
    ...(status !== undefined && { response: { status, headers: shownHeaders(responseHeaders ?? {}) } }),
    violations: { request: violations.map(shownViolation), response: upstream.violations.map(shownViolation) },
    ...(differs && { differs: [...differs] }),
    ...(error !== undefined && { error }),
    ...(recorded !== undefined && { recorded }),
  };
}

/** Returns headers as the entry shows them: without secrets, and each as one text. */
export function shownHeaders(headers: Exchange["headers"]): Record<string, string> {
  const shown = Object.entries(headers).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? value.join(", ") : value;
    return text === undefined ? [] : [[name, redactHeader(name, text)] as const];
  });
  return Object.fromEntries(shown);
}

/**
 * Returns the bodies of a request and its response as the entry shows them, for a search: JSON without secrets, in any
 * layout, or text. Leaves out bodies that are not text.
 */
export function shownBodies({ method, requestBody, responseBody, cut }: Exchange): string[] {
  const sent = requestBody && shownText(requestBody, cut?.request);
  const received = responseBody === null || method === "HEAD" ? undefined : shownText(responseBody, cut?.response);
  return [sent, received].filter((body) => body !== undefined);
}

/**
 * Returns the text of a body without secrets; undefined if the body is not text. `cutFrom` is the size of the whole body
 * in bytes, if `body` is only its start.
 */
export function shownText(body: Uint8Array | string, cutFrom: number | undefined): string | undefined {
  const sent = typeof body === "string" ? body : utf8(body, cutFrom !== undefined);
  // Parsing takes most of the time of a search. It changes only bodies with secrets, or with escapes in their JSON.
  if (sent === undefined || !(sent.includes("\\") || mentionsSecret(sent))) return sent;
  const { json, text } = bodyOf(sent, cutFrom);
  return json === undefined ? text : JSON.stringify(json);
}

/**
 * Returns the body of an entry. `cutFrom` is the size of the whole body in bytes, if `body` is only its start. `size` is
 * the original size in bytes, if `body` is without its secrets.
 */
function bodyOf(body: Uint8Array | string, cutFrom: number | undefined, size?: number): EntryBody {
  const bytes = cutFrom ?? size ?? Buffer.byteLength(body);
  const cut = cutFrom !== undefined;
  const text = typeof body === "string" ? body : utf8(body, cut);
  if (text === undefined) return { bytes, base64: Buffer.from(body).toString("base64"), ...(cut && { cut }) };
  const json = cut ? undefined : readJson(body);
  if (json && "value" in json) return { bytes, json: redactJson(json.value) };
  return { bytes, text: redactText(text), ...(cut && { cut }) };
}
