import {
  type ProjectControl,
  path,
  type RecordDraft,
  type ResourceRecord,
  type StateDocument,
} from "../../../control/client/index.ts";
import { useProject, useSession } from "../live/session.ts";
import { Button, isNotFound } from "../parts/action.tsx";
import { base64Of, FileButton, saveFrom } from "../parts/files.tsx";
import { counted, parsedLines } from "../parts/text.tsx";
import { DuplicateProject } from "../shell/project-dialogs.tsx";
import { hasChanged } from "./editing.tsx";

interface TransferProps {
  readonly onFiles: (files: readonly File[]) => void;
  readonly isImporting: boolean;
}

/** Exports the whole project, imports files into it, and duplicates it. */
export function Transfer({ onFiles, isImporting }: TransferProps) {
  const { connection } = useSession();
  const { key } = useProject();
  const save = () => saveFrom(connection, path`/projects/${key}/archive`, `${key}.archive.ndjson`);
  return (
    <div class="group">
      <Button run={save} kind="quiet" done="Exported the project">
        Export
      </Button>
      <FileButton
        kind="quiet"
        accept=".json,.ndjson,.jsonl,application/json,image/png,image/jpeg,image/gif"
        title="A project, a state, resources (JSON or NDJSON) or images. Files can also be dropped on this view."
        isBusy={isImporting}
        onFiles={onFiles}
      >
        Import
      </FileButton>
      <DuplicateProject project={key} />
    </div>
  );
}

/**
 * Imports a file: an archive replaces the project, a state replaces its state, resources (JSON or NDJSON) and images are
 * added. The mock validates the file. Returns what it did, for the user.
 */
export async function importFile(controls: ProjectControl, file: File): Promise<string> {
  const name = file.name.slice(0, 60);
  if (file.type.startsWith("image/")) {
    await controls.images.add({ contentType: file.type, filename: file.name, base64: await base64Of(file) });
    return `Added the image ${name}`;
  }
  const text = await file.text();
  if (/^\s*\{\s*"format"\s*:\s*"resource-mock-archive\//.test(text.slice(0, 1000))) {
    await controls.restoreArchive(text);
    return `Restored the project from ${name}`;
  }
  const values = parsedLines(text);
  const [first] = values;
  if (values.length === 1 && isState(first)) {
    await controls.state.import(first);
    return `Imported ${counted(first.resources.length)} from ${name}`;
  }
  return `Added ${counted((await controls.seed(resourcesIn(values))).length)} from ${name}`;
}

/** Returns the resources in parsed JSON values: single ones, lists, and those of a state. */
export function resourcesIn(values: readonly unknown[]): RecordDraft[] {
  return values.flatMap((value) => (isState(value) ? value.resources : value)) as RecordDraft[];
}

function isState(value: unknown): value is StateDocument {
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
