import {
  cachedBy,
  detached,
  type Identifier,
  invalidField,
  invalidParameter,
  isObject,
  isPathSegment,
  MAX_ID,
  type ResourceType,
  type Role,
  responseFor,
  ServiceError,
  shown,
  successStatus,
  withRequired,
} from "../../contract/index.ts";
import { type Author, type ChangeSet, type DecisionNamed, writerOf } from "../../journal/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import {
  type Collection,
  type CollectionName,
  clientMembers,
  collectionIn,
  contentOf,
  type Item,
  identity,
  itemBy,
  itemText,
  nextVersion,
  type ResourceRecord,
  type StateDraft,
  shownItem,
  updatedItem,
} from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { stateResponse } from "../call/response.ts";
import { documentedItem } from "./documented.ts";

/* The item that a path names, and the operations on one item: read, create, update, delete. */

type RoleOf<Does extends Role["does"]> = Extract<Role, { readonly does: Does }>;

/** Returns the item that the path names. */
export function readItem(call: Call, role: RoleOf<"read">): ServiceResponse {
  const { item, createdFrom } = findItem(call, role);
  const response = stateResponse(successStatus(call.operation), itemText(item));
  return createdFrom === undefined ? response : { ...response, source: createdFrom };
}

/** Creates a new item at version 1. Throws DuplicateValue if the client has sent an id that exists. */
export function createItem(call: Call, { type: name }: Pick<RoleOf<"create">, "type">): ServiceResponse {
  const { project } = call;
  const type = typeNamed(call, name);
  const collection = collectionNameOf(call, type);
  const item = project.change((draft) => {
    const id = sentId(call, type, draft.in(collection)) ?? project.newId(draft, collection, type);
    const createdBy = call.clientId !== undefined && { createdBy: call.clientId };
    return writeItem(draft, collection, { ...newItem(call, type, id, readDraft(call, type)), ...createdBy });
  }, call.author);
  return writtenResponse(call, item, "created");
}

/** Returns an item at version 1. */
function newItem({ project }: Call, type: ResourceType, id: string, members: Readonly<Record<string, unknown>>): Item {
  const now = project.clock.timestamp();
  const content = contentOf(type, { id, version: 1 }, members);
  return { id, version: 1, createdAt: now, lastModifiedAt: now, content };
}

/** Returns the id in the body, if there is one: 0, an empty text and null do not count. */
function sentId({ json }: Call, { id }: ResourceType, { ids }: Collection): string | undefined {
  const sent = id?.member !== undefined && isObject(json?.value) ? json.value[id.member] : undefined;
  if (!sent || (typeof sent !== "string" && typeof sent !== "number")) return undefined;
  const field = `/${id?.member}`;
  const problem = idProblem(String(sent));
  if (problem) throw new ServiceError(invalidField(field, problem));
  if (!ids.has(String(sent))) return String(sent);
  throw new ServiceError({
    code: "DuplicateValue",
    message: `${field}: expected an id that no item has, found ${shown(sent)}`,
    field,
  });
}

function idProblem(id: string): string | undefined {
  if (isPathSegment(id) && id.length <= MAX_ID) return undefined;
  return `expected an id of at most ${MAX_ID} characters that a path can contain, found ${shown(id)}`;
}

/** Returns the members in the body that clients can set. Replaces invalid parts, which `validation` may have accepted. */
export function readDraft(call: Call, type: ResourceType): Readonly<Record<string, unknown>> {
  const body = isObject(call.json?.value) ? call.json.value : {};
  return withRequired(type.schema ?? {}, clientMembers(type, body));
}

/** Puts an item into the state, as the last written one. */
export function writeItem(draft: StateDraft, collection: CollectionName, item: Item): Item {
  // Caches the text of the response, as the change needs its length.
  itemText(item);
  draft.put(collection, item);
  draft.setFacts(collection, { lastWritten: item.id });
  return item;
}

/** Returns the response to a request that has created or overwritten an item. */
export function writtenResponse(call: Call, item: Item, how: "created" | "overwrote"): ServiceResponse {
  const { operation, decisions } = call;
  decisions.push({ kind: how, resource: item.id, version: item.version });
  const status = operation.responses[201] ? 201 : successStatus(operation);
  const { schema, headers = {} } = responseFor(operation, status) ?? {};
  const location = "Location" in headers && { Location: locationOf(call, item.id) };
  return stateResponse(status, schema ? itemText(item) : null, { ...location });
}

