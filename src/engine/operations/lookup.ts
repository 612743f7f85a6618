import { detached, MAX_ID, type ObjectTestType, ServiceError } from "../../contract/index.ts";
import type { DecisionNamed } from "../../journal/index.ts";
import { extraFields, type ResourceRecord, resourceById, resourceByKey } from "../../state/index.ts";
import { type Call, fixtureOf } from "../call/call.ts";

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
  const record = by === "id" ? resourceById(state, value) : resourceByKey(state, value);
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
  if (parameter === undefined) return undefined;
  const value = path[parameter] ?? "";
  return parameter === "id" ? resourceById(state, value) : resourceByKey(state, value);
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
