import { useRef } from "preact/hooks";
import type { RecordDraft } from "../../../control/client/index.ts";
import { useProject } from "../live/session.ts";
import { Failure, useAction } from "../parts/action.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useDraft } from "../parts/drafts.ts";
import { parsedIn } from "../parts/json-form.tsx";
import { parsedLines } from "../parts/json-text.ts";
import { useToasts } from "../parts/toasts.tsx";
import { counted } from "./deletion.ts";
import { resourcesIn } from "./import-file.ts";
import { Locations } from "./locations.tsx";

const example = JSON.stringify(
  { key: "my-key", objectTypeProperty: { arrayOfStringExample: ["linen"] } },
  undefined,
  2,
);

interface AddProps {
  readonly project: string;
  readonly onClose: () => void;
}

/** A dialog that adds resources: from pasted JSON, or generated. */
export function AddResources({ project, onClose }: AddProps) {
  const controls = useProject(project);
  const toasts = useToasts();
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useDraft(`${project} new resources`, example);
  const [count, setCount] = useDraft(`${project} generated count`, "10");
  const [seed, setSeed] = useDraft(`${project} generated seed`, "");
  const adding = useAction();
  const generating = useAction();

  const close = (added: number) => {
    onClose();
    toasts.show(`Added ${counted(added)}`);
  };
  const add = async () => {
    const drafts = resourcesIn(parsedIn(area.current, text, parsedLines));
    // A single resource is sent as such, so that a pointer in an error leads to its location in the text.
    const [only] = drafts;
    await (drafts.length === 1 && text.trimStart().startsWith("{")
      ? controls.seed(only as RecordDraft)
      : controls.seed(drafts));
    setText(undefined);
    close(drafts.length);
  };
  const generate = async () => {
    const generated = await controls.seed({
      generate: Number(count),
      ...(seed.trim() !== "" && { seed: Number(seed) }),
    });
    close(generated.length);
  };
  const submit = (action: ReturnType<typeof useAction>, run: () => Promise<void>) => (event: Event) => {
    event.preventDefault();
    void action.run(run);
  };
  return (
    <Dialog title="Add resources" kind="wide" onClose={onClose}>
      <form class="json-form" onSubmit={submit(adding, add)}>
        <label for="new-resources">
          Paste a resource, an array of resources, or NDJSON with one resource in each line
        </label>
        <textarea
          ref={area}
          id="new-resources"
          spellcheck={false}
          rows={12}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <Failure of={adding} />
        <Locations of={adding} area={area} />
        <div class="bar">
          <button type="submit" class="primary" aria-disabled={adding.isInProgress || undefined}>
            Add resources
          </button>
          <span class="quiet">All are added, or none.</span>
        </div>
      </form>
      <h3>Generate resources</h3>
      <form onSubmit={submit(generating, generate)}>
        <div class="bar fields">
          <label>
            Number
            <input
              type="number"
              min="1"
              max="5000"
              required
              value={count}
              onInput={(event) => setCount(event.currentTarget.value)}
            />
          </label>
          <label>
            Seed
            <input
              type="number"
              min="0"
              placeholder="default"
              value={seed}
              onInput={(event) => setSeed(event.currentTarget.value)}
            />
          </label>
          <button type="submit" aria-disabled={generating.isInProgress || undefined}>
            Generate
          </button>
        </div>
        <Failure of={generating} />
      </form>
    </Dialog>
  );
}
