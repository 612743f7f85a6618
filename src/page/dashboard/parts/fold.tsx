import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface FoldProps {
  readonly title: ComponentChildren;
  /** Called only while the part is open. */
  readonly children: () => ComponentChildren;
}

/** A part of the page that is closed at first. */
export function Fold({ title, children }: FoldProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}
