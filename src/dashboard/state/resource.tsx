import type { RecordDraft } from "../../client/types.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";
import { JsonForm } from "../parts/json-form.tsx";
import { hrefOf } from "../route.ts";

/** A stored resource, with controls to edit and delete it. */
export function Resource({ project, id }: { project: string; id: string }) {
  const controls = useProject(project);
  const action = useAction();
  const resource = useLoaded(() => controls.resources.get(id), on(project, "state"));
  const { value, error } = resource;
  return (
    <section class="pane item" aria-label={`Resource ${id}`}>
      <a class="close" href={hrefOf({ project, view: "state" })} aria-label="Close this resource">
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
            draft={`${project} resource ${id}`}
            label={`Version ${value.version}`}
            initial={value}
            submit="Save"
            onSubmit={(draft) => controls.resources.put(id, draft as RecordDraft)}
          />
          <Button
            action={action}
            run={() => controls.resources.delete(id)}
            confirm={{ question: `Delete ${id}?`, yes: "Delete resource" }}
          >
            Delete
          </Button>
        </>
      )}
    </section>
  );
}
