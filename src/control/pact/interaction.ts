import { Buffer } from "node:buffer";
import {
  type Contract,
  isObject,
  readJson,
  redactJson,
  redactMember,
  redactText,
  type ServiceOperation,
  utf8,
} from "../../contract/index.ts";
import { type Exchange, evolvedIn } from "../../journal/index.ts";
import { shortHash } from "../../project/index.ts";
import { queryOf, type ScenarioSet } from "../../rules/index.ts";
import type { Interaction } from "./pact-file.ts";
import { type PactState, type ReadExchange, statesOf } from "./pact-states.ts";
import { exampleOf, type PactRule, requestTemplate, responseTemplate, rule, type Template } from "./pact-template.ts";

/** The token in the file. The verifier replaces it with the token of the provider state `a token exists`. */
const PLACEHOLDER = "pact-placeholder";
const MALFORMED = "Malformed";

/**
 * Returns the interaction of an exchange, or the reason why a pact cannot contain it. `as` replaces the project key in the
 * path.
 */
export function interactionOf(
  exchange: Exchange,
  contract: Contract,
  scenarios: ScenarioSet,
  as: string | undefined,
): Interaction | { readonly omitted: string } {
  const operation = contract.find(exchange.operationId ?? "");
  const reason = omission(exchange, operation);
  if (!operation || reason) return { omitted: `${operation?.id ?? "other requests"} ${exchange.status}: ${reason}` };
  const read = readExchange(exchange, operation, as);
  const { sent, received, declaredHeaders } = read;
  const { status } = exchange;
  const code = errorCodeOf(read.received);
  const states = statesOf(read, scenarios);
  const impossible = impossiblePart(read, code, states);
  if (!states || impossible) return { omitted: `${operation.id} ${status}: ${impossible}` };
  const request = sent === undefined ? undefined : requestTemplate(sent, operation.body?.schema);
  const response = received === undefined ? undefined : responseTemplate(received, operation.responses[status]?.schema);
  const query = queryPart(exchange, operation);
  const names = states.map(({ name }) => name);
  const shape = JSON.stringify([
    names,
    Object.keys(query.query ?? {}).sort(),
    request?.shape ?? (exchange.requestBody && Buffer.byteLength(exchange.requestBody)),
    response?.shape,
  ]);
  const description = `${operation.id} returns ${status}${code ? ` ${code}` : ""} (${shortHash(shape)})`;
  return {
    type: "Synchronous/HTTP",
    key: shortHash(description),
    description,
    pending: false,
    ...(states.length > 0 && { providerStates: states.map(({ name, params }) => ({ name, params: { ...params } })) }),
    request: requestPart(read, request, query, names.includes("a token exists")),
    response: responsePart(status, response, declaredHeaders),
  };
}

function isJson(contentType = ""): boolean {
  return /^application\/json\b/i.test(contentType);
}

/** Returns why a pact cannot contain the exchange; undefined if it can. */
function omission(exchange: Exchange, operation: ServiceOperation | undefined): string | undefined {
  const { status, isBroken, offContract, cut, violations, decisions, source, upstream } = exchange;
  if (!operation) return "the contract has no such path or method";
  if (isBroken || status === 0) return "the connection broke";
  if (offContract) return "the response is off-contract";
  const isDeclared = operation.responses[status] !== undefined;
  if (upstream?.violations.length || (source === "upstream" && !isDeclared)) {
    return "the response violates the contract";
  }
  if (evolvedIn(decisions)) return "the effect evolve changed the response";
  if (source === "defect" || !isDeclared || status === 507) return "the response is not the service's";
  if (violations.length > 0 && status < 400) return "the request violates the contract, and the mock accepted it";
  if (cut) return "the journal has only a part of it";
  if (status === 413) return "the journal has no body that is too large";
  return undefined;
}

/** Returns which part of the exchange a pact cannot contain; undefined if it can contain all. */
function impossiblePart(
  { exchange, sent, received }: ReadExchange,
  code: string | undefined,
  states: readonly PactState[] | undefined,
): string | undefined {
  // The verifier for Node rejects other JSON in requests.
  const isSendable = typeof sent === "object" && sent !== null;
  if (exchange.requestBody && !isSendable && isJson(headerOf(exchange.headers, "content-type"))) {
    return "the body of the request is not a JSON object or array";
  }
  // In a pact, a body with null means no body.
  if (received === null) return "the body of the response is null";
  if (code === "InvalidStub") return "the response of a rule or function violates the contract";
  return states ? undefined : "no provider state satisfies where";
}

function readExchange(exchange: Exchange, operation: ServiceOperation, as: string | undefined): ReadExchange {
  const { requestBody, responseBody, status, responseHeaders, pathParameters, headers, method } = exchange;
  const project = as ?? pathParameters.projectKey ?? "";
  const declared = Object.keys(operation.responses[status]?.headers ?? {});
  return {
    exchange,
    operation,
    project,
    sent: requestBody && jsonOf(requestBody),
    received: responseBody === null || method === "HEAD" ? undefined : jsonOf(responseBody),
    declaredHeaders: Object.fromEntries(
      declared.flatMap((name) => {
        const value = headerOf(responseHeaders, name);
        return value === undefined ? [] : [[name, exampleHeader(name, value, project)]];
      }),
    ),
    hasToken: /^bearer +\S/i.test(headerOf(headers, "authorization") ?? ""),
  };
}

/** Returns the value of a response header, without what differs between two runs. */
function exampleHeader(name: string, value: string, project: string): string {
  if (name === "Location") return withProject(value, project);
  return name === "Retry-After" ? "1" : value;
}

