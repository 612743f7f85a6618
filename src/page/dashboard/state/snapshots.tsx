import { useRef } from "preact/hooks";
import { useLoaded, useProject } from "../live/session.ts";
import { Button, Form, Loading, useUndoable } from "../parts/action.tsx";
import { TextField, useDraft } from "../parts/fields.tsx";
import { counted, Time } from "../parts/text.tsx";

export function Snapshots() {
  const controls = useProject();
  const { key } = controls;
  const undoable = useUndoable();
  const section = useRef<HTMLElement>(null);
  const [name, setName] = useDraft(`${key} snapshot`, "");
  const snapshots = useLoaded(() => controls.snapshots.list(), ["snapshots"]);

  const take = async () => {
    await controls.snapshot(name.trim());
    setName(undefined);
    await snapshots.reload();
  };
  const restore = (name: string) => undoable(key, () => controls.restore(name), `Restored ${name.slice(0, 60)}`);
  const remove = async (name: string) => {
    await undoable(key, () => controls.snapshots.delete(name), "Deleted the snapshot");
    await snapshots.reload();
    section.current?.focus();
  };
  return (
    <section ref={section} tabIndex={-1} aria-label="Snapshots">
      <p class="quiet">
        A snapshot keeps the resources and images of the project. It copies nothing, and a reset keeps it.
      </p>
      <Form isLine run={take} submit="Take a snapshot" done={`Took the snapshot ${name.trim().slice(0, 60)}`}>
        <TextField
          label="Name of a new snapshot"
          isBare
          placeholder="Name of a new snapshot"
          value={name}
          onChange={setName}
        />
      </Form>
      <Loading of={snapshots} none={<p>No snapshots.</p>}>
        {(list) => (
          <ul class="plain items">
            {[...list].reverse().map(({ name, resources, takenAt }) => (
              <li key={name}>
                <div class="item-text">
                  <p>
                    <b>{name}</b>
                  </p>
                  <p class="quiet">
                    {counted(resources)}, <Time of={takenAt} as="full" />
                  </p>
                </div>
                <div class="bar">
                  <Button run={() => restore(name)} label={`Restore ${name}`}>
                    Restore
                  </Button>
                  <Button run={() => remove(name)} label={`Delete ${name}`} kind="quiet">
                    Delete
                  </Button>
                </div>
              </li>
            ))}
          </ul>
        )}
      </Loading>
    </section>
  );
}
