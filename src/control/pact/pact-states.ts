import {
  type Contract,
  cachedBy,
  identifierOf,
  isObject,
  type ListForm,
  type Operation,
  type QueryValues,
  type ResourceType,
  readQuery,
  responseFor,
  type Schema,
  scopeNames,
  scopesOf,
  valueAt,
  variantsOf,
} from "../../contract/index.ts";
import { type Exchange, effectsIn, forcedBy } from "../../journal/index.ts";
import { shortHash } from "../../project/index.ts";
import type { ScenarioSet } from "../../rules/index.ts";
import { compileWhere, type Item, itemOf, variablesOf, withId } from "../../state/index.ts";
import type { Controls } from "../subjects.ts";

/** A provider state, as `POST /__admin/provider-states` accepts it. */
export interface PactState {
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** An exchange whose bodies have been read as JSON. */
export interface ReadExchange {
  readonly contract: Contract;
  readonly exchange: Exchange;
  readonly operation: Operation;
  /** The project key in the pact. */
  readonly project: string;
  /** The JSON of the request; undefined without a body or for another body. */
  readonly sent: unknown;
  readonly received: unknown;
  /** The headers of the response that the contract declares. */
  readonly declaredHeaders: Readonly<Record<string, string>>;
  readonly hasToken: boolean;
}

/** Returns the forms of pages by their schemas. */
export const pagesOf = cachedBy(({ operations }: Contract): ReadonlyMap<Schema, ListForm> => {
  const pages = operations.flatMap(({ role, responses }) => {
    if (role?.does !== "list") return [];
    const variants = Object.values(responses).flatMap(({ schema = {} }) => variantsOf(schema));
    return variants
      .filter(({ properties = {} }) => Object.hasOwn(properties, role.list.at[0] ?? ""))
      .map((each) => [each, role.list] as const);
  });
  return new Map(pages);
});

/** Returns the states that the provider needs to return the response of this exchange; undefined if none lead to it. */
export function statesOf(read: ReadExchange, scenarios: ScenarioSet, controls: Controls): PactState[] | undefined {
  const { exchange, project, hasToken } = read;
  const { status } = exchange;
  const forced = forcedState(read, scenarios);
  // A rule that forces the status takes effect after the authorization.
  const token = hasToken && (status !== 401 || forced) ? tokenState(read, forced !== undefined) : [];
  if (forced) return [...token, forced];
  if (status === 401) return [{ name: "a token is required", params: { project } }];
  if (status === 403) return token;
  const stored = resourceStates(read, controls);
  return stored && [...token, ...settingStates(read, scenarios), ...stored];
}

function tokenState({ contract, exchange, operation, project }: ReadExchange, isForced: boolean): PactState[] {
  if (exchange.status !== 403 || isForced) return [{ name: "a token exists", params: { project } }];
  // A token without the scopes of the operation. One that needs no scope rejects only tokens of other projects.
  const own = scopeNames({ ...contract, scopes: scopesOf(operation) });
  const others = scopeNames(contract)
    .filter((scope) => !own.includes(scope))
    .slice(-1);
  const scopes = own.length > 0 ? others : others.map((scope) => `${scope}:another-project`);
  return [{ name: "a token exists", params: { project, scopes } }];
}

/** Returns the state of a response that a scenario, a rule, a function or a preference has forced. */
function forcedState(read: ReadExchange, scenarios: ScenarioSet): PactState | undefined {
  const { exchange, operation, project, received, declaredHeaders } = read;
  const { source, status } = exchange;
  // No stored data leads to 429 or 5xx: they depend on earlier requests or on the upstream.
  if (!forcedBy(exchange) && status !== 429 && status < 500) return undefined;
  const stub = effectsIn(exchange.decisions).find(({ effect }) => effect === "respond");
  const name = scenarioOf(stub?.source ?? source);
  if (name !== undefined && startsWith(scenarios, name, exchange)) return { name, params: { project, times: 1 } };
  return {
    name: "a rule responds",
    params: {
      project,
      operation: operation.id,
      status,
      ...(Object.keys(declaredHeaders).length > 0 && { headers: declaredHeaders }),
      ...(received !== undefined && { body: received }),
    },
  };
}

function scenarioOf(source: string): string | undefined {
  return source.startsWith("scenario:") ? source.slice("scenario:".length) : undefined;
}

/** Returns whether the first request to the operation after the activation of the scenario gets this status. */
function startsWith(scenarios: ScenarioSet, name: string, { operationId, status }: Exchange): boolean {
  const rules = scenarios.get(name)?.rules.filter(({ operations }) => operationId && operations.has(operationId)) ?? [];
  const isCertain = rules.every(({ source: { after, probability } }) => !after && probability === undefined);
  return isCertain && rules.some(({ source }) => (source.sequence?.[0] ?? source).respond?.status === status);
}

/** Returns the states of the scenarios that changed the response without forcing it. */
function settingStates({ exchange, operation, project, received }: ReadExchange, scenarios: ScenarioSet): PactState[] {
  const names = effectsIn(exchange.decisions)
    .filter(({ effect }) => effect === "settings" || effect === "conflict")
    .flatMap(({ source }) => scenarioOf(source) ?? [])
    .filter((name) => scenarios.has(name));
  const { role } = operation;
  const hasSetting = responseFor(operation, exchange.status)?.schemaOf !== undefined;
  const isPage = hasSetting && role?.does === "list" && isObject(received) && (role.list.at[0] ?? "") in received;
  // The setting `collection` has the same effect as the scenario.
  if (isPage && names.length === 0 && scenarios.has("paged-query")) names.push("paged-query");
  return names.map((name) => ({ name, params: { project, times: 1 } }));
}

function resourceStates(read: ReadExchange, { providerStates = {} }: Controls): PactState[] | undefined {
  const { contract, exchange, operation, project, received } = read;
  const { status, pathParameters, method } = exchange;
  const [type] = contract.types;
  const by = identifierOf(operation.role);
  if (by && (by.from || operation.role?.type !== type?.name)) return undefined;
  if (by) {
    const names = { [by.member]: pathParameters[by.parameters[0] ?? ""] ?? "" };
    if (status === 404) return [{ name: "no resource exists", params: { project, ...names } }];
    if (status !== 200 && status !== 409) return [];
    const content = status === 200 && isObject(received) ? received : {};
    const version = versionBefore(read);
    return [
      {
        name: "a resource exists",
        params: { project, ...names, ...content, ...(version !== undefined && { version }) },
      },
    ];
  }
  if (method === "HEAD") {
    return status === 404
      ? [{ name: "no resource exists", params: { project } }]
      : [{ name: "a resource exists", params: { project, id: EXAMPLE_ID } }];
  }
  if (status !== 200) return [];
  const page = variantsOf(responseFor(operation, status)?.schema ?? {}).flatMap(
    (each) => pagesOf(contract).get(each) ?? [],
  )[0];
  const results = page && valueAt(received, page.at);
  const [first] = Array.isArray(results) ? results : [];
  if (type && page && isObject(first)) {
    const state = pageState(read, type, page, first);
    return state && [state];
  }
  return Object.entries(providerStates).flatMap(([name, { paramsOf }]) => {
    const params = paramsOf?.(operation.id, received);
    return params ? [{ name, params: { project, ...params } }] : [];
  });
}

/** The id of a resource that the request does not name. */
const EXAMPLE_ID = "pact-resource";

/** Returns the version that the resource had before the request; undefined if it does not matter. */
function versionBefore({ exchange, operation, sent, received }: ReadExchange): number | undefined {
  if (operation.role?.does !== "update") return undefined;
  const expected = isObject(sent) && typeof sent.version === "number" ? sent.version : undefined;
  // With the effect `conflict`, another client raises the version after the provider state was set up.
  const hasConflict = effectsIn(exchange.decisions).some(({ effect }) => effect === "conflict");
  if (exchange.status === 200 || hasConflict) return expected;
  const errors = isObject(received) && Array.isArray(received.errors) ? received.errors : [];
  return errors.find((each) => isObject(each) && typeof each.currentVersion === "number")?.currentVersion;
}

/**
 * Returns the provider state of a page: its first result, as often as the page needs resources. Results have no id and no
 * key. If `where` selects a resource by id or key, the state has a name from the query. Returns undefined if no such
 * resource satisfies `where`.
 */
function pageState(
  { exchange, operation, project, received }: ReadExchange,
  type: ResourceType,
  { facts = [], query = {} }: ListForm,
  first: Readonly<Record<string, unknown>>,
): PactState | undefined {
  const { values } = readQuery(operation.pagedParameters ?? operation.parameters, exchange.query);
  const now = new Date(exchange.receivedAt).toISOString();
  const id = `pact-${shortHash(JSON.stringify(first))}`;
  const itemWith = ({ id: ownId = id, ...names }: Names) =>
    itemOf(type, withId(type, { ...first, ...names }, ownId), { id, now });
  const names = namesFor(type, values, query.where, itemWith);
  const offsetFact = facts.find(({ is }) => is === "offset");
  const offset = offsetFact && valueAt(received, offsetFact.at);
  const count = 1 + (typeof offset === "number" ? offset : 0);
  const isNamed = names !== undefined && Object.keys(names).length > 0;
  if (!names || (isNamed && count > 1)) return undefined;
  if (count === 1) return { name: "a resource exists", params: { project, id, ...names, ...first } };
  return { name: "resources exist", params: { project, count, resource: first } };
}

type Names = { readonly id?: string } & Readonly<Record<string, string>>;

/** Returns the identity that a resource needs to satisfy `where`, or none; undefined if no name in the query helps. */
function namesFor(
  type: ResourceType,
  values: QueryValues,
  parameter: string | undefined,
  resourceWith: (names: Names) => Item,
): Names | undefined {
  const where = [values[parameter ?? ""] ?? []].flat().map(String);
  const variables = variablesOf(values);
  try {
    const matches = compileWhere(where, type, variables);
    if (!matches) return {};
    const texts = where.flatMap((text) => text.match(/"(?:[^"\\]|\\.)*"/g) ?? []).map((text) => JSON.parse(text));
    const found: string[] = [...new Set([...texts, ...Object.values(variables).flat()])];
    const members = [...(type.alternates ?? []), "id"];
    const candidates: Names[] = [{}, ...members.flatMap((member) => found.map((value) => ({ [member]: value })))];
    return candidates.find((names) => matches(resourceWith(names)));
  } catch {
    // The upstream can have another language.
    return {};
  }
}
