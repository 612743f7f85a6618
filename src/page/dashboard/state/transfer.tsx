import { useState } from "preact/hooks";
import { callControl, type ProjectControl, path } from "../../../control/client/index.ts";
import { useSession } from "../live/session.ts";
import { useUndoable } from "../live/undo.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useDraft } from "../parts/drafts.ts";
import { TextField } from "../parts/fields.tsx";
import { FileButton } from "../parts/file-button.tsx";
import { parsedLines } from "../parts/json-text.ts";
import { saveFile } from "../parts/save-file.ts";
import { navigate } from "../route.ts";
import { counted } from "./paging.tsx";
import { isState, resourcesIn } from "./resources-of.ts";

interface TransferProps {
  readonly project: string;
  readonly onFiles: (files: readonly File[]) => void;
  readonly isImporting: boolean;
}

/** Exports the whole project, imports files into it, and duplicates it. */
export function Transfer({ project, onFiles, isImporting }: TransferProps) {
  const { connection } = useSession();
  const [isDuplicating, setDuplicating] = useState(false);
  const save = async () => {
    const response = await callControl(connection, { method: "GET", path: path`/projects/${project}/archive` });
    saveFile(await response.blob(), `${project}.archive.ndjson`);
  };
  return (
    <>
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
      <button type="button" class="quiet" onClick={() => setDuplicating(true)}>
        Duplicate
      </button>
      {isDuplicating && <Duplicate project={project} onClose={() => setDuplicating(false)} />}
    </>
  );
}

/** A dialog that copies the whole project under another key. */
function Duplicate({ project, onClose }: { project: string; onClose: () => void }) {
  const { client } = useSession();
  const undoable = useUndoable();
  const action = useAction();
  const [text, setText] = useDraft(`${project} duplicate`, `${project}-copy`);
  const duplicate = async () => {
    const key = text.trim();
    if (key === project) throw new Error("Project key: expected the key of another project");
    await undoable(key, () => client.project(key).fork(project), `Duplicated ${project} as ${key}`);
    setText(undefined);
    onClose();
    navigate({ project: key, view: "state" });
  };
  return (
    <Dialog title={`Duplicate ${project}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void action.run(duplicate);
        }}
      >
        <p class="quiet">
          The copy has everything of this project, except its tokens. It replaces a project of its key.
        </p>
        <TextField label="Project key" value={text} onChange={setText} />
        <Failure of={action} />
        <div class="bar end">
          <button type="submit" class="primary" aria-disabled={action.isInProgress || undefined}>
            Duplicate
          </button>
        </div>
      </form>
    </Dialog>
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

/** Returns bytes in base64. */
export function base64Of(bytes: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^.*?,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error("The browser cannot read the file"));
    reader.readAsDataURL(bytes);
  });
}
