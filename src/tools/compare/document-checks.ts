import {
  bodiless,
  type Contract,
  declaredStatuses,
  hasOnlyDefault,
  identifierOf,
  isObject,
  matches,
  type Operation,
  type Parameter,
  type ResourceType,
  responseFor,
  type Schema,
  scopeNames,
  scopesOf,
  successStatus,
  valueAt,
} from "../../contract/index.ts";
import { idParts, schemaAt, withPart } from "../../state/index.ts";
import { about, HAS_TYPE, type Judge, type Rows, type Sender, SUCCEEDS } from "./check-rows.ts";
import { bodyProblem, typeProblem } from "./documented-responses.ts";
import { needs } from "./facts.ts";
import { isSameTemplate, pathOfNew, shownIn, templateOf } from "./item-paths.ts";
import { newId } from "./item-requests.ts";
import { isRead } from "./service-requests.ts";
import {
  knownValue,
  queryWith,
  schemaToSend,
  sentValues,
  validBody,
  wrongMembers,
  wrongValue,
} from "./valid-requests.ts";

/** The rows that follow from a contract, whatever service it describes. */
export function documentRows(contract: Contract): Rows {
  const stated = contract.operations.map((operation) => {
    const parts = [
      responses(operation, contract),
      parameters(operation),
      tokens(operation, contract),
      bodies(operation),
    ];
    return about(operation.id, { source: "contract" })(Object.assign({}, ...parts, addresses(operation, contract)));
  });
  const followed = contract.operations.map((operation) => about(operation.id)(behaviour(operation, contract)));
  const every = about("every operation", { source: "contract" })({
    "every response arrives within the time limit": { observed: "late" },
    "every response arrives whole": { observed: "broken" },
  });
  return Object.assign({}, ...stated, ...followed, every);
}

/** The name of the claim that the body of a success is valid. */
function validClaim(operation: Operation, { schemas }: Contract): string {
  const { schema, name } = responseFor(operation, successStatus(operation)) ?? {};
  const nameOf = (each: Schema) => Object.entries(schemas).find(([, known]) => known === each)?.[0];
  const names = (schema?.anyOf ?? (schema ? [schema] : [])).map((each) => (each === schema && name) || nameOf(each));
  return names.length === 0 || names.includes(undefined)
    ? "the body is valid"
    : `the body is valid for ${names.join(" or ")}`;
}

function responses(operation: Operation, contract: Contract): Rows {
  const declared = declaredStatuses(operation).filter((status) => status >= 200 && status < 400 && status !== 304);
  const isOpen = operation.responses["2XX"] !== undefined || hasOnlyDefault(operation);
  const statuses = declared.length > 0 && !isOpen ? declared : ["2xx"];
  const text = statuses.join(", ").replace(/, (\S+)$/, " or $1");
  const hasBody = declared.concat(200).some((status) => responseFor(operation, status)?.schema);
  const hasErrors = Object.keys(operation.responses).some((status) => /^4|default/.test(status));
  const isValid: Judge = async ({ reply }, service) => {
    needs(!bodiless.includes(reply.status), `a body; ${reply.seen}`);
    const problem = await bodyProblem(operation, reply, service.secrets);
    return { isTrue: problem === undefined, seen: problem === undefined ? reply.seen : `${reply.seen}: ${problem}` };
  };
  const hasType: Judge = ({ reply }) => {
    const rule = responseFor(operation, reply.status) ?? responseFor(operation, successStatus(operation));
    const problem = typeProblem(rule, reply);
    return { isTrue: problem === undefined, seen: problem ? `${reply.seen}: ${problem}` : reply.seen };
  };
  const success = declared.some((status) => status >= 300) ? `2xx ${declared.join(" ")}` : "2xx";
  return {
    [SUCCEEDS]: { expected: "A valid request returns a status from 200 to 299.", expects: success },
    ...(hasBody && { [HAS_TYPE]: { expects: hasType } }),
    [`the status of success is ${text}`]: { expects: statuses.join(" ") },
    ...(hasBody && { [validClaim(operation, contract)]: { expects: isValid } }),
    ...(hasErrors && { "errors have the documented form": { observed: `errors of ${operation.id}` } }),
  };
}

