import {
  type Contract,
  cachedBy,
  DEFAULT_PAGE_RESULTS,
  headerOf,
  type Identifier,
  identifierOf,
  isObject,
  type ListForm,
  type MemberPath,
  type Operation,
  type QueryValues,
  type ResourceType,
  type Role,
  readQuery,
  responseFor,
  type Schema,
  type SecurityScheme,
  scopeNames,
  scopesOf,
  valueAt,
  variantsOf,
} from "../../contract/index.ts";
import { decisionNamed, type Exchange, effectsIn, forcedBy } from "../../journal/index.ts";
import { shortHash } from "../../project/index.ts";
import type { ScenarioSet } from "../../rules/index.ts";
import {
  compileWhere,
  type Item,
  identitiesOf,
  itemOf,
  joinedId,
  shownVersion,
  variablesOf,
  withId,
  withPart,
} from "../../state/index.ts";
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
  /** The path in the pact. */
  readonly path: string;
  /** The JSON of the request; undefined without a body or for another body. */
  readonly sent: unknown;
  readonly received: unknown;
  /** The headers of the response that the contract declares. */
  readonly declaredHeaders: Readonly<Record<string, string>>;
  readonly hasToken: boolean;
  /** The schemes of the credentials that are no tokens. */
  readonly credentials: readonly SecurityScheme[];
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

/** Returns the states that the provider needs to return the response of this exchange, or why none lead to it. */
export function statesOf(read: ReadExchange, scenarios: ScenarioSet, controls: Controls): PactState[] | string {
  const { contract, exchange, project, hasToken, credentials } = read;
  const { status } = exchange;
  const forced = forcedState(read, scenarios);
  // A rule that forces the status takes effect after the authorization.
  const token = hasToken && (status !== 401 || forced) ? tokenState(read, forced !== undefined) : [];
  for (const { name } of credentials) token.push({ name: "credentials exist", params: { project, name } });
  if (forced) return [...token, forced];
  const required = { name: "a token is required", params: { project } };
  if (status === 401) return [required];
  if (status === 403) return contract.declaresAllCredentials ? token : [...token, required];
  const stored = resourceStates(read, controls);
  return typeof stored === "string" ? stored : [...token, ...settingStates(read, scenarios), ...stored];
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

function resourceStates(read: ReadExchange, { providerStates = {} }: Controls): PactState[] | string {
  const { contract, exchange, operation, project, received } = read;
  const { status, method } = exchange;
  const { role } = operation;
  const by = identifierOf(role);
  const hasDraft = contract.types[0]?.draft !== undefined;
  const type = role ? contract.typeOf(role.type) : hasDraft ? contract.types[0] : undefined;
  const above = parentStates(read);
  if (!type || (status >= 400 && ![404, 409, 412].includes(status))) return above;
  if (hasDraft && method === "HEAD" && !by) {
    const [name, own] = status === 404 ? ["no resource exists", {}] : ["a resource exists", { id: EXAMPLE_ID }];
    return [stateOf(name, read, type, own)];
  }
  // Only a deleted item above leads to the 404 of a list, a create, or an item that is always there.
  const isAlwaysThere = role && ("creates" in role ? role.creates : type.kind === "singleton" && !type.isAbsent);
  if (status === 404 && (!by || isAlwaysThere)) {
    const parent = above.pop();
    return parent ? [...above, { ...parent, name: "no resource exists" }] : "no provider state leads to it";
  }
  const isCreate = role?.does === "create";
  const state = by ? itemState(read, type, by) : isCreate ? newState(read, type) : pageState(read, type);
  if (typeof state === "string") return state;
  if (state || !hasDraft) return state ? [...above, state] : above;
  return Object.entries(providerStates).flatMap(([name, { paramsOf }]) => {
    const params = status === 200 ? paramsOf?.(operation.id, received) : undefined;
    return params ? [{ name, params: { project, ...params } }] : [];
  });
}

/** The id of a resource that the request does not name. */
const EXAMPLE_ID = "pact-resource";

/** Returns a state about the items that the request concerns. */
function stateOf(name: string, read: ReadExchange, type: ResourceType, names: Names = {}, members?: object): PactState {
  const { id, ...others } = names;
  // The only item of a type has an empty id.
  const resource = { ...members, ...others };
  const ofItem = type.draft ? resource : Object.keys(resource).length > 0 && { resource };
  return { name, params: { ...paramsOf(read, type), ...(id && { id }), ...ofItem } };
}

/** Returns the params for the collection of the request. A type with a draft of its own has only one. */
function paramsOf({ exchange, operation: { role }, project }: ReadExchange, type: ResourceType): object {
  if (type.draft) return { project };
  const { scope = type.scope ?? [] } = role?.type === type.name ? role : {};
  const values = scope.map((name) => encodeURIComponent((exchange.pathParameters[name] ?? "").toWellFormed()));
  return {
    project,
    type: scope.length === 0 ? type.name : type.path.replace(/\{[^}]*\}/g, () => values.shift() ?? ""),
  };
}

/** Returns the states of the items that the path is below, the outermost first. */
function parentStates(read: ReadExchange): PactState[] {
  const { contract, exchange, operation } = read;
  const lengthOf = ({ itemPath = "" }: ResourceType) => itemPath.length;
  const isAbove = ({ draft, itemPath }: ResourceType) => !draft && operation.path.startsWith(`${itemPath}/`);
  const types = contract.types.filter(isAbove).sort((a, b) => lengthOf(a) - lengthOf(b));
  return types.map((type) => {
    const { itemPath = "", scope = [] } = type;
    const names = [...itemPath.matchAll(/\{([^}]*)\}/g)].map(([, name = ""]) => name);
    const ids = names.filter((name) => !scope.includes(name) && name !== contract.addresses.project);
    const id = joinedId(ids.map((name) => exchange.pathParameters[name] ?? ""));
    return stateOf("a resource exists", read, type, { id });
  });
}

