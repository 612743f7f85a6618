import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { Failure, useAction } from "./action.tsx";
import { useDraft } from "./drafts.ts";
import { JsonError, parsedJson } from "./json-text.ts";

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

/** A form for a JSON value. Shows the location of an error and does not submit it. The text stays until it is sent. */
export function JsonForm({ draft, label, initial, submit, done, onSubmit, children }: JsonFormProps) {
  const [text, setText] = useDraft(draft, JSON.stringify(initial, undefined, 2));
  const action = useAction();
  const area = useRef<HTMLTextAreaElement>(null);
  const id = useId();

  const send = async (event: Event) => {
    event.preventDefault();
    const isDone = await action.run(async () => onSubmit(parsedIn(area.current, text)), done);
    if (isDone) setText(undefined);
  };
  return (
    <form class="json-form" onSubmit={(event) => void send(event)}>
      <label for={id}>{label}</label>
      <textarea
        ref={area}
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

/** Returns the parsed JSON text of a field. If the JSON is invalid, selects the location and throws JsonError. */
export function parsedIn<T = unknown>(
  area: HTMLTextAreaElement | null,
  text: string,
  parse: (text: string) => T = parsedJson as (text: string) => T,
): T {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof JsonError) selectIn(area, error.index, error.index + 1);
    throw error;
  }
}

/** Selects a part of the text in a field, and scrolls to it. */
export function selectIn(area: HTMLTextAreaElement | null, start: number, end: number): void {
  if (!area) return;
  const lines = area.value.slice(0, start).split("\n").length - 1;
  area.focus();
  area.setSelectionRange(start, end);
  const height = Number.parseFloat(getComputedStyle(area).lineHeight);
  area.scrollTop = Math.max(0, lines * height - area.clientHeight / 2);
}
