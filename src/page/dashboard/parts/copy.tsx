import type { ComponentChildren } from "preact";
import { useToasts } from "./toasts.tsx";

/** Copies a text to the clipboard. Returns whether that succeeded. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages without a secure context have no clipboard, so the text is copied by a selection, with the older command.
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}

interface CopyProps {
  readonly children: ComponentChildren;
  /** Returns the text; called on each click. */
  readonly text: () => string;
  readonly label?: string;
  /** The toast; "Copied" by default. */
  readonly done?: string;
  readonly kind?: string;
}

/** A button that copies a text to the clipboard. */
export function CopyButton({ children, text, label, done = "Copied", kind }: CopyProps) {
  const toasts = useToasts();
  const copy = async () => toasts.show((await copyText(text())) ? done : "The browser does not allow to copy");
  return (
    <button type="button" class={kind} onClick={() => void copy()} aria-label={label}>
      {children}
    </button>
  );
}