/** Returns the statuses by which an operation refuses a request, of these: `400 or 422`, or `4xx`; undefined for none. */
function refusal(operation: Operation, ...statuses: readonly number[]): string | undefined {
  const declared = statuses.filter((status) => status in operation.responses);
  if (declared.length > 0) return declared.join(" or ");
  return (operation.responses["4XX"] ?? operation.responses.default) ? "4xx" : undefined;
}

function parameters(operation: Operation): Rows {
  const refused = refusal(operation, 400, 422);
  const rows = operation.parameters.map((parameter: Parameter): Rows => {
    const [known, wrong] = [knownValue(parameter), wrongValue(parameter)];
    if (parameter.in !== "query") return {};
    const query = queryWith(parameter, known);
    const { example, schema } = parameter;
    // An id or an address that the document does not show would name nothing in the service.
    const isInvented = schema.format && !/^(date|int|float|double)/.test(schema.format) && !schema.enum;
    const isShown = !isInvented || [example, schema.examples?.[0], schema.default].some((each) => each !== undefined);
    return {
      ...(known !== undefined && isShown && !parameter.required && { [`accepts ${query}`]: { query } }),
      ...(wrong && refused && { [`${parameter.name}=${wrong} is ${refused}`]: { query: queryWith(parameter, wrong) } }),
    };
  });
  return Object.assign({}, ...rows);
}

/** Most checks of tokens need credentials, as a service without them accepts anonymous requests. */
function tokens(operation: Operation, contract: Contract): Rows {
  const { security = [] } = operation;
  const [unauthorized, forbidden] = [refusal(operation, 401), refusal(operation, 403)];
  if (security.length === 0 || security.some((all) => all.length === 0) || !unauthorized) return {};
  const missing = `a missing token is ${unauthorized}`;
  const rows: Rows = {
    [missing]: { token: null },
    [`an unknown token is ${unauthorized}`]: { token: "resource-mock-compare", needs: [missing] },
  };
  const { scopesNameProjects } = contract;
  const scopes = scopeNames({ scopes: scopesOf(operation), scopesNameProjects });
  if (!scopesNameProjects || scopes.length === 0 || !forbidden) return rows;
  const other = scopeNames(contract).findLast((scope) => !scopes.includes(scope));
  const limited = (scope = "", project = "{project}") => ({ scope: `${scope}:${project}` });
  const withoutScope = `a token without its scopes is ${forbidden}`;
  return {
    ...rows,
    [withoutScope]: { ...limited(other), needs: [missing] },
    [`a token of another project is ${forbidden}`]: {
      ...limited(scopes[0], "other-{project}"),
      needs: [missing, withoutScope],
    },
    ...Object.fromEntries(scopes.map((scope) => [`the scope ${scope} is enough`, limited(scope)])),
  };
}

function bodies(operation: Operation): Rows {
  const { body } = operation;
  const schema = schemaToSend(operation);
  const [refused, unsupported] = [refusal(operation, 400, 422), operation.responses[415] && 415];
  if (!body || !schema || isRead(operation)) return {};
  const type = body.mediaTypes.find((each) => /json/.test(each));
  const another = { body: "abc", type: "application/x-resource-mock-compare" };
  // Broken syntax is 400 for most services, whatever they document for other bodies.
  const broken = refused === "422" ? "400 or 422" : refused;
  const wrong = type && refused ? wrongMembers(schema, validBody(operation, () => "text").json) : {};
  return {
    ...(unsupported && { [`a body that is not ${body.mediaTypes.join(" or ")} is ${unsupported}`]: another }),
    ...(type && refused && { [`malformed JSON is ${broken}`]: { body: "{", type } }),
    ...(type && refused && body.required && { [`an empty body is ${broken}`]: { body: "", type } }),
    ...(type && refused && !matches(schema, []) && { [`a body that is an array is ${refused}`]: { json: [], type } }),
    ...Object.fromEntries(Object.entries(wrong).map(([name, member]) => [`${name} is ${refused}`, { wrong: member }])),
  };
}

