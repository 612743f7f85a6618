import { ControlError } from "../../../control/client/index.ts";
import { useDraft } from "../parts/drafts.ts";

/** A stored JSON value. The tag differs if the value differs. */
export interface Stored {
  readonly value: unknown;
  readonly tag: string;
}

/** A text that the user edits, and the stored value that the text began with. */
interface Draft {
  readonly text: string;
  readonly base: Stored | undefined;
}

export interface Editing {
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
  const [draft, setDraft] = useDraft<Draft | undefined>(name, undefined);
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
