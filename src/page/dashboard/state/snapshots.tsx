import { useRef } from "preact/hooks";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";
import { useDraft } from "../parts/drafts.ts";
import { Loading } from "../parts/loading.tsx";
import { Time } from "../parts/time.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { counted } from "./deletion.ts";
import { isAutomatic, useProtection } from "./protect.ts";

/** The snapshots of a project, with controls to take, restore and delete them. */
export function Snapshots({ project }: { project: string }) {
  const controls = useProject(project);
  const toasts = useToasts();
  const protect = useProtection(controls);
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
  const restore = async (name: string) => {
    const undo = await protect(name);
    if (!undo) return;
    await controls.restore(name);
    toasts.show(`Restored ${name.slice(0, 60)}`, undo);
    await snapshots.reload();
  };
  const remove = async (name: string) => {
    await controls.snapshots.delete(name);
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
                      {isAutomatic(name) && ", taken by this page"}
                    </span>
                  </div>
                  <Button run={() => restore(name)} label={`Restore ${name}`}>
                    Restore
                  </Button>
                  <Button
                    run={() => remove(name)}
                    label={`Delete ${name}`}
                    confirm={{ question: `Delete the snapshot ${name}?`, yes: "Delete snapshot" }}
                    done="Deleted the snapshot"
                  >
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
