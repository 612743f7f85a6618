import { ControlError } from "../../../control/client/index.ts";
import { Button } from "../parts/action.tsx";
import { DifferenceTable, differencesOf } from "../parts/differences.tsx";
import { useDraft } from "../parts/fields.tsx";
import { Fold, jsonIn, jsonProblem } from "../parts/text.tsx";

/** A stored JSON value. The tag differs if the value differs. */
export interface Stored {
  readonly value: unknown;
  readonly tag: string;
}

interface Editing {
  /** The value as JSON text. */
  readonly text: string;
  /** Whether the user has changed the text. */
  readonly isChanged: boolean;
  /** The stored value that the text began with; undefined if there was none. */
  readonly base: Stored | undefined;
  /** Whether another client has changed or deleted the stored value since. */
  readonly isOutdated: boolean;
  setText(text: string): void;
  /** Returns to the stored value. */
  discard(): void;
}

/**
 * Returns the text of a stored JSON value for editing. The text of the user stays until it is discarded, also if another
 * client changes the value.
 *
 * @param name the name of the draft; see `useDraft`
 * @param stored the stored value; undefined if it does not exist
 * @param empty the text to begin with if there is no stored value
 */
export function useEditing(name: string, stored: Stored | undefined, empty = ""): Editing {
  const [draft, setDraft] = useDraft<{ text: string; base: Stored | undefined } | undefined>(name, undefined);
  const initial = (of: Stored | undefined) => (of ? JSON.stringify(of.value, undefined, 2) : empty);
  const base = draft ? draft.base : stored;
  return {
    text: draft?.text ?? initial(stored),
    isChanged: draft !== undefined,
    base,
    isOutdated: draft !== undefined && base?.tag !== stored?.tag,
    setText: (text) => setDraft(text === initial(base) && base?.tag === stored?.tag ? undefined : { text, base }),
    discard: () => setDraft(undefined),
  };
}

/** Returns whether a call failed because another client has changed the value since it was read. */
export function hasChanged(error: unknown): boolean {
  return error instanceof ControlError && error.status === 412;
}

interface OutdatedProps {
  /** The noun in the text, such as "resource". */
  readonly noun: string;
  readonly editing: Editing;
  /** The stored value; undefined if it was deleted. */
  readonly stored: Stored | undefined;
  /** Writes the text of the user over the stored value. */
  readonly overwrite: () => Promise<unknown>;
}

/** Says that another client has changed the value that the user edits, and lets the user compare and decide. */
export function Outdated({ noun, editing, stored, overwrite }: OutdatedProps) {
  return (
    <section class="notice" aria-label="Changed meanwhile">
      <p role="status">
        Another client has {stored ? "changed" : "deleted"} this {noun} meanwhile. Your text is not saved.
      </p>
      {stored && <Fold title="Compare">{() => <Comparison text={editing.text} stored={stored} />}</Fold>}
      <div class="bar">
        <Button run={overwrite}>{stored ? "Overwrite" : "Create again"}</Button>
        <button type="button" class="quiet" onClick={editing.discard}>
          Discard my text
        </button>
      </div>
    </section>
  );
}

function Comparison({ text, stored }: { readonly text: string; readonly stored: Stored }) {
  const problem = jsonProblem(text);
  if (problem) return <p>Your text cannot be compared. {problem}</p>;
  const differences = differencesOf(stored.value, jsonIn(text));
  if (differences.length === 0) return <p>Your text equals the stored value.</p>;
  return <DifferenceTable before="Stored now" after="Yours" groups={[{ differences }]} />;
}
