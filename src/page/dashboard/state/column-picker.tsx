import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Column, headingOf } from "./columns.ts";

interface ColumnPickerProps {
  readonly choices: readonly Column[];
  readonly chosen: readonly Column[];
  readonly onChange: (chosen: Column[]) => void;
}

/** A button with a list of checkboxes, one for each column. */
export function ColumnPicker({ choices, chosen, onChange }: ColumnPickerProps) {
  const [isOpen, setOpen] = useState(false);
  const picker = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!isOpen) return;
    const closeOutside = (event: Event) => {
      if (!picker.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", closeOutside);
    return () => removeEventListener("pointerdown", closeOutside);
  }, [isOpen]);
  const closeWithKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isOpen) return;
    event.preventDefault();
    event.stopPropagation();
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the list from each of its checkboxes.
    <div class="picker" ref={picker} onKeyDown={closeWithKey}>
      <button ref={button} type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Columns
      </button>
      {isOpen && (
        <fieldset class="popover">
          <legend class="hidden">Columns</legend>
          {choices
            .filter((column) => column !== "id")
            .map((column) => (
              <label key={column}>
                <input
                  type="checkbox"
                  checked={chosen.includes(column)}
                  onChange={(event) =>
                    onChange(
                      event.currentTarget.checked ? [...chosen, column] : chosen.filter((each) => each !== column),
                    )
                  }
                />
                <span>{headingOf(column).slice(0, 60)}</span>
              </label>
            ))}
        </fieldset>
      )}
    </div>
  );
}
