import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";
import { parsedJson } from "../parts/json-text.ts";
import { Loading } from "../parts/loading.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { Outdated, type Stored, useEditing } from "./editing.tsx";

/** The body of the custom action, with a form to set and delete it. */
export function NamespaceAction({ project }: { project: string }) {
  const controls = useProject(project);
  const action = useLoaded(
    async () => {
      const { body } = await controls.namespaceAction.get();
      return { stored: body === undefined ? undefined : { value: body, tag: JSON.stringify(body) } };
    },
    on(project, "state", "rewound"),
  );
  return (
    <section aria-label="Namespace action">
      <p class="quiet">
        <code>GET …/namespace-action</code> returns the last body that a client has sent to{" "}
        <code>POST …/namespace-action</code>. Without such a body, it returns its fixture.
      </p>
      <Loading of={action}>
        {({ stored }) => <Value project={project} stored={stored} reload={action.reload} />}
      </Loading>
    </section>
  );
}

interface ValueProps {
  readonly project: string;
  readonly stored: Stored | undefined;
  readonly reload: () => Promise<void>;
}

function Value({ project, stored, reload }: ValueProps) {
  const controls = useProject(project);
  const toasts = useToasts();
  const saving = useAction();
  const editing = useEditing(`${project} namespace action`, stored, "{}");

  const save = async () => {
    await controls.namespaceAction.set(parsedJson(editing.text));
    await reload();
    editing.discard();
    toasts.show("Saved");
  };
  const clear = async () => {
    if (!stored) return;
    await controls.namespaceAction.clear();
    await reload();
    toasts.show("Deleted the value", () => controls.namespaceAction.set(stored.value));
  };
  return (
    <>
      {editing.isOutdated && !saving.isInProgress && (
        <Outdated noun="value" editing={editing} stored={stored} overwrite={save} />
      )}
      <form
        class="json-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!editing.isOutdated) void saving.run(save);
        }}
      >
        <label for="namespace-action">{stored ? "Stored value" : "No stored value: the fixture is returned"}</label>
        <textarea
          class="mono"
          id="namespace-action"
          spellcheck={false}
          rows={Math.min(Math.max(editing.text.split("\n").length + 1, 6), 24)}
          value={editing.text}
          onInput={(event) => editing.setText(event.currentTarget.value)}
        />
        <Failure of={saving} />
        <div class="bar">
          <button type="submit" class="primary" aria-disabled={saving.isInProgress || editing.isOutdated || undefined}>
            Save
          </button>
          <Button run={clear} kind="quiet" disabled={!stored}>
            Delete the value
          </Button>
        </div>
      </form>
    </>
  );
}
