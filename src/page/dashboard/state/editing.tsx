import { ControlError } from "../../../control/client/index.ts";
import { useDraft } from "../parts/fields.tsx";

/** A stored JSON value. The tag differs if the value differs. */
export interface Stored {
  readonly value: unknown;
  readonly tag: string;
}

/**
 * Returns the text of a stored JSON value for editing. The text of the user stays until it is discarded, also if another
 * client changes the value.
 */
export function useEditing(name: string, stored: Stored | undefined) {
  const [draft, setDraft] = useDraft<{ text: string; base: Stored | undefined } | undefined>(name, undefined);
  const initial = (of: Stored | undefined) => (of ? JSON.stringify(of.value, undefined, 2) : "");
  const base = draft ? draft.base : stored;
  return {
    text: draft?.text ?? initial(stored),
    isChanged: draft !== undefined,
    /** The stored value that the text began with; undefined if there was none. */
    base,
    /** Whether another client has changed or deleted the stored value since. */
    isOutdated: draft !== undefined && base?.tag !== stored?.tag,
    setText: (text: string) =>
      setDraft(text === initial(base) && base?.tag === stored?.tag ? undefined : { text, base }),
    discard: () => setDraft(undefined),
  };
}

/** Returns whether a call failed because another client has changed the value since it was read. */
export function hasChanged(error: unknown): boolean {
  return error instanceof ControlError && error.status === 412;
}
