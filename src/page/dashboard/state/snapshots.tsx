import { useRef } from "preact/hooks";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { useUndoable } from "../live/undo.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";
import { useDraft } from "../parts/drafts.ts";
import { Loading } from "../parts/loading.tsx";
import { Time } from "../parts/time.tsx";
import { counted } from "./paging.tsx";

/** The snapshots of a project, with controls to take, restore and delete them. */
export function Snapshots({ project }: { project: string }) {
  const controls = useProject(project);
  const undoable = useUndoable();
  const taking = useAction();
  const section = useRef<HTMLElement>(null);
  const [name, setName] = useDraft(`${project} snapshot`, "");
  const snapshots = useLoaded(() => controls.snapshots.list(), on(project, "snapshots"));

  const take = (event: Event) => {
    event.preventDefault();
    void taking.run(
      async () => {
        await controls.snapshot(name.trim());
        setName(undefined);
        await snapshots.reload();
      },
      `Took the snapshot ${name.trim().slice(0, 60)}`,
    );
  };
  const restore = (name: string) => undoable(project, () => controls.restore(name), `Restored ${name.slice(0, 60)}`);
  const remove = async (name: string) => {
    await undoable(project, () => controls.snapshots.delete(name), "Deleted the snapshot");
    await snapshots.reload();
    section.current?.focus();
  };
  return (
    <section ref={section} tabIndex={-1} aria-label="Snapshots">
      <p class="quiet">
        A snapshot keeps the resources and images of the project. It copies nothing, and a reset keeps it.
      </p>
      <form class="bar" onSubmit={take}>
        <input
          required
          maxLength={100}
          aria-label="Name of a new snapshot"
          placeholder="Name of a new snapshot"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" class="primary" aria-disabled={taking.isInProgress || undefined}>
          Take a snapshot
        </button>
      </form>
      <Failure of={taking} />
      <Loading of={snapshots}>
        {(list) =>
          list.length === 0 ? (
            <p>No snapshots.</p>
          ) : (
            <ul class="plain snapshots">
              {[...list].reverse().map(({ name, resources, takenAt }) => (
                <li key={name} class="bar">
                  <div class="snapshot">
                    <b>{name}</b>
                    <span class="quiet">
                      {counted(resources)}, <Time of={takenAt} as="full" />
                    </span>
                  </div>
                  <Button run={() => restore(name)} label={`Restore ${name}`}>
                    Restore
                  </Button>
                  <Button run={() => remove(name)} label={`Delete ${name}`} kind="quiet">
                    Delete
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loading>
    </section>
  );
}
