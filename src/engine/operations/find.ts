import {
  cachedBy,
  detached,
  type Identifier,
  invalidField,
  invalidParameter,
  isPathSegment,
  join,
  MAX_COLLECTION_NAME,
  MAX_ID,
  MAX_ITEM_ID,
  type MemberPath,
  matches,
  type ResourceType,
  type Role,
  ServiceError,
  shown,
  type ValueSource,
} from "../../contract/index.ts";
import type { DecisionNamed } from "../../journal/index.ts";
import { type Project, SEEDED_AT } from "../../project/index.ts";
import {
  type CollectionName,
  clientMembers,
  collectionIn,
  complete,
  documentedItem,
  emptyState,
  type Item,
  identity,
  idParts,
  itemBy,
  joinedId,
  type Making,
  makeItem,
  partSchema,
  type ResourceRecord,
  StateDraft,
  shownItem,
  splitId,
  typedText,
  withPart,
} from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { header } from "../call/service-request.ts";
import type { Engine } from "../engine.ts";
import { sentPart, withKept } from "./sent.ts";

/* The collection and the item that a request addresses. */

export type OnItem = Extract<Role, { readonly by: Identifier }>;
export type RoleOf<Does extends Role["does"]> = Extract<Role, { readonly does: Does }>;

/** Returns the type with this name. Only a mistake in the contract can name one that does not exist. */
export function typeNamed({ engine }: Call, name: string): ResourceType {
  const type = engine.contract.typeOf(name);
  if (!type) throw new Error(`the contract has no type ${name}`);
  return type;
}

/**
 * Returns the name of the collection of a type in the scope of the path. Throws InvalidField for a value that is too long, and
 * ResourceNotFound if an item that contains the collection was deleted.
 */
export function collectionNameOf(call: Call, type: ResourceType, scope = type.scope): CollectionName {
  if (!scope?.length) return encodedName(type);
  const values = scope.map((parameter) => {
    const value = call.path[parameter] ?? "";
    if (value.length <= MAX_ID) return value;
    throw new ServiceError(invalidParameter(parameter, `at most ${MAX_ID} characters`, value));
  });
  requireParents(call, type, values);
  const name = nameIn(type, values);
  if (name.length <= MAX_COLLECTION_NAME) return name;
  throw new ServiceError(invalidParameter(scope.join(", "), "shorter values, percent-encoded", values.join("/")));
}

const encodedName = cachedBy(({ name }: ResourceType) => encodeURIComponent(name));

function nameIn(type: ResourceType, scope: readonly string[]): CollectionName {
  return [encodedName(type), ...scope.map((value) => encodeURIComponent(value.toWellFormed()))].join("/");
}

/** Throws ResourceNotFound if an item was deleted that contains the collection of a type in this scope. */
function requireParents(call: Call, { parents = [] }: ResourceType, values: readonly string[]): void {
  for (const { type: name, scope, parts } of parents) {
    const parent = typeNamed(call, name);
    const ids = values.slice(scope, scope + parts);
    const { gone } = call.project.state.collections.get(nameIn(parent, values.slice(0, scope))) ?? {};
    if (gone?.has(identity("id", joinedId(ids)))) throw notFound(call, parent, ids, "deleted");
    requireParents(call, parent, values.slice(0, scope));
  }
}

/** What a request addresses: an item, or the reason why it does not exist. */
export interface Addressed {
  readonly type: ResourceType;
  readonly collection: CollectionName;
  /** The id, or the other value that identifies the item. */
  readonly value: string;
  readonly item?: Item | undefined;
  readonly because?: Because;
}

