import {
  type ArrayTestType,
  detached,
  isObject,
  MAX_ID,
  type ObjectTestType,
  ServiceError,
  updateActions,
} from "../../contract/index.ts";
import { type Author, type ChangeSet, type DecisionNamed, writerOf } from "../../journal/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import {
  extraFields,
  nextVersion,
  type ResourceRecord,
  resourceById,
  resourceByKey,
  resourceText,
  type StateDraft,
} from "../../state/index.ts";
import { type Call, fixtureOf } from "../call/call.ts";
import { stateResponse } from "../call/response.ts";

/** The resource that a path names, and the operations on one resource: read, create, overwrite, update, delete. */

/** Returns the resource that the path names by its id or key. */
export function readResource(call: Call, by: "id" | "key"): ServiceResponse {
  const { record, createdFrom } = findResource(call, by);
  const response = stateResponse(200, resourceText(record));
  return createdFrom === undefined ? response : { ...response, source: `fixture:${createdFrom}` };
}

/** Creates a new resource at version 1. */
export function createResource(call: Call): ServiceResponse {
  const { project } = call;
  const now = project.clock.timestamp();
  const record = project.change((draft) => {
    const created: ResourceRecord = {
      id: project.newId(draft),
      version: 1,
      createdAt: now,
      lastModifiedAt: now,
      ...(call.clientId !== undefined && { createdBy: call.clientId }),
      ...readDraft(call),
    };
    return write(draft, created);
  }, call.author);
  return written(call, record, "created");
}

/**
 * Overwrites the resource that clients last wrote through `createResource`, `overwriteResource` or
 * `createOrOverwriteResource`, and raises its version by 1. Creates a resource if no such resource exists.
 * The draft has no id and no key, so it cannot name the resource itself.
 */
export function overwriteLastWritten(call: Call): ServiceResponse {
  const { clock, state } = call.project;
  const { lastWritten } = state;
  const current = lastWritten === undefined ? undefined : resourceById(state, lastWritten);
  if (!current) {
    call.decisions.push({ kind: "nothing-to-overwrite", ...(lastWritten !== undefined && { deleted: lastWritten }) });
    return createResource(call);
  }
  const { id, key, createdAt, createdBy } = current;
  const next: ResourceRecord = {
    id,
    ...(key !== undefined && { key }),
    version: nextVersion(current),
    createdAt,
    lastModifiedAt: clock.timestamp(),
    ...(createdBy !== undefined && { createdBy }),
    ...readDraft(call),
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

function write(draft: StateDraft, record: ResourceRecord): ResourceRecord {
  // Caches the text of the response, as the change needs its length.
  resourceText(record);
  draft.put(record);
  draft.setFacts({ lastWritten: record.id });
  return record;
}

function written(call: Call, record: ResourceRecord, how: "created" | "overwrote"): ServiceResponse {
  call.decisions.push({ kind: how, resource: record.id, version: record.version });
  const location = `/${encodeURIComponent(call.projectKey.toWellFormed())}/resource/${encodeURIComponent(record.id)}`;
  return stateResponse(201, resourceText(record), { Location: location });
}

/**
 * Applies the actions in their order, all or none, if `version` is the current version (section 2.6 of the interface). A
 * request with at least one action raises the version by 1.
 */
export function updateResource(call: Call): ServiceResponse {
  const { version, actions } = readUpdate(call);
  const { record } = findResource(call);
  // The settings `report` and `off` of `validation` accept a body without a version.
  if (version !== undefined && version !== record.version) {
    explainConflict(call, version, record);
    throw concurrentModification(version, record.version);
  }
  if (actions.length === 0) {
    call.decisions.push({ kind: "unchanged", version: record.version });
    return stateResponse(200, resourceText(record));
  }
  const next: ResourceRecord = {
    ...record,
    version: nextVersion(record),
    lastModifiedAt: call.project.clock.timestamp(),
    ...Object.assign({}, ...actions.map(fieldsOf)),
  };
  // Written first, as the change needs its length.
  const text = resourceText(next);
  call.project.change((draft) => draft.put(next), call.author);
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
function explainConflict(call: Call, sent: number, record: ResourceRecord): void {
  const { author, engine, project } = call;
  const { version: stored } = record;
  const set = sent < stored ? writerOf(project.history, record) : undefined;
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
  const { record } = findResource(call);
  call.project.change((draft) => draft.remove(record.id), call.author);
  call.decisions.push({ kind: "deleted", version: record.version });
  return stateResponse(200, resourceText(record));
}

const finders = { id: resourceById, key: resourceByKey };

/** A record, and the location of its fixture if this call created it. */
interface Found {
  record: ResourceRecord;
  createdFrom?: string;
}

/**
 * Returns the resource that the path names by its id or key. If it does not exist, creates it from the fixture of
 * `getResourceById` or `getResourceByKey` at version 1 (setting `unknownIds`), unless it was deleted.
 *
 * Throws ResourceNotFound, or InsufficientStorage if a created resource does not fit.
 */
export function findResource(call: Call, by: "id" | "key" = "id"): Found {
  const { state } = call.project;
  const value = call.path[by] ?? "";
  const record = finders[by](state, value);
  if (record) return { record };
  const wasDeleted = (by === "id" ? state.deletedIds : state.deletedKeys).has(value);
  if (wasDeleted) throw notFound(call, by, "deleted");
  // Exports and imports have no longer ones.
  if (value.length > MAX_ID) throw notFound(call, by, "too-long");
  if (call.settings.unknownIds === "not-found") throw notFound(call, by, "never-created");
  return createFromFixture(call, by, value);
}

/**
 * Returns the stored resource that the path names; undefined if the operation has no such resource, or it is not stored.
 * Creates nothing.
 */
export function addressedResource({ operation, path, project: { state } }: Call): ResourceRecord | undefined {
  const parameter = operation.resource?.parameter;
  return parameter && finders[parameter](state, path[parameter] ?? "");
}

function createFromFixture(call: Call, by: "id" | "key", value: string): Found {
  const { project } = call;
  const fixture = fixtureOf(call, 200, call.engine.contract.readerBy(by));
  const { objectTypeProperty, ...rest } = fixture.value as ObjectTestType;
  const now = project.clock.timestamp();
  const record = project.change((draft) => {
    const created: ResourceRecord = {
      id: by === "id" ? detached(value) : project.newId(draft),
      ...(by === "key" && { key: detached(value) }),
      version: 1,
      createdAt: now,
      lastModifiedAt: now,
      objectTypeProperty,
      ...extraFields(rest),
    };
    draft.put(created);
    return created;
  }, call.author);
  call.decisions.push({ kind: "from-fixture", fixture: fixture.path });
  return { record, createdFrom: fixture.path };
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
