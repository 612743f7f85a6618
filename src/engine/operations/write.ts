import { type ArrayTestType, isObject } from "../../contract/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import {
  extraFields,
  nextVersion,
  type ResourceRecord,
  resourceById,
  resourceText,
  type StateDraft,
} from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { stateResponse } from "../call/response.ts";

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
function overwriteLastWritten(call: Call): ServiceResponse {
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

export const overwriteResource = overwriteLastWritten;
export const createOrOverwriteResource = overwriteLastWritten;

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
