import type { RecordDraft } from "../client/types.ts";
import { Button, Failure, useAction } from "./action.tsx";
import { JsonForm } from "./json-form.tsx";
import { useLoaded } from "./loaded.ts";
import { hrefOf } from "./route.ts";
import { concerns, useProject } from "./session.ts";

/** A stored resource, with controls to edit and delete it. */
export function Resource({ project, id }: { project: string; id: string }) {
  const controls = useProject(project);
  const action = useAction();
  const resource = useLoaded(
    () => controls.resources.get(id),
    (event) => event.type === "state" && concerns(event, project),
  );
  const { value, error } = resource;
  return (
    <section class="item" aria-label={`Resource ${id}`}>
      <a class="close" href={hrefOf({ project, part: "state" })} aria-label="Close this resource">
        ×
      </a>
      <h2>{value?.key ?? id}</h2>
      <Failure of={resource} />
      <Failure of={action} />
      {value && error === undefined && (
        <>
          <JsonForm
            // A new version resets the form, so that saving an old edit cannot undo the new version.
            key={value.version}
            label={`Version ${value.version}`}
            initial={value}
            submit="Save"
            onSubmit={(draft) => controls.resources.put(id, draft as RecordDraft)}
          />
          <Button action={action} run={() => controls.resources.delete(id)} confirm={`Delete ${id}?`}>
            Delete
          </Button>
        </>
      )}
    </section>
  );
}
