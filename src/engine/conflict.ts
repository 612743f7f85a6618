import type { Call } from "../call/call.ts";
import { findResource } from "../operations/lookup.ts";
import { nextVersion } from "../state/record.ts";

/**
 * Writes the resource of the call as another client would, and records it in the decisions. The version increases by
 * one, so the version that this client knows is stale. Throws ResourceNotFound if the resource does not exist.
 */
export async function writeAsAnotherClient(call: Call): Promise<void> {
  const { clock, store } = call.project;
  const id = call.path.id ?? "";
  for (;;) {
    const { record } = await findResource(call, { id });
    const next = { ...record, version: nextVersion(record), lastModifiedAt: clock.timestamp() };
    if ((await store.compareAndSet(id, record.version, next)) === "done") {
      call.decisions.push(`another client wrote version ${next.version}`);
      return;
    }
  }
}
