import type { Call } from "../call/call.ts";
import { type ServiceResponse, stateResponse } from "../call/response.ts";
import type { ArrayTestType } from "../contract/schemas.ts";
import { extraFields, nextVersion, type ResourceRecord, resourceText } from "../state/record.ts";
import { bytesOfRecord } from "../state/size.ts";
import { isObject } from "../text/json.ts";

/** Creates a new resource at version 1. */
export async function createResource(call: Call): Promise<ServiceResponse> {
  const { clock, store } = call.project;
  const now = clock.timestamp();
  const content = {
    version: 1,
    createdAt: now,
    lastModifiedAt: now,
    ...(call.clientId !== undefined && { createdBy: call.clientId }),
    ...readDraft(call),
  };
  const bytes = bytesOfRecord(content);
  for (;;) {
    const record: ResourceRecord = { id: await call.project.newId(bytes), ...content };
    // If a seed or an import has used the id, the next round takes another.
    if ((await store.compareAndSet(record.id, 0, record)) === "done") return written(call, record, "created");
  }
}

/**
 * Overwrites the resource that clients last wrote through `createResource`, `overwriteResource` or
 * `createOrOverwriteResource`, and raises its version by 1. Creates a resource if no such resource exists.
 * The draft has no id and no key, so it cannot name the resource itself.
 */
async function overwriteLastWritten(call: Call): Promise<ServiceResponse> {
  const { clock, store } = call.project;
  for (;;) {
    const { lastWritten } = await store.facts();
    const current = lastWritten === undefined ? undefined : await store.get(lastWritten);
    if (!current) {
      call.decisions.push(
        lastWritten === undefined
          ? "no client has written a resource yet that could be overwritten"
          : `the last written resource ${lastWritten} was deleted`,
      );
      return createResource(call);
    }
    const { id, key, version, createdAt, createdBy } = current;
    const next: ResourceRecord = {
      id,
      ...(key !== undefined && { key }),
      version: nextVersion(current),
      createdAt,
      lastModifiedAt: clock.timestamp(),
      ...(createdBy !== undefined && { createdBy }),
      ...readDraft(call),
    };
    if ((await store.compareAndSet(id, version, next)) === "done") return written(call, next, "overwrote");
  }
}

export const overwriteResource = overwriteLastWritten;
export const createOrOverwriteResource = overwriteLastWritten;

/** Returns the fields of the body. Ignores invalid parts, which `validation` may have accepted. */
function readDraft(call: Call): { objectTypeProperty: ArrayTestType; [extraField: string]: unknown } {
  const body = isObject(call.json?.value) ? call.json.value : {};
  const content = isObject(body.objectTypeProperty) ? body.objectTypeProperty : {};
  return { objectTypeProperty: content, ...extraFields(body) };
}

async function written(call: Call, record: ResourceRecord, how: "created" | "overwrote"): Promise<ServiceResponse> {
  const { store } = call.project;
  call.decisions.push(`${how} the resource ${record.id}, now at version ${record.version}`);
  await store.setFacts({ lastWritten: record.id });
  const location = `/${encodeURIComponent(call.projectKey.toWellFormed())}/resource/${encodeURIComponent(record.id)}`;
  return stateResponse(201, resourceText(record), { Location: location });
}
