import type { ComponentChildren } from "preact";
import { ControlError } from "../../../control/client/index.ts";
import { Form, PlainButton, useAction } from "../parts/action.tsx";
import { useDraft } from "../parts/fields.tsx";

/** A stored JSON value. The tag differs if the value differs. */
export interface Stored {
  readonly value: unknown;
  readonly tag: string;
}

interface Editing {
  readonly text: string;
  readonly isChanged: boolean;
  /** The stored value that the text began with; undefined if there was none. */
  readonly base: Stored | undefined;
  /** Whether another client has changed or deleted the stored value since. */
  readonly isOutdated: boolean;
  setText(text: string): void;
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

interface EditProps {
  readonly noun: string;
  readonly editing: Editing;
  readonly stored: Stored | undefined;
  readonly save: () => Promise<unknown>;
  readonly children: ComponentChildren;
  readonly more?: ComponentChildren;
}

/** The form of a stored value. It says so if another client has changed the value meanwhile, and then overwrites that. */
export function EditForm({ noun, editing, stored, save, children, more }: EditProps) {
  const saving = useAction();
  const { isChanged, isOutdated } = editing;
  const discard = () => {
    editing.discard();
    saving.clear();
  };
  return (
    <Form
      run={save}
      action={saving}
      submit={!isOutdated ? "Save" : stored ? "Overwrite" : "Create again"}
      disabled={!isChanged}
      more={
        <>
          {isChanged && <PlainButton onClick={discard}>Discard changes</PlainButton>}
          {more}
        </>
      }
    >
      {isOutdated && !saving.isInProgress && (
        <p class="notice" role="status">
          Another client has {stored ? "changed" : "deleted"} this {noun} meanwhile. Your text is not saved.
        </p>
      )}
      {children}
    </Form>
  );
}
