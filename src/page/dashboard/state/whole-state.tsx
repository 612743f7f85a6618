import { useState } from "preact/hooks";
import { callControl, path } from "../../../control/client/index.ts";
import { useSession } from "../live/session.ts";
import { Button, Failure, isNotFound, useAction } from "../parts/action.tsx";
import { Dialog, useConfirm } from "../parts/dialog.tsx";
import { useDraft } from "../parts/drafts.ts";
import { FileButton } from "../parts/file-button.tsx";
import { saveFile } from "../parts/save-file.ts";
import { useToasts } from "../parts/toasts.tsx";
import { navigate } from "../route.ts";
import { ProjectArchive } from "./archive.tsx";

interface WholeStateProps {
  readonly project: string;
  readonly onFiles: (files: readonly File[]) => void;
  readonly isImporting: boolean;
}

/** Buttons for the state as a whole: export, import and fork. Beside them, those for the whole project. */
export function WholeState({ project, onFiles, isImporting }: WholeStateProps) {
  const { connection } = useSession();
  const [isForking, setForking] = useState(false);
  const save = async () => {
    const response = await callControl(connection, { method: "GET", path: path`/projects/${project}/state` });
    saveFile(await response.blob(), `${project}.state.json`);
  };
  return (
    <>
      <Button run={save} done="Exported the state">
        Export
      </Button>
      <FileButton
        accept=".json,.ndjson,.jsonl,application/json,image/png,image/jpeg,image/gif"
        title="A state, resources (JSON or NDJSON), images or an archive. Files can also be dropped on this view."
        isBusy={isImporting}
        onFiles={onFiles}
      >
        Import…
      </FileButton>
      <button type="button" onClick={() => setForking(true)}>
        Fork as…
      </button>
      <ProjectArchive project={project} />
      {isForking && <Fork project={project} onClose={() => setForking(false)} />}
    </>
  );
}

/** A dialog that copies the state to another project. */
function Fork({ project, onClose }: { project: string; onClose: () => void }) {
  const { client } = useSession();
  const confirm = useConfirm();
  const toasts = useToasts();
  const forking = useAction();
  const [text, setText] = useDraft(`${project} fork`, "");
  const fork = async () => {
    const key = text.trim();
    if (key === project) throw new Error("expected the key of another project");
    const other = client.project(key);
    const exists = await other.summary().then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false;
        throw error;
      },
    );
    const question = `The project ${key} exists. Replace its state?`;
    if (exists && !(await confirm({ question, yes: "Replace its state" }))) return;
    await other.state.fork(project);
    setText(undefined);
    onClose();
    navigate({ project: key, view: "state" });
    toasts.show(`Forked ${project} as ${key}`);
  };
  return (
    <Dialog title={`Fork ${project}`} onClose={onClose}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void forking.run(fork);
        }}
      >
        <p class="quiet">
          The other project gets a copy of the resources, images and the value of the namespace action. Later changes of
          one project do not affect the other.
        </p>
        <label>
          Project key
          <input required value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <Failure of={forking} />
        <div class="bar end">
          <button type="submit" class="primary" aria-disabled={forking.isInProgress || undefined}>
            Fork
          </button>
        </div>
      </form>
    </Dialog>
  );
}
