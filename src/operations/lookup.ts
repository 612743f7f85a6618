import { type Call, fixtureOf } from "../call/call.ts";
import type { ObjectTestType } from "../contract/schemas.ts";
import { ServiceError } from "../contract/service-error.ts";
import { extraFields, MAX_NAME, type ResourceRecord } from "../state/record.ts";
import { bytesOfRecord } from "../state/size.ts";
import { detached } from "../text/detached.ts";

export type IdOrKey = { id: string } | { key: string };

/** A record, and the fixture's place when this very call brought it to life. */
export interface Found {
  record: ResourceRecord;
  bornFrom?: string;
}

/**
 * The resource of this id or key. One that nobody created comes to life from the fixture of `getResourceById` or
 * `getResourceByKey`, at version 1, and is real state from then on (setting `unknownIds`); one that was deleted does
 * not. Throws ResourceNotFound, and InsufficientStorage when it does not fit.
 */
export async function findResource(call: Call, place: IdOrKey): Promise<Found> {
  const { store } = call.project;
  for (;;) {
    const record = "id" in place ? await store.get(place.id) : await store.getByKey(place.key);
    if (record) return { record };
    if (await store.wasDeleted(place)) throw notFound(call, place, "it has been deleted");
    if (!isUsable(place)) throw notFound(call, place, `ids and keys have at most ${MAX_NAME} characters`);
    if (call.settings.unknownIds === "not-found") throw notFound(call, place, "nobody created it");
    const born = await bringToLife(call, place);
    // Another call was first to bring it to life: look again.
    if (born) return born;
  }
}

/** Whether a resource can be called so: it is to be exported and imported as all others. */
function isUsable(place: IdOrKey): boolean {
  const name = "id" in place ? place.id : place.key;
  return name.length <= MAX_NAME;
}

async function bringToLife(call: Call, place: IdOrKey): Promise<Found | undefined> {
  const { clock, store } = call.project;
  const fixture = fixtureOf(call, 200, call.engine.contract.readerBy("id" in place ? "id" : "key"));
  const { objectTypeProperty, ...rest } = fixture.value as ObjectTestType;
  const now = clock.timestamp();
  const content = {
    ...("key" in place && { key: detached(place.key) }),
    version: 1,
    createdAt: now,
    lastModifiedAt: now,
    objectTypeProperty,
    ...extraFields(rest),
  };
  const id = "id" in place ? detached(place.id) : await call.project.newId(bytesOfRecord(content));
  const record: ResourceRecord = { id, ...content };
  if ((await store.compareAndSet(record.id, 0, record)) !== "done") return undefined;
  call.decisions.push(`the resource came to life from the fixture ${fixture.place}`);
  return { record, bornFrom: fixture.place };
}

function notFound(call: Call, place: IdOrKey, why: string): ServiceError {
  const [name, value] = Object.entries(place)[0] ?? [];
  const shownValue = String(value).slice(0, 100);
  return new ServiceError({
    code: "ResourceNotFound",
    message: `Project "${call.project.key}" has no resource with the ${name} "${shownValue}": ${why}`,
    field: name,
  });
}
