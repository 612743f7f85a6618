import { useRef } from "preact/hooks";
import { useLoaded, useProject } from "../live/session.ts";
import { Button, Form, Loading, useUndoable } from "../parts/action.tsx";
import { TextField, useDraft } from "../parts/fields.tsx";
import { Item } from "../parts/layout.tsx";
import { counted, Time } from "../parts/text.tsx";

/** The named states of a project, with controls to take, to restore and to delete them. */
export function Snapshots() {
  const controls = useProject();
  const { key } = controls;
  const undoable = useUndoable();
  const list = useRef<HTMLDivElement>(null);
  const [name, setName, , settle] = useDraft(`${key} snapshot`, "");
  const snapshots = useLoaded(() => controls.snapshots.list(), ["snapshots"]);

  const take = async () => {
    await controls.snapshot(name.trim());
    settle();
    await snapshots.reload();
  };
  const restore = (name: string) => undoable(key, () => controls.restore(name), `Restored ${name.slice(0, 60)}`);
  const remove = async (name: string) => {
    await undoable(key, () => controls.snapshots.delete(name), "Deleted the snapshot");
    await snapshots.reload();
    list.current?.focus();
  };
  return (
    <div ref={list} tabIndex={-1}>
      <p class="quiet">A snapshot keeps all items of the project. A reset keeps the snapshots.</p>
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
        {(all) => (
          <ul class="plain items">
            {[...all].reverse().map(({ name, resources, takenAt }) => (
              <Item
                key={name}
                title={<b>{name}</b>}
                about={
                  <>
                    {counted(resources, "item")}, <Time of={takenAt} as="full" />
                  </>
                }
              >
                <Button run={() => restore(name)} label={`Restore ${name}`}>
                  Restore
                </Button>
                <Button run={() => remove(name)} label={`Delete ${name}`} kind="quiet">
                  Delete
                </Button>
              </Item>
            ))}
          </ul>
        )}
      </Loading>
    </div>
  );
}
