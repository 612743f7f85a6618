import {
  type ArrayTestType,
  detached,
  isObject,
  MAX_ID,
  type ObjectTestType,
  RESOURCE,
  ServiceError,
  updateActions,
} from "../../contract/index.ts";
import { type Author, type ChangeSet, type DecisionNamed, writerOf } from "../../journal/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import {
  type Collection,
  collectionIn,
  contentOf,
  extraFields,
  type Item,
  identity,
  itemBy,
  itemById,
  itemText,
  nextVersion,
  type ResourceRecord,
  recordOf,
  type StateDraft,
  updatedItem,
} from "../../state/index.ts";
import { type Call, fixtureOf } from "../call/call.ts";
import { stateResponse } from "../call/response.ts";

/** The resource that a path names, and the operations on one resource: read, create, overwrite, update, delete. */

/** Returns the resource that the path names by its id or key. */
export function readResource(call: Call, by: "id" | "key"): ServiceResponse {
  const { item, createdFrom } = findResource(call, by);
  const response = stateResponse(200, itemText(item));
  return createdFrom === undefined ? response : { ...response, source: `fixture:${createdFrom}` };
}

/** Creates a new resource at version 1. */
export function createResource(call: Call): ServiceResponse {
  const { project } = call;
  const now = project.clock.timestamp();
  const item = project.change((draft) => {
    const created: Item = {
      id: project.newId(draft, RESOURCE),
      version: 1,
      createdAt: now,
      lastModifiedAt: now,
      ...(call.clientId !== undefined && { createdBy: call.clientId }),
      content: contentOf(1, readDraft(call)),
    };
    return write(draft, created);
  }, call.author);
  return written(call, item, "created");
}

/**
 * Overwrites the resource that clients last wrote through `createResource`, `overwriteResource` or
 * `createOrOverwriteResource`, and raises its version by 1. Creates a resource if no such resource exists.
 * The draft has no id and no key, so it cannot name the resource itself.
 */
export function overwriteLastWritten(call: Call): ServiceResponse {
  const resources = resourcesOf(call);
  const { lastWritten } = resources.facts;
  const current = lastWritten === undefined ? undefined : itemById(resources, lastWritten);
  if (!current) {
    call.decisions.push({ kind: "nothing-to-overwrite", ...(lastWritten !== undefined && { deleted: lastWritten }) });
    return createResource(call);
  }
  const version = nextVersion(current);
  const next: Item = {
    ...current,
    version,
    lastModifiedAt: call.project.clock.timestamp(),
    content: contentOf(version, readDraft(call)),
  };
  call.project.change((draft) => write(draft, next), call.author);
  return written(call, next, "overwrote");
}

/** Returns the fields of the body. Ignores invalid parts, which `validation` may have accepted. */
function readDraft(call: Call): { objectTypeProperty: ArrayTestType; [extraField: string]: unknown } {
  const body = isObject(call.json?.value) ? call.json.value : {};
  const content = isObject(body.objectTypeProperty) ? body.objectTypeProperty : {};
  return { objectTypeProperty: content, ...extraFields(body) };
}

function write(draft: StateDraft, item: Item): Item {
  // Caches the text of the response, as the change needs its length.
  itemText(item);
  draft.put(RESOURCE, item);
  draft.setFacts(RESOURCE, { lastWritten: item.id });
  return item;
}

function written(call: Call, item: Item, how: "created" | "overwrote"): ServiceResponse {
  call.decisions.push({ kind: how, resource: item.id, version: item.version });
  const location = `/${encodeURIComponent(call.projectKey.toWellFormed())}/resource/${encodeURIComponent(item.id)}`;
  return stateResponse(201, itemText(item), { Location: location });
}

/**
 * Applies the actions in their order, all or none, if `version` is the current version (section 2.6 of the interface). A
 * request with at least one action raises the version by 1.
 */
