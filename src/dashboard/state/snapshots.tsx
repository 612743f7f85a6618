import { useState } from "preact/hooks";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";

/** The snapshots of a project, with controls to take, restore and delete them. */
export function Snapshots({ project }: { project: string }) {
  const controls = useProject(project);
  const action = useAction();
  const [name, setName] = useState("");
  const snapshots = useLoaded(() => controls.snapshots.list(), on(project, "snapshots"));

  // The mock sends no event when a snapshot is taken or deleted.
  const change = async (call: Promise<unknown>) => {
    await call;
    await snapshots.reload();
  };
  const take = (event: Event) => {
    event.preventDefault();
    void action.run(() => change(controls.snapshot(name))).then((done) => done && setName(""));
  };
  return (
    <section>
      <h2>Snapshots</h2>
      <Failure of={snapshots} />
      <Failure of={action} />
      <ul class="plain">
        {snapshots.value?.map(({ name, resources, takenAt }) => (
          <li key={name} class="bar">
            <b>{name}</b>
            <span class="quiet">
              {resources} {resources === 1 ? "resource" : "resources"}, {takenAt}
            </span>
            <Button action={action} run={() => controls.restore(name)} label={`Restore ${name}`}>
              Restore
            </Button>
            <Button action={action} run={() => change(controls.snapshots.delete(name))} label={`Delete ${name}`}>
              Delete
            </Button>
          </li>
        ))}
      </ul>
      <form class="bar" onSubmit={take}>
        <input
          required
          aria-label="Name of a new snapshot"
          placeholder="name"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" disabled={action.isInProgress}>
          Take a snapshot
        </button>
      </form>
    </section>
  );
}