/** Returns what the request addresses. Throws InvalidField if the body has to name the item and does not. */
export function addressed(call: Call, role: OnItem): Addressed {
  const type = typeNamed(call, role.type);
  const collection = collectionNameOf(call, type, role.scope);
  const items = collectionIn(call.project.state, collection);
  const { member } = role.by;
  const value = namedValue(call, type, role);
  const item = itemBy(items, member, value);
  if (item) return { type, collection, value, item };
  if (items.gone.has(identity(member, value))) return { type, collection, value, because: "deleted" };
  const isLong = value.length > MAX_ITEM_ID || splitId(type, value).some(({ length }) => length > MAX_ID);
  return { type, collection, value, because: isLong ? "too-long" : "never-created" };
}

/** An item with its place, and the source of its content if this call created it. */
export interface Found extends Omit<Addressed, "value" | "because"> {
  readonly item: Item;
  readonly createdFrom?: string;
}

/**
 * Returns the item that the request addresses. If it does not exist, returns it at version 1 from what the contract documents,
 * unless it was deleted or the setting `unknownIds` forbids it. Only an item of a type with a draft is stored then.
 *
 * Throws ResourceNotFound, or InsufficientStorage if a created item does not fit.
 */
export function findItem(call: Call, role: OnItem): Found {
  const { type, collection, value, item, because } = addressed(call, role);
  if (item) return { item, type, collection };
  const isComputed =
    because === "never-created" && ((type.kind === "singleton" && !type.isAbsent) || createsUnknown(call, type));
  if (!isComputed || (role.by.member === "id" && !isPossible(type, value))) {
    throw notFound(call, type, splitId(type, value), because ?? "never-created", role.by);
  }
  if (type.draft)
    return { ...createUnknown(call, type, collection, role.by.member, detached(value)), type, collection };
  return { item: computedItem(call, role, type, collection, value), type, collection };
}

/** Returns whether a request with an unknown id gets an item: by default, if clients cannot create items themselves. */
function createsUnknown({ settings, engine }: Call, { name }: ResourceType): boolean {
  if (settings.unknownIds !== "auto") return settings.unknownIds === "fixture";
  return !engine.contract.operations.some(({ role, responses }) => {
    const isReplace = role?.does === "replace" && (role.creates || responses[201] !== undefined);
    return role?.type === name && (role.does === "create" || isReplace);
  });
}

function isPossible(type: ResourceType, id: string): boolean {
  if (type.draft) return true;
  const values = splitId(type, id);
  return idParts(type).every((part, index) => {
    const value = values[index] ?? "";
    const schema = partSchema(type, part);
    const isOfForm = part.form !== "integer" || /^-?\d{1,15}$/.test(value);
    return isOfForm && idProblem(value) === undefined && (!schema || matches(schema, typedText(schema, value)));
  });
}

/** Returns how new items of a collection come into being. */
export function makingIn(project: Project, { samples }: Engine, draft: StateDraft, collection: CollectionName): Making {
  const idOf = (number: number) => project.idOf(number);
  return { draft, collection, idOf, now: project.clock.timestamp(), templateOf: samples.template };
}

/** Returns the template of the type with this id. It is the same in every request. */
function computedItem(call: Call, role: OnItem, type: ResourceType, collection: CollectionName, value: string): Item {
  const { engine, project } = call;
  const { member } = role.by;
  const template = engine.samples.template(type);
  const taken =
    member === "id" ? template : withPart(template, [member], typedText(type.schema?.properties?.[member], value));
  const { content, hidden } = withKept(call, role, type, { taken });
  const making = makingIn(project, engine, new StateDraft(emptyState), collection);
  const idOf = (number: number) => project.idOf(-number);
  const id = member === "id" ? detached(value) : undefined;
  return makeItem(type, content, { ...making, now: SEEDED_AT, idOf, id, hidden });
}

/**
 * Returns the stored item that the path names; undefined if the operation has no such item, or it is not stored. Creates
 * nothing.
 */
export function addressedItem(call: Call): ResourceRecord | undefined {
  const { role } = call.operation;
  if (!role || !("by" in role) || role.by.from) return undefined;
  const type = typeNamed(call, role.type);
  const scope = (role.scope ?? type.scope ?? []).map((parameter) => call.path[parameter] ?? "");
  const items = collectionIn(call.project.state, nameIn(type, scope));
  const item = itemBy(items, role.by.member, namedValue(call, type, role));
  return item && shownItem(type, item);
}

