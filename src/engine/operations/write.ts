import {
  type Awaitable,
  hasType,
  invalidField,
  isObject,
  join,
  MAX_ITEM_ID,
  matches,
  problemsOf,
  type ResourceType,
  responseFor,
  ServiceError,
  shown,
} from "../../contract/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import {
  type Collection,
  type CollectionName,
  clientMembers,
  complete,
  contentOf,
  formOf,
  type Item,
  identity,
  idParts,
  isIdName,
  itemText,
  joinedId,
  makeItem,
  merged,
  mergePatch,
  nextVersion,
  partSchema,
  placeOf,
  replaced,
  type StateDraft,
  splitId,
  withAlternates,
  withTimeOfChange,
} from "../../state/index.ts";
import { type Call, violate } from "../call/call.ts";
import { isMergePatch } from "../call/service-request.ts";
import { bodyViolation } from "../validate.ts";
import {
  addressed,
  collectionNameOf,
  type Found,
  findItem,
  idProblem,
  makingIn,
  type OnItem,
  type RoleOf,
  typeNamed,
} from "./find.ts";
import { itemResponse, statusFor } from "./item-response.ts";
import { requireVersion } from "./preconditions.ts";
import { bodyItem, isPatch, type SentItem, sentItem, sentPart } from "./sent.ts";

/* The operations that write one item, but for updates by actions. */

type Responding = Awaitable<ServiceResponse>;

export function readItem(call: Call, role: RoleOf<"read">): Responding {
  const { item, type, createdFrom } = findItem(call, role);
  const response = itemResponse(call, type, item, statusFor(call.operation));
  return createdFrom === undefined || response instanceof Promise ? response : { ...response, source: createdFrom };
}

/**
 * Creates a new item at version 1 with the content in the body. `named` is its id, or another member that identifies it, from
 * the path. Throws DuplicateValue if the client has sent an id that exists.
 */
export function createItem(
  call: Call,
  role: Omit<RoleOf<"create">, "does">,
  { id, ...named }: Readonly<Record<string, string>> = {},
): Responding {
  const { project, engine, clientId } = call;
  const type = typeNamed(call, role.type);
  const collection = collectionNameOf(call, type, role.scope);
  const sent: SentItem = type.draft ? { content: readDraft(call, type) } : sentItem(call, role, type, named);
  const item = project.change((draft) => {
    const making = { ...makingIn(project, engine, draft, collection), id, hidden: sent.hidden };
    const made = makeItem(type, sent.content, making);
    requireFree(type, draft.in(collection), made.id);
    if (!type.draft) requireFreeAlternates(type, draft.in(collection), { id: made.id, content: sent.content });
    return writeItem(draft, collection, { ...made, ...(clientId !== undefined && { createdBy: clientId }) });
  }, call.author);
  return writtenResponse(call, type, item, "created");
}

/** Throws InvalidField for an id that no path can contain, and DuplicateValue if an item has it. */
function requireFree(type: ResourceType, { ids }: Collection, id: string): void {
  const field = placeOf(type, "id");
  const [problem] = splitId(type, id).flatMap((part) => idProblem(part) ?? []);
  if (problem) throw new ServiceError(invalidField(field, problem));
  if (id.length > MAX_ITEM_ID)
    throw new ServiceError(invalidField(field, `expected at most ${MAX_ITEM_ID} characters of all parts, found more`));
  if (ids.has(id)) throw duplicateValue(field, "an id", id);
}

/** Throws DuplicateValue if another item has a value that identifies it, and that a client has sent or changed. */
function requireFreeAlternates(
  { alternates = [] }: ResourceType,
  { alternates: taken }: Collection,
  { id, content }: Pick<Item, "id" | "content">,
  before?: unknown,
): void {
  for (const member of alternates) {
    const value = sentPart(content, [member]);
    const holder = value === undefined ? undefined : taken.get(identity(member, String(value)));
    if (holder === undefined || holder === id || value === sentPart(before, [member])) continue;
    throw duplicateValue(join("", member), "a value", value);
  }
}

