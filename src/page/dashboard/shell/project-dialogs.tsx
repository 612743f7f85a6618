import { useState } from "preact/hooks";
import { useSession } from "../live/session.ts";
import { Form, PlainButton } from "../parts/action.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/fields.tsx";
import { useUndoable } from "../parts/toasts.tsx";
import { navigate } from "../route.ts";

interface KeyProps {
  readonly label: string;
  readonly title: string;
  readonly initial: string;
  readonly submit: string;
  readonly about: (key: string) => string;
  readonly run: (key: string) => Promise<unknown>;
}

/** A button with a dialog for the key of a new project, whose state it opens then. */
function KeyDialog({ label, title, initial, submit, about, run }: KeyProps) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState(initial);
  const key = text.trim();
  const create = async () => {
    await run(key);
    setOpen(false);
    navigate({ project: key, view: "state" });
  };
  return (
    <>
      <PlainButton onClick={() => setOpen(true)}>{label}</PlainButton>
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          <Form run={create} submit={submit}>
            <TextField label="Project key" value={text} onChange={setText} />
            <p class="quiet">{about(key)}</p>
          </Form>
        </Dialog>
      )}
    </>
  );
}

export function NewProject({ onCreated }: { readonly onCreated?: () => void }) {
  const { client } = useSession();
  return (
    <KeyDialog
      label="New project"
      title="New project"
      initial="demo"
      submit="Create project"
      about={(key) => `The client under test uses the address ${location.origin}/${key}.`}
      run={async (key) => {
        // A call that changes something creates the project, as the first request would.
        await client.project(key).settings.set({});
        onCreated?.();
      }}
    />
  );
}

export function DuplicateProject({ project }: { readonly project: string }) {
  const { client } = useSession();
  const undoable = useUndoable();
  return (
    <KeyDialog
      label="Duplicate"
      title={`Duplicate ${project}`}
      initial={`${project}-copy`}
      submit="Duplicate"
      about={() => "The copy has everything of this project, except its tokens. It replaces a project of its key."}
      run={async (key) => {
        if (key === project) throw new Error("Project key: expected the key of another project");
        await undoable(key, () => client.project(key).fork(project), `Duplicated ${project} as ${key}`);
      }}
    />
  );
}
