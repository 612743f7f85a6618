import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Button, Loading } from "../parts/action.tsx";
import { TextArea } from "../parts/fields.tsx";
import { parsedJson } from "../parts/text.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { EditForm, type Stored, useEditing } from "./editing.tsx";

/** The body of the custom action, with a form to set and delete it. */
export function NamespaceAction() {
  const controls = useProject();
  const action = useLoaded(async () => {
    const { body } = await controls.namespaceAction.get();
    return { stored: body === undefined ? undefined : { value: body, tag: JSON.stringify(body) } };
  }, ["state", "rewound"]);
  return (
    <section aria-label="Namespace action">
      <p class="quiet">
        <code>GET …/namespace-action</code> returns the last body that a client has sent to{" "}
        <code>POST …/namespace-action</code>. Without such a body, it returns its fixture.
      </p>
      <Loading of={action}>{({ stored }) => <Value stored={stored} reload={action.reload} />}</Loading>
    </section>
  );
}

function Value({ stored, reload }: { readonly stored: Stored | undefined; readonly reload: () => Promise<void> }) {
  const controls = useProject();
  const toasts = useToasts();
  const editing = useEditing(`${controls.key} namespace action`, stored, "{}");

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
  const more = (
    <Button run={clear} kind="quiet" disabled={!stored}>
      Delete the value
    </Button>
  );
  return (
    <EditForm noun="value" {...{ editing, stored, save, more }}>
      <TextArea
        label={stored ? "Stored value" : "No stored value: the fixture is returned"}
        rows={[6, 24]}
        value={editing.text}
        onChange={editing.setText}
      />
    </EditForm>
  );
}