/** Returns the check that an unknown id gets the documented error. */
function addresses(operation: Operation, contract: Contract): Rows {
  const { role } = operation;
  const by = identifierOf(role);
  const name = by?.parameters.at(-1);
  const refused = refusal(operation, 404);
  const isCreated = contract.operations.some((each) => each.role?.does === "create" && each.role.type === role?.type);
  if (name === undefined || !refused || !isCreated || (role && "creates" in role && role.creates)) return {};
  const sends: Sender = ({ newName }) => {
    const schema = operation.parameters.find((each) => each.in === "path" && each.name === name)?.schema ?? {};
    const id = newId(schema, newName, by?.member === "id" ? contract.typeOf(role?.type ?? "") : undefined);
    needs(id !== undefined, `a ${name} that no resource has`);
    return { path: { [name]: String(id) } };
  };
  return { [`an unknown ${name} is ${refused}`]: { sends } };
}

/** The most items of a page that shows a new one. */
const PAGE = 500;

/** What follows from the role of an operation: what it changes can be seen in the responses of others. */
function behaviour(operation: Operation, contract: Contract): Rows {
  const { role } = operation;
  const type = role && contract.typeOf(role.type);
  if (!role || !type?.itemPath || type.kind !== "collection") return {};
  const refused = refusal(operation, 409, 412);
  const isValid = validClaim(operation, contract);
  const isByItem = "by" in role && !("creates" in role && role.creates);
  const isOwnPath = isSameTemplate(templateOf(operation, contract), role.does === "list" ? type.path : type.itemPath);
  const isGone = role.does === "read" ? operation.method === "GET" : isByItem && refusal(operation, 404) === "404";
  const writesVersion = ["replace", "merge", "update"].includes(role.does) && type.version && refused;
  return {
    ...(role.does === "create" && {
      "returns the content that was sent": { needs: [isValid], expects: showsSent(operation) },
      "the new resource can be read": { sends: readAfter(type) },
    }),
    ...(role.does === "read" &&
      isOwnPath &&
      operation.method === "GET" && {
        "shows the content that was sent": { needs: [isValid], sends: readAfter(type), expects: isShown(type) },
      }),
    ...(isOwnPath && isGone && { "a deleted resource is 404": { sends: afterDelete(type), expects: "404 410" } }),
    ...(role.does === "list" &&
      isOwnPath &&
      !operation.parameters.some((each) => each.in === "query" && each.required) && {
        "shows a new resource": { sends: listWith(type), expects: lists(operation, type) },
        ...limits(operation),
      }),
    ...((role.does === "replace" || role.does === "merge") &&
      isOwnPath && {
        "a read shows the content that was sent": {
          sends: async (service, id) => {
            const { item, reply, json, path: names = {} } = await service.sendValid(id);
            needs(reply.isOk, `a change; ${reply.seen}`);
            const isNew = item?.type !== type;
            const path = isNew ? pathOfNew(operation, type, names, json, reply) : item.path;
            needs(path !== undefined, "the path of the resource");
            return { ...(await service.read({ ...item, type, path })), json };
          },
          expects: isShown(type, operation),
        },
      }),
    ...(writesVersion && { [`a stale version is ${refused}`]: { sends: staleVersion } }),
  };
}

function readAfter(type: ResourceType): Sender {
  return async (service) => {
    const item = await service.fresh(type);
    return { ...(await service.read(item)), json: item.sent };
  };
}

function afterDelete(type: ResourceType): Sender {
  return async (service, id) => {
    const item = await service.fresh(type);
    const deletion = service.operationOn(type, "delete");
    needs(deletion !== undefined, `an operation that deletes a ${type.name}`);
    const { reply } = await service.sendOn(deletion, item);
    needs(reply.isOk, `a deletion; ${reply.seen}`);
    return await service.sendOn(service.contract.find(id) as Operation, item);
  };
}

/**
 * Sends a change, and then the same one again: its version is stale then. Update actions can change nothing, so they are sent
 * with a version that the resource does not have.
 */