/** Returns the path of an item below the path of the request. */
export function locationOf({ operation, path, base }: Call, id: string): string {
  const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
  const collection = operation.path.replace(/\{([^}]+)\}/g, (_all, name: string) => encoded(path[name] ?? ""));
  return `${base}${collection}/${encoded(id)}`;
}

/**
 * Applies the actions in their order, all or none, if `version` is the current version (section 2.6 of the interface). A
 * request with at least one action raises the version by 1.
 */
export function updateItem(call: Call, role: RoleOf<"update">): ServiceResponse {
  const { version, actions } = readUpdate(call);
  const { item, type, collection } = findItem(call, role);
  const status = successStatus(call.operation);
  // The settings `report` and `off` of `validation` accept a body without a version.
  if (version !== undefined && version !== item.version) {
    explainConflict(call, version, item, collection);
    throw concurrentModification(version, item.version);
  }
  if (actions.length === 0) {
    call.decisions.push({ kind: "unchanged", version: item.version });
    return stateResponse(status, itemText(item));
  }
  const next = updatedItem(
    type,
    item,
    { version: nextVersion(item), lastModifiedAt: call.project.clock.timestamp() },
    Object.assign({}, ...actions.map((action) => role.actions[action.action as string]?.(action))),
  );
  // Written first, as the change needs its length.
  const text = itemText(next);
  call.project.change((draft) => draft.put(collection, next), call.author);
  call.applied = namesOf(actions);
  call.decisions.push({ kind: "updated", version: next.version });
  return stateResponse(status, text);
}

type UpdateAction = { [field: string]: unknown };

/** Returns the names of the update actions in the body, without duplicates. */
export function actionsIn(call: Call): string[] {
  return call.operation.actions ? namesOf(readUpdate(call).actions) : [];
}

function namesOf(actions: readonly UpdateAction[]): string[] {
  return [...new Set(actions.map(({ action }) => action as string))];
}

/** Returns the version and the actions in the body. Ignores invalid parts, which `validation` may have accepted. */
function readUpdate(call: Call): { version: number | undefined; actions: UpdateAction[] } {
  const body = isObject(call.json?.value) ? call.json.value : {};
  const isKnown = (action: unknown) =>
    isObject(action) && call.operation.actions?.some((name) => name === action.action);
  return {
    version: typeof body.version === "number" ? body.version : undefined,
    actions: Array.isArray(body.actions) ? body.actions.filter(isKnown) : [],
  };
}

/** Adds the decision who wrote the stored version. */
function explainConflict(call: Call, sent: number, item: Item, collection: CollectionName): void {
  const { author, engine, project } = call;
  const { version: stored } = item;
  const set = sent < stored ? writerOf(project.history, collection, item) : undefined;
  call.decisions.push({ kind: "conflict", sent, stored, ...(set && { writer: writer(set, author, engine.now()) }) });
}

function writer({ author, at }: ChangeSet, own: Author, now: number): DecisionNamed<"conflict">["writer"] {
  const earlier = Math.max(0, now - at);
  if (author === own) return { by: "effect", earlier };
  const { by, request, method, path, client } = author;
  const facts = Object.entries({ request, method, path, client }).filter(([, value]) => value !== undefined);
  return { by, ...Object.fromEntries(facts), earlier };
}

/** Returns the 409 of section 7 of the interface. */
function concurrentModification(sent: number, actual: number): ServiceError {
  return new ServiceError({
    code: "ConcurrentModification",
    message: `Version mismatch: expected ${sent}, actual ${actual}. Read the resource again and retry with its version.`,
    field: "/version",
    currentVersion: actual,
  });
}

/** Deletes the item, and returns its last state if the operation returns a body. */
export function deleteItem(call: Call, role: RoleOf<"delete">): ServiceResponse {
  const { item, collection } = findItem(call, role);
  call.project.change((draft) => draft.remove(collection, item.id), call.author);
  call.decisions.push({ kind: "deleted", version: item.version });
  const status = successStatus(call.operation);
  return stateResponse(status, responseFor(call.operation, status)?.schema ? itemText(item) : null);
}

/** Returns the type with this name. Only a mistake in the contract can name one that does not exist. */
export function typeNamed({ engine }: Call, name: string): ResourceType {
  const type = engine.contract.typeOf(name);
  if (!type) throw new Error(`the contract has no type ${name}`);
  return type;
}

