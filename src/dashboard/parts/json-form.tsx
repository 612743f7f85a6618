import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Failure, useAction } from "./action.tsx";
import { useDraft } from "./drafts.ts";

interface JsonFormProps {
  /** The name of the draft, unique on the page; see `useDraft`. */
  readonly draft: string;
  readonly label: string;
  readonly initial: unknown;
  /** The text of the button. */
  readonly submit: string;
  /** The toast for a success. */
  readonly done?: string;
  /** Called with the parsed JSON value. */
  readonly onSubmit: (value: unknown) => Promise<unknown>;
  /** Further controls beside the button. */
  readonly children?: ComponentChildren;
}

/** A form for a JSON value. Shows an error for invalid JSON and does not submit it. The text stays until it is sent. */
export function JsonForm({ draft, label, initial, submit, done, onSubmit, children }: JsonFormProps) {
  const [text, setText] = useDraft(draft, JSON.stringify(initial, undefined, 2));
  const action = useAction();
  const id = useId();

  const send = async (event: Event) => {
    event.preventDefault();
    const isDone = await action.run(async () => onSubmit(parsedJson(text)), done);
    if (isDone) setText(undefined);
  };
  return (
    <form class="json-form" onSubmit={(event) => void send(event)}>
      <label for={id}>{label}</label>
      <textarea
        id={id}
        spellcheck={false}
        rows={Math.min(text.split("\n").length + 1, 24)}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Failure of={action} />
      <div class="bar">
        <button type="submit" class="primary" aria-disabled={action.isInProgress || undefined}>
          {submit}
        </button>
        {children}
      </div>
    </form>
  );
}

/** Returns the parsed JSON value. Throws an error for the user. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`Invalid JSON: ${(error as Error).message}`);
  }
}
