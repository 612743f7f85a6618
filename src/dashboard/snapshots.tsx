import { useState } from "preact/hooks";
import { Button, Failure, useAction } from "./action.tsx";
import { useLoaded } from "./loaded.ts";
import { concerns, useProject } from "./session.ts";

/** The snapshots of a project, with controls to take, restore and delete them. */
export function Snapshots({ project }: { project: string }) {
  const controls = useProject(project);
  const action = useAction();
  const [name, setName] = useState("");
  const snapshots = useLoaded(
    () => controls.snapshots.list(),
    (event) => (event.type === "snapshots" || event.type === "reset") && concerns(event, project),
  );

  const take = (event: Event) => {
    event.preventDefault();
    void action.run(() => controls.snapshot(name)).then((done) => done && setName(""));
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
            <Button action={action} run={() => controls.snapshots.delete(name)} label={`Delete ${name}`}>
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