function duplicateValue(field: string, noun: string, found: unknown): ServiceError {
  const message = `${field}: expected ${noun} that no item has, found ${shown(found)}`;
  return new ServiceError({ code: "DuplicateValue", message, field });
}

/** Returns the members in the body that clients can set. Replaces those of another type, which `validation` may have accepted. */
export function readDraft(call: Call, type: ResourceType): object {
  const { schema = {} } = type;
  const members = clientMembers(type, isObject(call.json?.value) ? call.json.value : {});
  if (call.settings.validation === "enforce") return members;
  const typed = Object.entries(members).filter(([name, value]) => hasType(schema.properties?.[name] ?? {}, value));
  return complete(schema, Object.fromEntries(typed)) as object;
}

/** Puts an item into the state, as the last written one. */
export function writeItem(draft: StateDraft, collection: CollectionName, item: Item): Item {
  // Caches the text of the response, as the change needs its length.
  itemText(item);
  draft.put(collection, item);
  draft.setFacts(collection, { lastWritten: item.id });
  return item;
}

/** Puts a changed item into the state. Throws DuplicateValue if another one has a value that identifies it. */
export function putItem(draft: StateDraft, type: ResourceType, collection: CollectionName, item: Item, before: Item) {
  let whole = item;
  if (!type.draft) {
    requireFreeAlternates(type, draft.in(collection), item, before.content);
    whole = withAlternates(type, item, draft.in(collection));
  }
  // Caches the text of the response, as the change needs its length.
  itemText(whole);
  draft.put(collection, whole);
  return whole;
}

/** Returns the response to a request that has created or overwritten an item. */
export function writtenResponse(call: Call, type: ResourceType, item: Item, how: "created" | "overwrote"): Responding {
  const { operation, decisions } = call;
  decisions.push({ kind: how, resource: item.id, version: item.version });
  const status = statusFor(operation, true);
  const { headers = {} } = responseFor(operation, status) ?? {};
  const isLocated = status === 201 && type.itemPath !== undefined;
  const location = (isLocated || "Location" in headers) && { Location: locationOf(call, item.id) };
  return itemResponse(call, type, item, status, { ...location });
}

/** Returns the path of an item: by the path of its type, or else below the path of the request. */
export function locationOf(call: Call, id: string): string {
  const { operation, path, base, engine } = call;
  const { role } = operation;
  const type = role && engine.contract.typeOf(role.type);
  const encoded = (text = "") => encodeURIComponent(text.toWellFormed());
  const { project = "" } = engine.contract.addresses;
  const itemPath = type?.itemPath ?? `${operation.path}/{}`;
  const scope = (role?.scope ?? type?.scope ?? []).map((parameter) => path[parameter]);
  const values = type?.itemPath === undefined ? [] : [...scope, ...splitId(type, id)];
  const valueFor = (name: string) =>
    name === "" ? id : name === project ? path[project] : (values.shift() ?? path[name]);
  const below = itemPath.replace(/\{([^}]*)\}/g, (_all, name: string) => encoded(valueFor(name)));
  const isProjectMissing = project !== "" && !itemPath.includes(`{${project}}`);
  return `${base}${isProjectMissing ? `/${encoded(path[project])}` : ""}${below}`;
}

let jsonPatch: typeof import("./json-patch.ts") | undefined;

/**
 * Replaces the item, or merges the body into it (RFC 7396). Creates an unknown one if the role does. Refuses only a change that
 * makes a valid item invalid.
 */
export function replaceItem(call: Call, role: RoleOf<"replace" | "merge">): Responding {
  const isPatched = role.does === "merge" && !role.set && isPatch(call);
  if (isPatched && !jsonPatch) return loadJsonPatch().then(() => replaceItem(call, role));
  const { type, collection, value, item: stored, because } = addressed(call, role);
  const creates = role.creates || (type.kind === "singleton" && because === "deleted");
  if (!stored && creates && because !== "too-long") {
    changedId(call, role, type, value);
    requireVersion(call, role, { type, collection });
    return createItem(call, role, role.by.member === "id" ? { id: value } : { [role.by.member]: value });
  }
  const { item } = stored ? { item: stored } : findItem(call, role);
  const found = { item, type, collection };
  requireVersion(call, role, found);
  const check = (after: unknown) => requireValid(call, role, type, item, after);
  const patched = isPatched ? jsonPatch?.patched(call, check) : undefined;
  const next = changedItem(call, role, found, patched ?? (role.does === "merge" ? merged : replaced));
  call.project.change((draft) => {
    if (next.id !== item.id) {
      requireFree(type, draft.in(collection), next.id);
      draft.remove(collection, item.id);
    }
    putItem(draft, type, collection, next, item);
  }, call.author);
  call.decisions.push({ kind: "updated", version: next.version });
  return itemResponse(call, type, next, statusFor(call.operation));
}

