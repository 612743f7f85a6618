import { useId, useState } from "preact/hooks";
import { Failure, useAction } from "./action.tsx";

interface JsonFormProps {
  readonly label: string;
  readonly initial: unknown;
  /** The text of the button. */
  readonly submit: string;
  /** Called with the parsed JSON value. */
  readonly onSubmit: (value: unknown) => Promise<unknown>;
}

/** A form for a JSON value. Shows an error for invalid JSON and does not submit it. */
export function JsonForm({ label, initial, submit, onSubmit }: JsonFormProps) {
  const [text, setText] = useState(() => JSON.stringify(initial, undefined, 2));
  const action = useAction();
  const id = useId();

  const send = (event: Event) => {
    event.preventDefault();
    void action.run(async () => onSubmit(parsed(text)));
  };
  return (
    <form class="json-form" onSubmit={send}>
      <label for={id}>{label}</label>
      <textarea
        id={id}
        spellcheck={false}
        rows={Math.min(text.split("\n").length + 1, 24)}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Failure of={action} />
      <button type="submit" disabled={action.isInProgress}>
        {submit}
      </button>
    </form>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`Invalid JSON: ${(error as Error).message}`);
  }
}
