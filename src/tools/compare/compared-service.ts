import { randomUUID } from "node:crypto";
import {
  identifierOf,
  matches,
  type Operation,
  percentDecoded,
  type ResourceType,
  type Role,
  responseFor,
  valueAt,
} from "../../contract/index.ts";
import { idParts, withPart } from "../../state/index.ts";
import type { OwnChecks } from "./check-rows.ts";
import { errorProblem } from "./documented-responses.ts";
import { needs, Skip } from "./facts.ts";
import type { CompareOptions } from "./index.ts";
import { filledPath, holderOf, isSameTemplate, namesIn, pathOfNew, shownIn, templateOf } from "./item-paths.ts";
import { type ItemRequest, requestFor } from "./item-requests.ts";
import type { Reply } from "./node-exchange.ts";
import { createRequests, isRead, type Sent } from "./service-requests.ts";
import { combined, knownValue, schemaToSend } from "./valid-requests.ts";

/** An item of the service. */
export interface Owned {
  readonly type: ResourceType;
  /** The path below the project, percent-encoded. */
  readonly path: string;
  /** The item as the service shows it; undefined if it shows none. */
  readonly content?: unknown;
  readonly etag?: string | undefined;
  /** The body of the request that created it. */
  readonly sent?: unknown;
}

/** A response, with its request if a check judges both. */
export interface Exchange extends ItemRequest {
  readonly reply: Reply;
  readonly before?: Reply | undefined;
}

/** The parts of a request that differ from a valid one. */
export interface Change extends Sent {
  /** Another operation than that of the check. */
  readonly at?: string;
  /** A member of the body with a wrong value; undefined leaves it out. */
  readonly wrong?: readonly [name: string, value: unknown];
  /** The query of an earlier request, whose response is compared. */
  readonly first?: string;
  /** A method and a path instead of an operation; `{project}` is the path of the project. */
  readonly to?: string;
}

/** The service that a run compares with the mock: requests, and the items that checks need. */
export type ComparedService = ReturnType<typeof createService>;