export function updateResource(call: Call): ServiceResponse {
  const { version, actions } = readUpdate(call);
  const { item } = findResource(call);
  // The settings `report` and `off` of `validation` accept a body without a version.
  if (version !== undefined && version !== item.version) {
    explainConflict(call, version, item);
    throw concurrentModification(version, item.version);
  }
  if (actions.length === 0) {
    call.decisions.push({ kind: "unchanged", version: item.version });
    return stateResponse(200, itemText(item));
  }
  const next = updatedItem(
    item,
    { version: nextVersion(item), lastModifiedAt: call.project.clock.timestamp() },
    Object.assign({}, ...actions.map(fieldsOf)),
  );
  // Written first, as the change needs its length.
  const text = itemText(next);
  call.project.change((draft) => draft.put(RESOURCE, next), call.author);
  call.applied = namesOf(actions);
  call.decisions.push({ kind: "updated", version: next.version });
  return stateResponse(200, text);
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

/** Returns the fields that an action sets. Of several actions that set a field, the last one wins. */
function fieldsOf(action: UpdateAction): object {
  const row = updateActions[action.action as keyof typeof updateActions];
  return row?.fieldsOf(action as never) ?? {};
}

/** Adds the decision who wrote the stored version. */
function explainConflict(call: Call, sent: number, item: Item): void {
  const { author, engine, project } = call;
  const { version: stored } = item;
  const set = sent < stored ? writerOf(project.history, RESOURCE, item) : undefined;
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

/** Deletes the resource, and returns its last state. */
export function deleteResource(call: Call): ServiceResponse {
  const { item } = findResource(call);
  call.project.change((draft) => draft.remove(RESOURCE, item.id), call.author);
  call.decisions.push({ kind: "deleted", version: item.version });
  return stateResponse(200, itemText(item));
}

/** Returns the resources of the project. */
export function resourcesOf({ project }: Call): Collection {
  return collectionIn(project.state, RESOURCE);
}

/** An item, and the location of its fixture if this call created it. */
interface Found {
  item: Item;
  createdFrom?: string;
}

/**
 * Returns the resource that the path names by its id or key. If it does not exist, creates it from the fixture of
 * `getResourceById` or `getResourceByKey` at version 1 (setting `unknownIds`), unless it was deleted.
 *
 * Throws ResourceNotFound, or InsufficientStorage if a created resource does not fit.
 */
export function findResource(call: Call, by: "id" | "key" = "id"): Found {
  const resources = resourcesOf(call);
  const value = call.path[by] ?? "";
  const item = itemBy(resources, by, value);
  if (item) return { item };
  if (resources.gone.has(identity(by, value))) throw notFound(call, by, "deleted");
  // Exports and imports have no longer ones.
  if (value.length > MAX_ID) throw notFound(call, by, "too-long");
  if (call.settings.unknownIds === "not-found") throw notFound(call, by, "never-created");
  return createFromFixture(call, by, value);
}

/**
 * Returns the stored resource that the path names; undefined if the operation has no such resource, or it is not stored.
 * Creates nothing.
 */
export function addressedResource(call: Call): ResourceRecord | undefined {
  const parameter = call.operation.resource?.parameter;
  const item = parameter && itemBy(resourcesOf(call), parameter, call.path[parameter] ?? "");
  return item && recordOf(item);
}

function createFromFixture(call: Call, by: "id" | "key", value: string): Found {
  const { project } = call;
  const fixture = fixtureOf(call, 200, call.engine.contract.readerBy(by));
  const { objectTypeProperty, ...rest } = fixture.value as ObjectTestType;
  const now = project.clock.timestamp();
  const item = project.change((draft) => {
    const created: Item = {
      id: by === "id" ? detached(value) : project.newId(draft, RESOURCE),
      version: 1,
      createdAt: now,
      lastModifiedAt: now,
      ...(by === "key" && { alternates: { key: detached(value) } }),
      content: contentOf(1, { objectTypeProperty, ...rest }),
    };
    draft.put(RESOURCE, created);
    return created;
  }, call.author);
  call.decisions.push({ kind: "from-fixture", fixture: fixture.path });
  return { item, createdFrom: fixture.path };
}

type Because = DecisionNamed<"missing">["because"];

const reasons: Readonly<Record<Because, string>> = {
  deleted: "it was deleted",
  "too-long": `ids and keys have at most ${MAX_ID} characters`,
  "never-created": "it was never created",
};

function notFound(call: Call, by: "id" | "key", because: Because): ServiceError {
  call.decisions.push({ kind: "missing", because });
  const shownValue = (call.path[by] ?? "").slice(0, 100);
  return new ServiceError({
    code: "ResourceNotFound",
    message: `Project "${call.project.key}" has no resource with the ${by} "${shownValue}": ${reasons[because]}`,
    field: by,
  });
}
