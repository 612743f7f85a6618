import { Buffer } from "node:buffer";
import {
  bearerScheme,
  type Contract,
  DEFAULT_PROJECT,
  headerOf,
  isObject,
  MAX_INTERACTIONS,
  MAX_NAME,
  MAX_PACT_TEXT,
  type Operation,
  readJson,
  redactJson,
  responseFor,
  sentCredentials,
  shown,
} from "../contract/index.ts";
import type { Engine } from "../engine/index.ts";
import { type Exchange, evolvedIn } from "../journal/index.ts";
import { projectKeyProblem, shortHash } from "../project/index.ts";
import type { Effort } from "../rules/index.ts";
import { sandboxOf } from "../state/index.ts";
import { inPieces, invalid } from "./control-response.ts";
import { inProject, json } from "./define-operation.ts";
import { fileOf, type Interaction, Pact, PactOptions } from "./pact/pact-file.ts";
import { type PactState, pagesOf, type ReadExchange, statesOf } from "./pact/pact-states.ts";
import {
  exampleOf,
  queryPart,
  requestPart,
  requestTemplate,
  responsePart,
  responseTemplate,
  withProject,
} from "./pact/pact-template.ts";
import { effortOf } from "./search.ts";
import type { Controls } from "./subjects.ts";

export const operations = {
  getPact: inProject("GET", "/pact", {
    summary: "Return a pact of the requests in the journal",
    description:
      "A file of the Pact specification 4 for the verification of the real service: one interaction for each operation, status and shape of the bodies. Matching rules come from the types of the contract. The provider states are those of `POST /__admin/provider-states`. Credentials are placeholders. `metadata` lists the kinds of exchanges that a pact cannot contain.",
    query: PactOptions.properties,
    responses: { 200: json("The pact.", Pact) },
    async handle(call) {
      const { control, project, query } = call;
      const { contract, scenarios } = call.engine;
      const { provider, as } = query;
      const consumer = participant("consumer", query.consumer);
      if (provider !== undefined) participant("provider", provider);
      const problem = as === undefined ? undefined : projectKeyProblem(as, true);
      if (problem) throw invalid("as", problem.message);
      const source = {
        contract,
        scenarios,
        controls: await control.controls(),
        project: project.key,
        exchanges: project.journal.list(),
        effort: effortOf(call),
        version: control.version,
      };
      return inPieces(await pactOf(source, { consumer, provider, as }));
    },
  }),
};

/** Returns the name of a consumer or provider. Throws InvalidField. */
function participant(parameter: string, name: string | undefined): string {
  if (name !== undefined && name.trim() !== "" && name.length <= MAX_NAME) return name;
  throw invalid(parameter, `expected a name of 1 to ${MAX_NAME} characters, found ${shown(name)}`);
}

interface PactSource extends Pick<Engine, "contract" | "scenarios"> {
  readonly controls?: Controls;
  /** The project of the exchanges. */
  readonly project?: string;
  readonly exchanges: Iterable<Exchange>;
  readonly effort: Effort;
  /** The version of resource-mock. */
  readonly version: string;
}

/**
 * Returns the pact (specification 4) of these exchanges: one interaction for each operation, status and shape of the
 * bodies, without secrets. `metadata` lists the exchanges that no pact can contain. The same exchanges create the same pact,
 * in any order.
 */
export async function pactOf(source: PactSource, options: PactOptions): Promise<Pact> {
  const { exchanges, effort, version } = source;
  const interactions = new Map<string, Interaction>();
  const omitted = new Set<string>();
  let size = 0;
  for (const exchange of exchanges) {
    if (effort.isOver) await effort.next();
    const found = interactionOf(exchange, source, options.as);
    if ("omitted" in found) {
      omitted.add(found.omitted);
      continue;
    }
    const known = interactions.get(found.description);
    const text = JSON.stringify(found);
    const grown = known ? 0 : text.length;
    if (!known && (interactions.size >= MAX_INTERACTIONS || size + grown > MAX_PACT_TEXT)) {
      omitted.add(`${found.description}: the pact reached its limit`);
      continue;
    }
    size += grown;
    if (!known || text < JSON.stringify(known)) interactions.set(found.description, found);
  }
  const { provider = source.contract.info.title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-") } = options;
  return fileOf(interactions.values(), omitted, { ...options, provider }, version);
}

/**
 * Returns the interaction of an exchange, or the reason why a pact cannot contain it. `as` replaces the project key in the
 * path.
 */
function interactionOf(
  exchange: Exchange,
  { contract, scenarios, controls = {}, project }: PactSource,
  as: string | undefined,
): Interaction | { readonly omitted: string } {
  const operation = contract.find(exchange.operationId ?? "");
  const reason = omission(exchange, operation);
  if (!operation || reason) return { omitted: `${operation?.id ?? "other requests"} ${exchange.status}: ${reason}` };
  const read = readExchange(exchange, contract, operation, { as, key: project });
  const { sent, received } = read;
  const { status } = exchange;
  const code = errorCodeOf(received);
  const states = statesOf(read, scenarios, controls);
  const impossible = impossiblePart(read, code, states);
  if (typeof states === "string" || impossible) return { omitted: `${operation.id} ${status}: ${impossible}` };
  const request = sent === undefined ? undefined : requestTemplate(sent, operation.body?.schema);
  const response =
    received === undefined
      ? undefined
      : responseTemplate(received, responseFor(operation, status)?.schema, pagesOf(contract));
  const query = queryPart(read);
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
    ...(states.length > 0 && { providerStates: states }),
    request: requestPart(read, request, query, names.includes("a token exists")),
    response: responsePart(read, response),
  };
}

