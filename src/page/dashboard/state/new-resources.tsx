import type { RecordDraft } from "../../../control/client/index.ts";
import { useProject } from "../live/session.ts";
import { Failure, useAction } from "../parts/action.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useDraft } from "../parts/drafts.ts";
import { NumberField } from "../parts/fields.tsx";
import { parsedLines } from "../parts/json-text.ts";
import { useToasts } from "../parts/toasts.tsx";
import { counted } from "./paging.tsx";
import { ResourceForm } from "./resource-form.tsx";
import { deleteResources, resourcesIn } from "./resources-of.ts";

const example = JSON.stringify(
  { key: "my-key", objectTypeProperty: { arrayOfStringExample: ["linen"] } },
  undefined,
  2,
);

interface NewResourcesProps {
  readonly project: string;
  /** Called with the ids of the new resources, or without any when the user closes the dialog. */
  readonly onClose: (ids?: readonly string[]) => void;
}

/** A dialog that adds resources: from a form, from JSON, or generated. */
export function NewResources({ project, onClose }: NewResourcesProps) {
  const controls = useProject(project);
  const toasts = useToasts();
  const [text, setText] = useDraft(`${project} new resources`, example);
  const [count, setCount] = useDraft<number | undefined>(`${project} generated count`, 10);
  const [seed, setSeed] = useDraft<number | undefined>(`${project} generated seed`, undefined);
  const adding = useAction();
  const generating = useAction();

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
  const submit = (action: ReturnType<typeof useAction>, run: () => Promise<void>) => (event: Event) => {
    event.preventDefault();
    void action.run(run);
  };
  return (
    <Dialog title="New resource" kind="wide" onClose={() => onClose()}>
      <form onSubmit={submit(adding, add)}>
        <ResourceForm text={text} onChange={setText} />
        <p class="quiet">The JSON can also be an array of resources, or NDJSON with one resource in each line.</p>
        <Failure of={adding} />
        <button type="submit" class="primary" aria-disabled={adding.isInProgress || undefined}>
          Create
        </button>
      </form>
      <h3>Generate resources</h3>
      <form class="bar generate" onSubmit={submit(generating, generate)}>
        <NumberField label="Number" value={count} min={1} max={5000} onChange={setCount} />
        <NumberField label="Seed" value={seed} placeholder="default" onChange={setSeed} />
        <button type="submit" aria-disabled={generating.isInProgress || undefined}>
          Generate
        </button>
        <Failure of={generating} />
      </form>
    </Dialog>
  );
}
