import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "./action.tsx";

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called when the user closes the dialog, with Escape or a click outside too. Without it, the dialog stays open. */
  readonly onClose?: () => void;
  /** A class for the size and position; centred by default. */
  readonly kind?: "drawer" | "wide" | "palette";
}

/** A modal dialog. It takes the focus, in its first field if it is for typing, and returns it when it closes. */
export function Dialog({ title, children, onClose, kind }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const show = () => {
    dialog.current?.showModal();
    // On a phone, a drawer whose field has the focus would open the keyboard.
    if (dialog.current && kind !== "drawer") focusFirstField(dialog.current);
  };
  const close = () => onClose && dialog.current?.close();
  useLayoutEffect(() => {
    const before = document.activeElement;
    show();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a modal dialog.
    <dialog
      ref={dialog}
      class={kind}
      aria-labelledby={id}
      onCancel={(event) => onClose ?? event.preventDefault()}
      // Browsers close a dialog for a second Escape.
      onClose={onClose ?? show}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog-content">
        <div class="title">
          <h2 id={id}>{title}</h2>
          {onClose && <IconButton label="Close" onClick={close} />}
        </div>
        {children}
      </div>
    </dialog>
  );
}

/** Moves the focus to the first field. Does nothing for a dialog without fields: the focus stays on "Close". */
function focusFirstField(dialog: HTMLElement): void {
  const form = dialog.querySelector("form");
  const field = (form ?? dialog).querySelector<HTMLElement>("input, select, textarea");
  // While the fields are loading, the form starts with its first button.
  (field ?? form?.querySelector("button"))?.focus();
}
