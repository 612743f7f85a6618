import { useId, useState } from "preact/hooks";
import { Failure, useAction } from "./action.tsx";

interface JsonFormProps {
  readonly label: string;
  readonly initial: unknown;
  /** What the button says. */
  readonly submit: string;
  /** Called with what was written. */
  readonly onSubmit: (value: unknown) => Promise<unknown>;
}

/** A JSON value to be written by hand and sent; what is no JSON is not sent. */
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
      <button type="submit" disabled={action.isUnderWay}>
        {submit}
      </button>
    </form>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`This is not JSON: ${(error as Error).message}`);
  }
}