/** Returns the state of the item that the path names. */
function itemState(read: ReadExchange, type: ResourceType, by: Identifier): PactState | string {
  const { exchange, operation, received } = read;
  const { role } = operation;
  const { status, pathParameters, headers, decisions } = exchange;
  if (by.from) return "the path does not name the item";
  const values = by.parameters.map((name) => pathParameters[name] ?? "");
  const names = { [by.member]: by.member === "id" ? joinedId(values) : values[0] } as Names;
  const isNew = decisions.some(({ kind }) => kind === "created");
  const tag = headerOf(headers, "if-match");
  if (status === 404 || isNew || (status === 412 && tag === "*"))
    return stateOf("no resource exists", read, type, names);
  if (status === 304 || (tag !== undefined && tag !== "*" && status < 300 && !type.draft)) {
    return "the entity tags of the provider are unknown";
  }
  const isPatch = headerOf(headers, "content-type")?.startsWith("application/json-patch+json");
  if (isPatch && status !== 412) return "the changes of a JSON Patch depend on the earlier item";
  const version = versionBefore(read, type);
  if (status === 409 && version === undefined) return "no provider state leads to this conflict";
  const shownItem = status < 300 ? valueAt(received, pathOf(role?.response)) : undefined;
  const members = isObject(shownItem) ? shownItem : {};
  const whole = version === undefined ? members : withPart(members, type.version ?? ["version"], version);
  return stateOf("a resource exists", read, type, names, whole as object);
}

const pathOf = (path: Role["response"]): MemberPath => (Array.isArray(path) ? path : []);

/** Returns the state of a create: its id must be free, or that of an item if it is a conflict. */
function newState(read: ReadExchange, type: ResourceType): PactState | string | undefined {
  const isConflict = read.exchange.status === 409;
  const sent = valueAt(read.sent, read.operation.role?.body ?? []);
  const names = isObject(sent) && !type.draft ? identitiesOf(type, sent) : {};
  if (Object.keys(names).length === 0) return isConflict ? "no provider state leads to this conflict" : undefined;
  return stateOf(isConflict ? "a resource exists" : "no resource exists", read, type, names);
}

/** Returns the version that the item had before the request; undefined if it does not matter. */
function versionBefore(
  { exchange, operation: { role }, sent }: ReadExchange,
  type: ResourceType,
): number | string | undefined {
  if (!type.version || !role || role.does === "read" || role.does === "delete") return undefined;
  const at = role.does === "update" ? type.version.slice(-1) : [...(role.body ?? []), ...type.version];
  const expected = valueAt(sent, at) as number | string | undefined;
  // With the effect `conflict`, another client raises the version after the provider state was set up.
  const hasConflict = effectsIn(exchange.decisions).some(({ effect }) => effect === "conflict");
  if (exchange.status < 300 || hasConflict) return expected;
  const conflict = decisionNamed(exchange.decisions, "conflict");
  return conflict && shownVersion(type, conflict.stored);
}

/**
 * Returns the provider state of a page: its first result, as often as the page needs resources, or none. Results may have
 * no id and no key. If `where` selects a resource by id or key, the state has a name from the query. Returns the reason if no such
 * resource satisfies `where`, and for a page after a cursor.
 */
function pageState(read: ReadExchange, type: ResourceType): PactState | string | undefined {
  const { contract, exchange, operation, received } = read;
  const { role, pagedParameters: parameters = operation.parameters } = operation;
  const variants = variantsOf(responseFor(operation, exchange.status)?.schema ?? {});
  const page = role?.does === "list" ? role.list : variants.flatMap((each) => pagesOf(contract).get(each) ?? [])[0];
  const { query = {}, firstPage = 1 } = page ?? {};
  const [first] = page ? [valueAt(received, page.at)].flat() : [];
  const { values } = readQuery(parameters, exchange.query);
  if (values[query.cursor ?? ""]) return "no provider state leads to a cursor";
  if (!isObject(first))
    return type.draft || exchange.status >= 300 ? undefined : stateOf("no resource exists", read, type);
  const now = new Date(exchange.receivedAt).toISOString();
  const ownId = identitiesOf(type, first).id;
  const id = ownId ?? `pact-${shortHash(JSON.stringify(first))}`;
  const itemWith = ({ id: ownId = id, ...names }: Names) =>
    itemOf(type, withId(type, { ...first, ...names }, ownId), { id, now });
  const names = namesFor(type, values, query.where, itemWith);
  const numberOf = (name: string | undefined) => Number(values[name ?? ""] ?? 0) || 0;
  const isFromZero = parameters.some(({ name, schema }) => name === query.page && schema.minimum === 0);
  const pages = Math.max(0, numberOf(query.page) - (isFromZero ? 0 : firstPage));
  const before = numberOf(query.offset) || pages * (numberOf(query.limit) || DEFAULT_PAGE_RESULTS);
  const isNamed = names !== undefined && Object.keys(names).length > 0;
  if (!names || (isNamed && before > 0)) return "no provider state satisfies where";
  if (before > 0 || (ownId === undefined && !type.draft)) {
    return { name: "resources exist", params: { ...paramsOf(read, type), count: 1 + before, resource: first } };
  }
  return stateOf("a resource exists", read, type, { id, ...names }, first);
}

/** What identifies an item. */
export type Names = { readonly id?: string } & Readonly<Record<string, string>>;

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