/** Returns the name of the collection of a type in the scope of the path. Throws InvalidField for a value that is too long. */
export function collectionNameOf({ path }: Call, type: ResourceType): CollectionName {
  const name = encodedName(type);
  const { scope } = type;
  if (!scope) return name;
  const values = scope.map((parameter) => {
    const value = path[parameter] ?? "";
    if (value.length <= MAX_ID) return encodeURIComponent(value);
    throw new ServiceError(invalidParameter(parameter, `at most ${MAX_ID} characters`, value));
  });
  return [name, ...values].join("/");
}

const encodedName = cachedBy(({ name }: ResourceType) => encodeURIComponent(name));

/** Returns the items of a type in the scope of the path. */
export function itemsOf(call: Call, type: ResourceType): Collection {
  return collectionIn(call.project.state, collectionNameOf(call, type));
}

/** An item with its place, and the source of its content if this call created it. */
interface Found {
  readonly item: Item;
  readonly type: ResourceType;
  readonly collection: CollectionName;
  readonly createdFrom?: string;
}

/**
 * Returns the item that the path names. If it does not exist, creates it at version 1 from what the operation that reads it
 * documents, unless it was deleted or the setting `unknownIds` forbids it.
 *
 * Throws ResourceNotFound, or InsufficientStorage if a created item does not fit.
 */
export function findItem(call: Call, role: Extract<Role, { readonly by: Identifier }>): Found {
  const { type: name, by } = role;
  const type = typeNamed(call, name);
  const collection = collectionNameOf(call, type);
  const items = collectionIn(call.project.state, collection);
  const value = call.path[by.parameter] ?? "";
  const item = itemBy(items, by.member, value);
  if (item) return { item, type, collection };
  if (items.gone.has(identity(by.member, value))) throw notFound(call, type, by, "deleted");
  // Exports and imports have no longer ones.
  if (value.length > MAX_ID) throw notFound(call, type, by, "too-long");
  if (!createsUnknown(call, type)) throw notFound(call, type, by, "never-created");
  return { ...createUnknown(call, type, collection, by), type, collection };
}

/** Returns whether a request with an unknown id creates the item: by default, if clients cannot create items themselves. */
function createsUnknown({ settings, engine }: Call, { name }: ResourceType): boolean {
  if (settings.unknownIds !== "auto") return settings.unknownIds === "fixture";
  return !engine.contract.operations.some(({ role }) => role?.does === "create" && role.type === name);
}

/**
 * Returns the stored item that the path names; undefined if the operation has no such item, or it is not stored. Creates
 * nothing.
 */
export function addressedItem(call: Call): ResourceRecord | undefined {
  const { role } = call.operation;
  if (!role || !("by" in role)) return undefined;
  const type = typeNamed(call, role.type);
  const item = itemBy(itemsOf(call, type), role.by.member, call.path[role.by.parameter] ?? "");
  return item && shownItem(type, item);
}

function createUnknown(call: Call, type: ResourceType, collection: CollectionName, { parameter, member }: Identifier) {
  const { project, engine } = call;
  const value = detached(call.path[parameter] ?? "");
  const reader = engine.contract.operations.find(
    ({ role }) => role?.does === "read" && role.type === type.name && role.by.member === member,
  );
  const { source, members } = documentedItem(call, reader);
  const content = withRequired(type.schema ?? {}, clientMembers(type, members));
  const item = project.change((draft) => {
    const id = member === "id" ? value : project.newId(draft, collection, type);
    const alternates = member !== "id" && { alternates: { [member]: value } };
    const created: Item = { ...newItem(call, type, id, content), ...alternates };
    draft.put(collection, created);
    return created;
  }, call.author);
  call.decisions.push({ kind: "from-fixture", fixture: source.replace(/^fixture:/, "") });
  return { item, createdFrom: source };
}

type Because = DecisionNamed<"missing">["because"];

const reasons: Readonly<Record<Because, string>> = {
  deleted: "it was deleted",
  "too-long": `ids and keys have at most ${MAX_ID} characters`,
  "never-created": "it was never created",
};

function notFound(
  call: Call,
  { name }: ResourceType,
  { parameter, member }: Identifier,
  because: Because,
): ServiceError {
  call.decisions.push({ kind: "missing", because });
  const value = (call.path[parameter] ?? "").slice(0, 100);
  return new ServiceError({
    code: "ResourceNotFound",
    message: `Project "${call.project.key}" has no ${name.toLowerCase()} with the ${member} "${value}": ${reasons[because]}`,
    field: parameter,
  });
}
