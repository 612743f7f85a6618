import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  /** Renders the control, which takes these attributes. */
  readonly children: (attributes: {
    readonly id: string;
    readonly "aria-describedby": string | undefined;
    readonly "aria-invalid": boolean | undefined;
  }) => ComponentChildren;
  /** A short help text below the control. */
  readonly hint?: ComponentChildren;
  /** The error below the control, in place of the hint. */
  readonly error?: string;
}

/** A form field: a label above a control, with a hint or an error below it. */
export function Field({ label, children, hint, error }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-describedby": note === undefined ? undefined : `${id}-note`,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {note !== undefined && (
        <p
          id={`${id}-note`}
          class={error === undefined ? "hint" : "error"}
          role={error === undefined ? undefined : "alert"}
        >
          {note}
        </p>
      )}
    </div>
  );
}