/** Returns the JSON of a body without secrets and times; undefined for other bodies. */
function jsonOf(body: Uint8Array | string): unknown {
  const reading = readJson(body);
  return "value" in reading ? exampleOf(redactJson(reading.value)) : undefined;
}

interface QueryPart {
  readonly query?: Record<string, string[]>;
  readonly rules?: Record<string, PactRule>;
}

function queryPart(exchange: Exchange, operation: ServiceOperation): QueryPart {
  const values = mapped(queryOf(exchange), (texts, name) =>
    texts.map((text) => String(exampleOf(redactMember(name, text)))),
  );
  const parameterOf = (name: string) =>
    operation.parameters.find((each) => each.in === "query" && (each.pattern?.test(name) ?? each.name === name));
  const patternOf = (name: string) => patterns[String(parameterOf(name)?.schema.type)];
  return { query: values, rules: mapped(values ?? {}, (_values, name) => matching(patternOf(name))) };
}

const patterns: Readonly<Record<string, string>> = {
  integer: "^-?\\d+$",
  number: "^-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?$",
  boolean: "^(true|false)$",
};

/** Returns the rule for texts with this pattern; without one, for any text. */
function matching(regex: string | undefined): PactRule {
  return rule(regex ? { match: "regex", regex } : { match: "type" });
}

function requestPart(
  { exchange, operation, project }: ReadExchange,
  template: Template | undefined,
  { query, rules: queryRules }: QueryPart,
  hasToken: boolean,
): Interaction["request"] {
  const { method, path, headers, requestBody } = exchange;
  const contentType = headerOf(headers, "content-type");
  const authorization = authorizationOf(headerOf(headers, "authorization"));
  const accept = headerOf(headers, "accept");
  const sent = {
    Accept: accept === "*/*" ? undefined : accept,
    Authorization: authorization,
    "Content-Type": requestBody && contentType,
  };
  return {
    method,
    path: withProject(path, project),
    query,
    headers: mapped(sent, (value) => value && [value]),
    body: requestBody ? (template ? jsonBody(template) : otherBody(requestBody, contentType)) : undefined,
    matchingRules: {
      path: matching(pathPattern(operation.path)),
      query: queryRules,
      header: authorization && { Authorization: matching(authorization === MALFORMED ? ".+" : "^Bearer .+$") },
      body: template && mapped(template.rules, (each) => each),
    },
    generators: hasToken
      ? {
          // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of Pact
          header: { Authorization: { type: "ProviderState", expression: "Bearer ${accessToken}", dataType: "STRING" } },
        }
      : undefined,
  };
}

/** Returns the members with other values, without those that are then undefined or empty; undefined if none is left. */
function mapped<Value, Result>(
  members: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Result | "" | undefined,
): Record<string, Result> | undefined {
  const changed = Object.entries(members).flatMap(([name, value]): [string, Result][] => {
    const result = change(value, name);
    return result === undefined || result === "" ? [] : [[name, result as Result]];
  });
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

/** Returns the header with a placeholder for the credential, which archives redact. A malformed header stays malformed. */
function authorizationOf(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  return /^bearer +([A-Za-z0-9\-._~+/]+=*|\[redacted\])$/i.test(value) ? `Bearer ${PLACEHOLDER}` : MALFORMED;
}

function jsonBody({ value }: Template): NonNullable<Interaction["request"]["body"]> {
  return { content: value, contentType: "application/json", encoded: false };
}

/** Returns a body that is not JSON: an image, or text that a client sent by mistake. */
function otherBody(
  body: string | Uint8Array,
  contentType = "application/octet-stream",
): NonNullable<Interaction["request"]["body"]> {
  const text = typeof body === "string" ? body : utf8(body);
  const shown = text === undefined ? body : redactText(text);
  return { content: Buffer.from(shown).toString("base64"), contentType, encoded: "base64" };
}

function responsePart(
  status: number,
  template: Template | undefined,
  declaredHeaders: Readonly<Record<string, string>>,
): Interaction["response"] {
  const headers = { ...(template && { "Content-Type": "application/json" }), ...declaredHeaders };
  return {
    status,
    headers: mapped(headers, (value) => [value]),
    body: template && jsonBody(template),
    matchingRules: mapped(
      {
        header: mapped(headers, (_value, name) => matching(headerPatterns[name])),
        body: template && mapped(template.rules, (each) => each),
      },
      (each) => each,
    ),
  };
}

/** The patterns of response headers, which must match the whole value. Other headers may have any value. */
const headerPatterns: Readonly<Record<string, string>> = {
  "Content-Type": "^application/json(\\s*;.*)?$",
  Location: "^.*/resource/[^/?#]+$",
  "Retry-After": "^(\\d+|[A-Z][a-z]{2}, .+ GMT)$",
  "WWW-Authenticate": "^Bearer\\b.*$",
};

function headerOf(headers: Exchange["headers"], name: string): string | undefined {
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name.toLowerCase()) ?? [];
  return Array.isArray(value) ? value.join(", ") : value;
}

function withProject(path: string, project: string): string {
  return path.replace(/^\/[^/]*/, () => `/${encodeURIComponent(project.toWellFormed())}`);
}

/** Returns the pattern of an OpenAPI path template. Its parameters can have any value. */
function pathPattern(template: string): string {
  const literal = template.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&");
  return `^${literal.replaceAll(/\{\w+\}/g, "[^/]+")}$`;
}

function errorCodeOf(body: unknown): string | undefined {
  const [first] = isObject(body) && Array.isArray(body.errors) ? body.errors : [];
  return isObject(first) && typeof first.code === "string" ? first.code : undefined;
}
