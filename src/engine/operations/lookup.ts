import { detached, MAX_ID, type ObjectTestType, ServiceError } from "../../contract/index.ts";
import type { DecisionNamed } from "../../journal/index.ts";
import { extraFields, type ResourceRecord, resourceById, resourceByKey } from "../../state/index.ts";
import { type Call, fixtureOf } from "../call/call.ts";

export type IdOrKey = { id: string } | { key: string };

/** A record, and the location of its fixture if this call created it. */
export interface Found {
  record: ResourceRecord;
  createdFrom?: string;
}

/**
 * Returns the resource with this id or key. If it does not exist, creates it from the fixture of `getResourceById` or
 * `getResourceByKey` at version 1 (setting `unknownIds`), unless it was deleted.
 *
 * Throws ResourceNotFound, or InsufficientStorage if a created resource does not fit.
 */
export function findResource(call: Call, idOrKey: IdOrKey): Found {
  const { state } = call.project;
  const record = "id" in idOrKey ? resourceById(state, idOrKey.id) : resourceByKey(state, idOrKey.key);
  if (record) return { record };
  const wasDeleted = "id" in idOrKey ? state.deletedIds.has(idOrKey.id) : state.deletedKeys.has(idOrKey.key);
  if (wasDeleted) throw notFound(call, idOrKey, "deleted");
  if (!isValid(idOrKey)) throw notFound(call, idOrKey, "too-long");
  if (call.settings.unknownIds === "not-found") throw notFound(call, idOrKey, "never-created");
  return createFromFixture(call, idOrKey);
}

/**
 * Returns the stored resource that the path names; undefined if the operation has no such resource, or it is not stored.
 * Creates nothing.
 */
export function addressedResource({ operation, path, project: { state } }: Call): ResourceRecord | undefined {
  const parameter = operation.resource?.parameter;
  if (parameter === undefined) return undefined;
  const value = path[parameter] ?? "";
  return parameter === "id" ? resourceById(state, value) : resourceByKey(state, value);
}

/** Returns whether the id or key is short enough for exports and imports. */
function isValid(idOrKey: IdOrKey): boolean {
  const name = "id" in idOrKey ? idOrKey.id : idOrKey.key;
  return name.length <= MAX_ID;
}

function createFromFixture(call: Call, idOrKey: IdOrKey): Found {
  const { project } = call;
  const fixture = fixtureOf(call, 200, call.engine.contract.readerBy("id" in idOrKey ? "id" : "key"));
  const { objectTypeProperty, ...rest } = fixture.value as ObjectTestType;
  const now = project.clock.timestamp();
  const record = project.change((draft) => {
    const created: ResourceRecord = {
      id: "id" in idOrKey ? detached(idOrKey.id) : project.newId(draft),
      ...("key" in idOrKey && { key: detached(idOrKey.key) }),
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

function notFound(call: Call, idOrKey: IdOrKey, because: Because): ServiceError {
  call.decisions.push({ kind: "missing", because });
  const [name, value] = Object.entries(idOrKey)[0] ?? [];
  const shownValue = String(value).slice(0, 100);
  return new ServiceError({
    code: "ResourceNotFound",
    message: `Project "${call.project.key}" has no resource with the ${name} "${shownValue}": ${reasons[because]}`,
    field: name,
  });
}
