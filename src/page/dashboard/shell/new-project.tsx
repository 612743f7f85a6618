import { useState } from "preact/hooks";
import { useSession } from "../live/session.ts";
import { Failure, useAction } from "../parts/action.tsx";
import { TextField } from "../parts/fields.tsx";
import { Menu } from "../parts/menu.tsx";
import { navigate } from "../route.ts";

/** A button that creates a project and opens its state. */
export function NewProject({ onCreated }: { readonly onCreated?: () => void }) {
  const { client } = useSession();
  const action = useAction();
  const [key, setKey] = useState("demo");
  const create = async (close: () => void) => {
    // A call that changes something creates the project, as the first request would.
    const isDone = await action.run(() => client.project(key.trim()).settings.set({}));
    if (!isDone) return;
    close();
    navigate({ project: key.trim(), view: "state" });
    onCreated?.();
  };
  return (
    <Menu
      align="start"
      isForm
      items={(close) => (
        <form
          class="new-project"
          onSubmit={(event) => {
            event.preventDefault();
            void create(close);
          }}
        >
          <TextField label="Project key" value={key} onChange={setKey} />
          <Failure of={action} />
          <button type="submit" class="primary">
            Create project
          </button>
        </form>
      )}
    >
      New project
    </Menu>
  );
}