const staleVersion: Sender = async (service, id) => {
  const { role } = service.contract.find(id) as Operation;
  const first = await service.sendValid(id);
  const { version = [] } = first.item?.type ?? {};
  const sent = valueAt(first.json, version);
  const names = [first.query, ...Object.keys(first.headers ?? {})].join().toLowerCase();
  const isSent = sent !== undefined || names.includes("if-match") || names.includes(`${version.at(-1)}=`.toLowerCase());
  needs(isSent && first.reply.isOk, `a change with a version; ${first.reply.seen}`);
  if (role?.does !== "update") return { ...first, reply: await service.send(id, first) };
  needs(typeof sent === "number", "a version that is a number");
  const json = withPart(first.json, version, sent + 100);
  return { ...first, json, reply: await service.send(id, { ...first, json }) };
};

/** Reads a list after a new item was created, as many items as it shows at once. */
function listWith(type: ResourceType): Sender {
  return async (service, id) => {
    const item = await service.fresh(type);
    const list = service.contract.find(id) as Operation;
    const limit = limitOf(list);
    return await service.sendOn(list, item, limit && queryWith(limit, Math.min(limit.schema.maximum ?? PAGE, PAGE)));
  };
}

function limitOf({ role, parameters: all }: Operation): Parameter | undefined {
  const name = role?.does === "list" ? role.list.query?.limit : undefined;
  return all.find((each) => each.in === "query" && each.name === name);
}

function lists(operation: Operation, type: ResourceType): Judge {
  const { role } = operation;
  const { limit, page, cursor, offset } = (role?.does === "list" && role.list.query) || {};
  const isPaged = (limit ?? page ?? cursor ?? offset) !== undefined;
  const pageSize = limit ? Math.min(limitOf(operation)?.schema.maximum ?? PAGE, PAGE) : 10;
  return ({ reply, item }) => {
    const found = role?.does === "list" ? valueAt(reply.json, role.list.at) : undefined;
    const idIn = (content: unknown) => JSON.stringify(idParts(type).map(({ member = [] }) => valueAt(content, member)));
    needs(Array.isArray(found), `a list; ${reply.seen}`);
    const own = idParts(type).map(({ member }) => member && valueAt(item?.content, member));
    needs(!own.includes(undefined), "an id that the responses show");
    const isThere = found.some((each) => idIn(each) === JSON.stringify(own));
    needs(isThere || !isPaged || found.length < pageSize, "the new resource on the first page");
    return { isTrue: isThere, seen: `${reply.seen}, ${isThere ? "with" : "without"} the new resource` };
  };
}

function limits(operation: Operation): Rows {
  const limit = limitOf(operation);
  if (!limit || (limit.schema.minimum ?? 0) > 1) return {};
  const isOne: Judge = ({ reply }) => {
    const found = operation.role?.does === "list" ? valueAt(reply.json, operation.role.list.at) : undefined;
    const seen = `${reply.seen} with ${[found].flat().length} resources`;
    return { isTrue: Array.isArray(found) && found.length <= 1, seen };
  };
  return { [`${limit.name}=1 returns at most one resource`]: { query: `${limit.name}=1`, expects: isOne } };
}

/** Expects the content in a response that an operation has sent: the one of the response, or another one. */
function showsSent(shower: Operation, sender = shower): Judge {
  return ({ reply, json }, service) => {
    const found = shownIn(shower, reply);
    needs(isObject(found), `a resource in the response; ${reply.seen}`);
    const at = Array.isArray(shower.role?.response) ? shower.role.response : [];
    const schema = schemaAt(responseFor(shower, reply.status)?.schema ?? {}, at, reply.json);
    const sent = valueAt(json, sender.role?.body ?? []);
    const { version = [] } = service.contract.typeOf(shower.role?.type ?? "") ?? {};
    // Each change raises the version.
    const values = sentValues(schema ?? {}, version.length > 0 ? withPart(sent, version, undefined) : sent, found);
    needs(values.length > 0, "a request with members that responses show");
    return values;
  };
}

/** Expects the content in the response of a read that another operation has sent: by default, the create of the type. */
function isShown(type: ResourceType, by?: Operation): Judge {
  return (exchange, service) => {
    const [reader, sender] = [service.operationOn(type, "read"), by ?? service.operationOn(type, "create")];
    needs(reader !== undefined, `an operation that reads a ${type.name}`);
    if (!exchange.reply.isOk) return [["the status", exchange.reply.status, 200]];
    return showsSent(reader, sender)(exchange, service);
  };
}