/** Returns why a pact cannot contain the exchange; undefined if it can. */
function omission(exchange: Exchange, operation: Operation | undefined): string | undefined {
  const { status, isBroken, offContract, cut, violations, decisions, source, upstream } = exchange;
  if (!operation) return "the contract has no such path or method";
  if (isBroken || status === 0) return "the connection broke";
  if (offContract) return "the response is off-contract";
  const isDeclared = responseFor(operation, status) !== undefined;
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
  states: readonly PactState[] | string,
): string | undefined {
  // The verifier for Node rejects other JSON in requests.
  const isSendable = typeof sent === "object" && sent !== null;
  const isJson = /^application\/(.*\+)?json\b/i.test(headerOf(exchange.headers, "content-type") ?? "");
  if (exchange.requestBody && !isSendable && isJson) {
    return "the body of the request is not a JSON object or array";
  }
  // In a pact, a body with null means no body.
  if (received === null) return "the body of the response is null";
  if (code === "InvalidStub") return "the response of a rule or function violates the contract";
  return typeof states === "string" ? states : undefined;
}

function readExchange(
  exchange: Exchange,
  contract: Contract,
  operation: Operation,
  { as, key = "" }: { readonly as: string | undefined; readonly key: string | undefined },
): ReadExchange {
  const { requestBody, responseBody, status, responseHeaders, pathParameters, headers, method } = exchange;
  const parameter = contract.addresses.project;
  const project = as ?? (parameter ? pathParameters[parameter] : DEFAULT_PROJECT) ?? "";
  // The paths of a real service have no project key, unless the contract has it.
  const sandbox = sandboxOf(key);
  const plainKey = sandbox === undefined ? key : key.slice(0, -sandbox.length - 1);
  const pathIn = (path: string) =>
    parameter ? withProject(path, pathParameters[parameter] ?? "", project) : withProject(path, plainKey);
  const declared = Object.keys(responseFor(operation, status)?.headers ?? {});
  const schemes = new Set((operation.security ?? []).flat().map(({ scheme }) => scheme));
  return {
    contract,
    exchange,
    operation,
    project,
    path: pathIn(exchange.path),
    sent: requestBody && jsonOf(requestBody),
    received: responseBody === null || method === "HEAD" ? undefined : jsonOf(responseBody),
    declaredHeaders: Object.fromEntries(
      declared.flatMap((name) => {
        const value = headerOf(responseHeaders, name);
        return value === undefined ? [] : [[name, exampleHeader(name, value, pathIn)]];
      }),
    ),
    hasToken: /^bearer +\S/i.test(headerOf(headers, "authorization") ?? ""),
    credentials: [...schemes].filter((each) => each !== bearerScheme && sentCredentials(each, exchange) !== undefined),
  };
}

/** Returns the value of a response header, without what differs between two runs. */
function exampleHeader(name: string, value: string, pathIn: (path: string) => string): string {
  if (name === "Location") return pathIn(value);
  return name === "Retry-After" ? "1" : value;
}

/** Returns the JSON of a body without secrets and times; undefined for other bodies. */
function jsonOf(body: Uint8Array | string): unknown {
  const reading = readJson(body);
  return "value" in reading ? exampleOf(redactJson(reading.value)) : undefined;
}

function errorCodeOf(body: unknown): string | undefined {
  const [first] = isObject(body) && Array.isArray(body.errors) ? body.errors : [];
  return isObject(first) && typeof first.code === "string" ? first.code : undefined;
}