/** Loads the module before the item is read: another request can change the item meanwhile. */
async function loadJsonPatch(): Promise<void> {
  jsonPatch = await import("./json-patch.ts");
}

/** Returns the item with the body in it. `change` says how. Throws InvalidField if a valid item would become invalid. */
function changedItem(call: Call, role: RoleOf<"replace" | "merge">, { item, type }: Found, change: typeof merged) {
  const { engine, project } = call;
  const { schema = {} } = type;
  const now = project.clock.timestamp();
  const version = nextVersion(item);
  const template = engine.samples.template(type);
  const by = role.set ? "service" : isMergePatch(call.request) ? "patch" : "client";
  const { taken, left } = change(schema, item.content, role.set ?? bodyItem(call, role.body), template, by);
  const id = role.set ? item.id : changedId(call, role, type, item.id);
  const content = isObject(taken)
    ? contentOf(type, { id, version }, withTimeOfChange(formOf(schema, taken), taken, now, item.content))
    : taken;
  requireValid(call, role, type, item, content);
  const hidden = mergePatch(item.hidden, isObject(left) ? left : {}) as Record<string, unknown>;
  const { hidden: _hidden, ...others } = item;
  const known = { ...others, id, version, lastModifiedAt: now, content };
  return Object.keys(hidden).length > 0 ? { ...known, hidden } : known;
}

/** Throws InvalidField if a valid item would become invalid. */
export function requireValid(
  call: Call,
  { body = [] }: OnItem,
  { schema = {} }: ResourceType,
  before: Item,
  after: unknown,
): void {
  if (!matches(schema, before.content) || matches(schema, after)) return;
  const start = body.reduce(join, "");
  const problems = problemsOf(schema, after).map((each) => ({ ...each, pointer: start + each.pointer }));
  violate(call, problems.map(bodyViolation));
}

/**
 * Returns the id of the item after the change: another one if a name or a key identifies it, and the body has it. Throws
 * InvalidField for another id that no client can choose.
 */
function changedId(call: Call, role: OnItem, type: ResourceType, id: string): string {
  const values = splitId(type, id);
  const changed = idParts(type).map((part, index) => {
    const before = values[index] ?? "";
    const { member, form } = part;
    const sent = member && sentPart(bodyItem(call, role.body), member);
    if (!member || !sent || String(sent) === before) return before;
    const schema = partSchema(type, part);
    const field = [...(role.body ?? []), ...member].reduce((at, name) => join(at, name), "");
    if (schema?.readOnly || form || isIdName(member.at(-1) ?? "")) {
      const problem = `expected the id in the path, ${shown(before)}, found ${shown(sent)}`;
      throw new ServiceError(invalidField(field, problem));
    }
    return !schema || matches(schema, sent) ? String(sent) : before;
  });
  return changed.length === 0 ? id : joinedId(changed);
}

/** Deletes the item, and returns its last state if the operation returns a body. */
export function deleteItem(call: Call, role: RoleOf<"delete">): Responding {
  const found = findItem(call, role);
  requireVersion(call, role, found);
  const { item, type, collection } = found;
  call.project.change((draft) => {
    // An item that was never stored is gone too.
    if (!draft.remove(collection, item.id)) draft.set("gone", collection, identity("id", item.id), true);
  }, call.author);
  call.decisions.push({ kind: "deleted", version: item.version });
  return itemResponse(call, type, item, statusFor(call.operation));
}
