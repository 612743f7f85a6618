import type { RecordDraft } from "../../../control/client/index.ts";
import { useProject } from "../live/session.ts";
import { Form } from "../parts/action.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { NumberField, useDraft } from "../parts/fields.tsx";
import { counted, parsedLines } from "../parts/text.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { ResourceForm } from "./resource-form.tsx";
import { deleteResources, resourcesIn } from "./resources-of.ts";

const example = JSON.stringify(
  { key: "my-key", objectTypeProperty: { arrayOfStringExample: ["linen"] } },
  undefined,
  2,
);

/**
 * A dialog that adds resources: from a form, from JSON, or generated. Calls `onClose` with the ids of the new resources,
 * or without any when the user closes it.
 */
export function NewResources({ onClose }: { readonly onClose: (ids?: readonly string[]) => void }) {
  const controls = useProject();
  const toasts = useToasts();
  const [text, setText] = useDraft(`${controls.key} new resources`, example);
  const [count, setCount] = useDraft<number | undefined>(`${controls.key} generated count`, 10);
  const [seed, setSeed] = useDraft<number | undefined>(`${controls.key} generated seed`, undefined);

  const close = (added: readonly { readonly id: string }[]) => {
    const ids = added.map(({ id }) => id);
    onClose(ids);
    toasts.show(`Added ${counted(ids.length)}`, () => deleteResources(controls, ids));
  };
  const add = async () => {
    const drafts = resourcesIn(parsedLines(text));
    // A single resource is sent as such, so that the pointer in an error is the one in the text.
    const isOne = drafts.length === 1 && text.trimStart().startsWith("{");
    const added = isOne ? [await controls.seed(drafts[0] as RecordDraft)] : await controls.seed(drafts);
    setText(undefined);
    close(added);
  };
  const generate = async () =>
    close(await controls.seed({ generate: count ?? 0, ...(seed !== undefined && { seed }) }));
  return (
    <Dialog title="New resource" kind="wide" onClose={() => onClose()}>
      <Form run={add} submit="Create">
        <ResourceForm text={text} onChange={setText} />
        <p class="quiet">The JSON can also be an array of resources, or NDJSON with one resource in each line.</p>
      </Form>
      <h3>Generate resources</h3>
      <Form isLine run={generate} submit="Generate">
        <NumberField label="Number" value={count} min={1} max={5000} onChange={setCount} />
        <NumberField label="Seed" value={seed} placeholder="default" onChange={setSeed} />
      </Form>
    </Dialog>
  );
}