export function createService(options: CompareOptions, own: OwnChecks) {
  const { contract, upstream, readOnly, project, parameters: given = {} } = options;
  // Texts of a run have this prefix, followed by a number.
  const prefix = `resource-mock-compare-${randomUUID().slice(0, 8)}`;
  const projectPath = contract.addresses.project === undefined ? "" : `/${encodeURIComponent(project ?? "")}`;
  const { sendTo, resume, ...requests } = createRequests(options);
  const { secrets } = requests;
  const results = new Map<string, Promise<unknown>>();
  let numbers = 0;
  /** The items of the run by their paths; undefined for one that several creates return, as it was there before. */
  const items = new Map<string, ResourceType | undefined>();
  /** Requests that created an item, without a response that shows its path. */
  const unknown: string[] = [];
  /** The kinds of requests whose responses show no path of a new item. */
  const hiding = new Set<string>();

  const newName = () => `${prefix}-${++numbers}`;

  /** Returns the result of a function that runs once in the run, at the first call with this name. */
  function once<T>(name: string, load: () => Promise<T>): Promise<T> {
    const result = (results.get(name) as Promise<T> | undefined) ?? load();
    results.set(name, result);
    return result;
  }

  const operationOf = (id: string) => contract.find(id) as Operation;
  const below = (operation: Operation) => templateOf(operation, contract);

  /** Returns whether a valid request creates an item. */
  function creates({ id, role }: Operation): boolean {
    return (
      role?.does === "create" || (role?.does === "replace" && role.creates === true) || own.creates?.[id] !== undefined
    );
  }

  /** Returns the operation that does this with items of the type, in the path of the collection or of the item. */
  function operationOn(type: ResourceType, does: Role["does"]): Operation | undefined {
    const template = does === "list" || does === "create" ? type.path : type.itemPath;
    const all = contract.operations.filter(({ role, method }) => {
      return role?.does === does && role.type === type.name && method !== "HEAD";
    });
    const isElsewhere = (operation: Operation) => Number(!isSameTemplate(below(operation), template));
    const [first] = all.sort((a, b) => isElsewhere(a) - isElsewhere(b));
    return first && (does === "create" || !isElsewhere(first)) ? first : undefined;
  }

  const requestOn = (operation: Operation, item?: Owned, sample?: unknown) =>
    requestFor(operation, item, creates(operation), { contract, given, newName, sample });

  /** Returns a valid request to an operation, and its item. Throws Skip without the item that it needs. */
  async function prepared(operation: Operation, isInvalid = false): Promise<ItemRequest> {
    const { role, method } = operation;
    const by = identifierOf(role);
    const type = role && contract.typeOf(role.type);
    const isNew = creates(operation);
    const holder =
      by && (by.from || by.member !== "id") ? type : holderOf(isNew && type ? type.path : below(operation), contract);
    const isChange = !isRead(operation) && !isNew && role?.does !== "list";
    // A service can accept what it should refuse, and delete what it should not.
    const itemToChange = isInvalid && method !== "DELETE" ? created : fresh;
    const itemFor = isChange ? itemToChange : isNew ? known : shared;
    const item = holder && (await itemFor(holder));
    let request = requestOn(operation, item);
    const schema = schemaToSend(operation);
    if (request.json !== undefined && schema && !matches(schema, request.json)) {
      // The least value does not always match, for example if a text has a pattern.
      const { generateValue } = await import("../../state/generate/index.ts");
      request = requestOn(operation, item, await generateValue(schema, 1, contract));
      needs(matches(schema, request.json) || own.valid?.[operation.id] !== undefined, "a body that matches its schema");
    }
    needs(!isNew || !request.guessed?.includes(by?.parameters.at(-1) ?? ""), "an id that no resource has");
    needs(!isChange || isAboutOwn(operation, request), "a resource of the run, as the request changes it");
    return request;
  }

  /** Returns whether a request that is no create changes this item of the run, or is below it, or can have no item. */
  function isAboutOwn(operation: Operation, { item, path = {}, json }: ItemRequest): boolean {
    const [by, names] = [identifierOf(operation.role), namesIn(below(operation))];
    const isShown = contract.operations.some((each) => each.method === "GET" && each.path === operation.path);
    const isFree = own.valid?.[operation.id] !== undefined || (names.length === 0 && !operation.role && !isShown);
    if (!item) return operation.method === "POST" && isFree;
    const isIn = (at: readonly string[]) => String(valueAt(json, at)) === idOf(item);
    if (by?.from) return by.from.every(({ in: place, at }) => (place === "body" ? isIn(at) : place !== "value"));
    if (by && by.member !== "id") return valueAt(item.content, [by.member]) !== undefined;
    const values = names.map((name) => path[name]);
    return `${filledPath(below(operation), values)}/`.startsWith(`${item.path}/`);
  }

  /** Sends a valid request to an operation. The change overrides its parts. */
  async function sendValid(ofCheck: string, all: Change = {}, isFirst = false): Promise<Exchange> {
    const { at: id = ofCheck, first, to, wrong, ...change } = all;
    const before = first === undefined ? undefined : (await sendValid(id, { query: first })).reply;
    if (to !== undefined) {
      const [method = "", path = ""] = to.replace("{project}", projectPath).split(" ");
      return { reply: await sendTo({ method: method as Operation["method"] }, path, change) };
    }
    const general = await prepared(operationOf(id), change.isInvalid);
    const valid = { ...general, ...(await own.valid?.[id]?.(service, general)) };
    // A request has one body.
    const { json: whole, body, type, ...others } = valid;
    const json = wrong ? withPart(whole, [wrong[0]], wrong[1]) : whole;
    const sent = {
      ...others,
      ...("json" in change || "body" in change ? {} : { json, body, type }),
      ...change,
      path: { ...valid.path, ...change.path },
      query: combined(valid.query, change.query),
      headers: { ...valid.headers, ...change.headers },
    };
    return { ...sent, before, reply: await send(id, sent, isFirst) };
  }

  /** Returns a valid request to an operation and its response, which many checks judge. Sent once. Throws Skip. */
  function valid(id: string): Promise<Exchange> {
    return once(`valid ${id}`, async () => {
      const exchange = await sendValid(id, {}, true);
      const { reply, guessed = [] } = exchange;
      const isAbsent = contract.typeOf(operationOf(id).role?.type ?? "")?.isAbsent === true;
      needs(reply.status !== 404 || !isAbsent, "a resource that does not exist at first");
      needs(reply.status !== 404 || guessed.length === 0, withParameters(guessed));
      return exchange;
    });
  }

  /** Sends a request to an operation. Throws Skip if the response is missing. */
  async function send(id: string, sent: Sent = {}, isFirst = false): Promise<Reply> {
    const operation = operationOf(id);
    if (creates(operation) && !isFirst && !readOnly) {
      // The first valid request decides whether the run creates further items.
      await valid(own.creates?.[id] ?? id).catch(ignoreSkip);
      const kind = kindOf(operation, sent);
      const reason = `${kind} showed no id of its new resource, so the run creates no others with it`;
      if (hiding.has(kind)) throw new Skip(reason);
    }
    const path = { ...sent.path, [contract.addresses.project ?? ""]: project };
    const values = namesIn(operation.path).map((name) => path[name]);
    const target = filledPath(operation.path, values);
    needs(target !== undefined, "a value for each path parameter");
    const pairs = Array.from(new URLSearchParams(sent.query), (pair) => pair.map(encodeURIComponent).join("="));
    const line = pairs.length === 0 ? target : `${target}?${pairs.join("&")}`;
    const shown = target.slice(projectPath.length);
    const reply = await sendTo(operation, line, sent, (each) => note(operation, shown, sent, each));
    if (reply.status >= 400 && responseFor(operation, reply.status)?.schema) {
      const problem = await errorProblem(operation, reply, secrets);
      for (const claim of ["errors", `errors of ${id}`]) requests.observe(claim, problem);
    }
    return reply;
  }

  /** Notes the item that a request has created or deleted. `reply`: undefined if no reply arrived. */
  function note(operation: Operation, path: string, sent: Sent, reply?: Reply): void {
    if (reply?.isOk === false) return;
    if (operation.method === "DELETE" && reply) items.delete(path);
    const type = typeOf(operation);
    // Some services create an item at the first use of its id.
    if (type && reply && !creates(operation) && path.includes(prefix)) items.set(path, type);
    if (!creates(operation)) return;
    const found = type && reply && pathOfNew(operation, type, sent.path ?? {}, sent.json, reply);
    const isCreate = operation.role?.does === "create";
    if (found !== undefined) items.set(found, isCreate && items.has(found) ? undefined : type);
    else if (reply ? operation.method === "POST" : !sent.isInvalid) {
      const [name] = new RegExp(`${prefix}-\\d+`).exec(JSON.stringify(sent.json) ?? String(sent.body)) ?? [];
      unknown.push(name ?? `${operation.method} ${projectPath}${path}`);
      if (reply) hiding.add(kindOf(operation, sent));
    }
  }

  function typeOf({ id, role }: Operation): ResourceType | undefined {
    const { role: ofCreator } = (own.creates?.[id] && contract.find(own.creates[id] ?? "")) || {};
    return contract.typeOf((role ?? ofCreator)?.type ?? "");
  }

  function creatorOf(type: ResourceType): Operation | undefined {
    const creator = operationOn(type, "create") ?? operationOn(type, "replace");
    return creator && creates(creator) ? creator : undefined;
  }

  /** Creates an item. Any 2xx counts. Throws Skip if the service shows no path that its reads find. */
  async function fresh(type: ResourceType, change: Sent = {}): Promise<Owned> {
    const creator = creatorOf(type);
    needs(creator !== undefined, `an operation that creates a ${type.name}`);
    const { reply, json, path: names = {} } = await sendValid(creator.id, change);
    needs(reply.isOk, `a resource; ${reply.seen}`);
    const path = pathOfNew(creator, type, names, json, reply);
    needs(path !== undefined, `${creator.id} to return the id of its new resource`);
    needs(items.get(path) !== undefined, `${creator.id} to create a resource each time`);
    const item = { type, path, sent: json, content: shownIn(creator, reply), etag: reply.header("etag") };
    const first = await once(`read ${type.name}`, () => current(item));
    needs(first !== undefined, `${creator.id} to return an id that operations find`);
    const isWhole = item.content !== undefined && (!first.etag || item.etag);
    return isWhole ? item : ((await current(item)) ?? item);
  }

  /** Sends a valid request about an item. */
  async function sendOn(operation: Operation, item: Owned, query?: string): Promise<Exchange> {
    const request = requestOn(operation, item);
    const sent = { ...request, query: combined(request.query, query) };
    return { ...sent, reply: await send(operation.id, sent) };
  }

  /** Reads an item. Throws Skip if no operation does so. */
  async function read(item: Owned): Promise<Exchange> {
    const reader = operationOn(item.type, "read");
    needs(reader !== undefined, `an operation that reads a ${item.type.name}`);
    return await sendOn(reader, item);
  }

  /** Returns the item as it is now, if the contract has a read of it; undefined if the read does not find it. */
  async function current(item: Owned): Promise<Owned | undefined> {
    const reader = operationOn(item.type, "read");
    if (!reader) return item;
    const { reply } = await sendOn(reader, item);
    return reply.isOk ? { ...item, content: shownIn(reader, reply), etag: reply.header("etag") } : undefined;
  }

  /** Returns an item of the run that requests share which do not change it. */
  const created = (type: ResourceType) => once(`created ${type.name}`, () => fresh(type));

  /** Returns an item that a new one can be below: a given one, or one of the run. */
  async function known(type: ResourceType): Promise<Owned> {
    const names = namesIn(type.itemPath);
    const values = names.map((name) => given[name]);
    const path = filledPath(type.itemPath ?? "", values);
    if (path !== undefined) return { type, path };
    needs(!readOnly && creatorOf(type) !== undefined, withParameters(names));
    return await created(type);
  }

  /** Returns an item for reads: a given one, one of the run, the first one of a list, or an example. */
  function shared(type: ResourceType): Promise<Owned> {
    return once(`shared ${type.name}`, async () => {
      const names = namesIn(type.itemPath);
      if ((!readOnly && creatorOf(type)) || names.every((name) => given[name] !== undefined)) return await known(type);
      const list = operationOn(type, "list");
      if (list?.role?.does === "list") {
        const { reply, path: ofList = {} } = await valid(list.id);
        const [content] = [valueAt(reply.json, list.role.list.at)].flat();
        const scope = (list.role.scope ?? type.scope ?? []).map((name) => ofList[name]);
        const ids = idParts(type).map(({ member = ["-"] }) => valueAt(content, member));
        const first = filledPath(type.itemPath ?? "", [...scope, ...ids]);
        if (first !== undefined) return { type, path: first, content };
      }
      // The examples of the contract can name an item.
      const { parameters = [] } = operationOn(type, "read") ?? {};
      const examples = names.flatMap((name) => parameters.find((each) => each.name === name) ?? []).map(knownValue);
      const example = filledPath(type.itemPath ?? "", examples);
      const found = example === undefined ? undefined : await current({ type, path: example });
      needs(found !== undefined, withParameters(names));
      return found;
    });
  }

  /** Deletes an item. Returns the reason if it remains. */
  async function whyLeft(path: string, type: ResourceType): Promise<string | undefined> {
    const deletion = operationOn(type, "delete");
    if (!deletion) return `${secrets.redact(path)}: no operation deletes it`;
    try {
      const { reply } = await sendOn(deletion, (await current({ type, path })) ?? { type, path });
      return reply.isOk || reply.status === 404 ? undefined : reply.seen;
    } catch (error) {
      ignoreSkip(error);
      return `${secrets.redact(path)}: ${(error as Skip).message}`;
    }
  }

  /** Deletes the items of this run. Returns those that remain, with the reason. */
  async function cleanUp(): Promise<string[]> {
    resume();
    const left = unknown.map((name) => `${name}: the service returned no id`);
    // A later item can be below an earlier one.
    for (const [path, type] of [...items].reverse()) {
      // The second attempt is for a failure that passes, such as 503.
      const why = type && (await whyLeft(path, type)) && (await whyLeft(path, type));
      if (why !== undefined) left.push(why);
    }
    return left;
  }

  const basePath = upstream.pathname.replace(/\/$/, "");
  const resources = { newName, once, fresh, current, shared, read, cleanUp, operationOn, requestOn };
  const service = { ...requests, ...resources, contract, projectPath, basePath, sendValid, valid, send, sendOn };
  return service;
}

function withParameters(names: readonly string[]): string {
  return `an existing ${names.join(" and ")}: pass ${names.map((name) => `--parameter ${name}=VALUE`).join(" ")}`;
}

/** Returns the last part of the id of an item. */
export function idOf({ path }: Owned): string {
  return percentDecoded(path.slice(path.lastIndexOf("/") + 1));
}

/** A service that hides the id of a valid item can still reject invalid ones, which create nothing. */
function kindOf({ id }: Operation, { isInvalid }: Sent): string {
  return isInvalid ? `${id} with an invalid request` : id;
}

function ignoreSkip(error: unknown): undefined {
  if (!(error instanceof Skip)) throw error;
}
