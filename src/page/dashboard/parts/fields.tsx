import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { Field } from "./field.tsx";

interface FieldProps {
  readonly label: string;
  /** Whether the label is only for assistive technology, as the row shows what the field is. */
  readonly isBare?: boolean;
}

/** A control with a label above it, or with an accessible name only. */
function Labelled({ label, isBare, children }: FieldProps & { readonly children: (name: object) => JSX.Element }) {
  return isBare ? children({ "aria-label": label }) : <Field label={label}>{children}</Field>;
}

interface NumberProps extends FieldProps {
  readonly value: unknown;
  /** Called with undefined when the field is empty. */
  readonly onChange: (value: number | undefined) => void;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | "any";
  readonly placeholder?: string;
}

/** A field for a number. */
export function NumberField({ value, onChange, min = 0, max, step = 1, placeholder, ...field }: NumberProps) {
  const [typed, setTyped] = useState<string>();
  return (
    <Labelled {...field}>
      {(name) => (
        <input
          {...name}
          {...{ min, max, step, placeholder }}
          type="number"
          // The text as typed stays while it has the same value, such as 0.0 on the way to 0.05.
          value={typeof value !== "number" ? "" : typed && Number(typed) === value ? typed : value}
          onInput={({ currentTarget: { value: text, validity } }) => {
            // The browser reports "" while the text is no number, for instance "-".
            if (validity.badInput) return;
            setTyped(text);
            onChange(text === "" ? undefined : Number(text));
          }}
        />
      )}
    </Labelled>
  );
}

interface SelectProps extends FieldProps {
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field with a list of options. */
export function SelectField({ options, value, onChange, ...field }: SelectProps) {
  return (
    <Labelled {...field}>
      {(name) => (
        <select {...name} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map(([option, label]) => (
            <option key={option} value={option}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

interface CheckProps extends FieldProps {
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}

/** A field for yes or no. */
export function CheckField({ value, onChange, ...field }: CheckProps) {
  return (
    <Labelled {...field}>
      {(name) => <input {...name} type="checkbox" checked={value} onChange={() => onChange(!value)} />}
    </Labelled>
  );
}

interface TextProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  /** Values to choose from. */
  readonly suggestions?: readonly string[];
}

/** A field for a text in one line. */
export function TextField({ value, onChange, placeholder, suggestions = [], ...field }: TextProps) {
  const list = useId();
  return (
    <Labelled {...field}>
      {(name) => (
        <>
          <input
            {...name}
            {...{ value, placeholder }}
            class="mono"
            spellcheck={false}
            autocomplete="off"
            list={suggestions.length > 0 ? list : undefined}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
          {suggestions.length > 0 && (
            <datalist id={list}>
              {suggestions.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Labelled>
  );
}
