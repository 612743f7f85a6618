import { useState } from "preact/hooks";
import { useSession } from "../live/session.ts";
import { Failure, useAction } from "../parts/action.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/fields.tsx";
import { navigate } from "../route.ts";

/** A button that creates a project and opens its state. */
export function NewProject({ onCreated }: { readonly onCreated?: () => void }) {
  const { client } = useSession();
  const action = useAction();
  const [isOpen, setOpen] = useState(false);
  const [key, setKey] = useState("demo");
  const create = async () => {
    // A call that changes something creates the project, as the first request would.
    const isDone = await action.run(() => client.project(key.trim()).settings.set({}));
    if (!isDone) return;
    setOpen(false);
    navigate({ project: key.trim(), view: "state" });
    onCreated?.();
  };
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        New project
      </button>
      {isOpen && (
        <Dialog title="New project" onClose={() => setOpen(false)}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void create();
            }}
          >
            <TextField label="Project key" value={key} onChange={setKey} />
            <p class="quiet">
              The client under test uses the address {location.origin}/{key.trim()}.
            </p>
            <Failure of={action} />
            <div class="bar end">
              <button type="submit" class="primary">
                Create project
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
