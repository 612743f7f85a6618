import { nextVersion } from "../state/index.ts";
import type { Call } from "./call/call.ts";
import { findResource } from "./operations/lookup.ts";

/**
 * Writes the resource of the call as another client would, and records it in the decisions. The version increases by
 * one, so the version that this client knows is stale. Throws ResourceNotFound if the resource does not exist.
 */
export function writeAsAnotherClient(call: Call): void {
  const { record } = findResource(call, { id: call.path.id ?? "" });
  const next = { ...record, version: nextVersion(record), lastModifiedAt: call.project.clock.timestamp() };
  call.project.change((draft) => draft.put(next), call.author);
  call.decisions.push(`another client wrote version ${next.version}`);
}
