import type { ProjectControl, RecordDraft, ResourceRecord, StateDocument } from "../../../control/client/index.ts";
import { isNotFound } from "../parts/action.tsx";
import { hasChanged } from "./editing.tsx";

/** Returns the resources in parsed JSON values: single ones, lists, and those of a state. */
export function resourcesIn(values: readonly unknown[]): RecordDraft[] {
  return values.flatMap((value) => (isState(value) ? value.resources : value)) as RecordDraft[];
}

export function isState(value: unknown): value is StateDocument {
  return typeof value === "object" && value !== null && "resources" in value && Array.isArray(value.resources);
}

/**
 * Deletes the resources with these ids, one after the other, and ignores those that do not exist. Calls `onDeleted` with
 * each as it was: a call that fails must not hide which ones are gone.
 */
export async function deleteResources(
  controls: ProjectControl,
  ids: readonly string[],
  onDeleted: (resource: ResourceRecord) => void = () => {},
): Promise<void> {
  for (const id of ids) {
    let isDone = false;
    while (!isDone) isDone = await deleteOne(controls, id, onDeleted);
  }
}

/** Deletes a resource. Returns false if another client has changed it meanwhile: an undo would restore an older content. */
async function deleteOne(
  controls: ProjectControl,
  id: string,
  onDeleted: (resource: ResourceRecord) => void,
): Promise<boolean> {
  try {
    const { resource, tag } = await controls.resources.getTagged(id);
    await controls.resources.delete(id, { ifMatch: tag });
    onDeleted(resource);
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    if (hasChanged(error)) return false;
    throw error;
  }
}