function createUnknown(call: Call, type: ResourceType, collection: CollectionName, member: string, value: string) {
  const { project, engine } = call;
  const { source, value: documented } = documentedItem(engine, type, member) ?? { source: "generated", value: {} };
  const content = complete(type.schema ?? {}, clientMembers(type, Object(documented)));
  const [id, alternates] = member === "id" ? [value, {}] : [undefined, { alternates: { [member]: value } }];
  const item = project.change((draft) => {
    const made = makeItem(type, content, { ...makingIn(project, engine, draft, collection), id });
    const created: Item = { ...made, ...alternates };
    draft.put(collection, created);
    return created;
  }, call.author);
  call.decisions.push({ kind: "from-fixture", fixture: source.replace(/^fixture:/, "") });
  return { item, createdFrom: source };
}

/** Returns why a text cannot be an id or a part of one; undefined if it can. */
export function idProblem(id: string): string | undefined {
  if (isPathSegment(id) && id.length <= MAX_ID) return undefined;
  return `expected an id of at most ${MAX_ID} characters that a path can contain, found ${shown(id)}`;
}

type Because = DecisionNamed<"missing">["because"];

const reasons: Readonly<Record<Because, string>> = {
  deleted: "it was deleted",
  "too-long": `ids and keys have at most ${MAX_ID} characters`,
  "never-created": "it was never created",
};

function notFound(
  call: Call,
  { name, draft }: ResourceType,
  values: readonly string[],
  because: Because,
  { parameters: [field], member }: Identifier = { parameters: [], member: "id" },
): ServiceError {
  call.decisions.push({ kind: "missing", because });
  const noun = name.startsWith("/") ? `item of ${name}` : name.toLowerCase();
  const named = values.length === 0 ? "" : ` with the ${member} "${values.join("/").slice(0, 100)}"`;
  const hint = draft || because !== "never-created" ? "" : "; create it, seed it, or set unknownIds: fixture";
  const message = `Project "${call.project.key}" has no ${noun}${named}: ${reasons[because]}${hint}`;
  return new ServiceError({ code: "ResourceNotFound", message, field });
}

/** Returns the value that identifies an item: the id from the path or the body, or another value of the path. */
function namedValue(call: Call, type: ResourceType, { by }: OnItem): string {
  const { parameters, member, from } = by;
  if (type.kind === "singleton") return "";
  if (member !== "id" || type.draft) return call.path[parameters[0] ?? ""] ?? "";
  const values = idParts(type).map(({ form }, index) => {
    const source = from?.[index];
    const value = source ? valueFrom(call, source) : (call.path[parameters[index] ?? ""] ?? "");
    return form === "integer" && /^-?\d{1,15}$/.test(value) ? String(Number(value)) : value;
  });
  return joinedId(values.map((value) => value.toWellFormed()));
}

/** How requests have values, by their locations. */
const readers: { readonly [In in ValueSource["in"]]: (call: Call, at: MemberPath) => unknown } = {
  query: ({ request }, [name = ""]) => new URLSearchParams(request.query).get(name),
  header: ({ request }, [name = ""]) => header(request, name.toLowerCase()),
  body: ({ json }, at) => sentPart(json?.value, at),
  value: (_call, [value]) => value,
};

/** Returns a value of the request as text. Throws InvalidField if the request does not have it. */
function valueFrom(call: Call, source: ValueSource): string {
  // 0 in a body is no id.
  const value = String(readers[source.in](call, source.at) || "");
  if (value !== "") return value;
  const field = source.in === "body" ? source.at.reduce<string>(join, "") : (source.at[0] ?? "");
  throw new ServiceError(invalidField(field, "expected the id of an item, found none"));
}
