import type { JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { changedNumberText, isLossless } from "../../../contract/index.ts";

interface FieldProps<Value, Next = Value> {
  readonly label: string;
  readonly hint?: string;
  /** Whether the label is only for assistive technology, as the row shows what the field is. */
  readonly isBare?: boolean;
  readonly value: Value;
  readonly onChange: (value: Next) => void;
}

type LabelProps = Pick<FieldProps<unknown>, "label" | "hint" | "isBare">;

/** A control with a label above it, or with an accessible name only. */
function Labelled({ label, hint, isBare, children }: LabelProps & { children: (name: object) => JSX.Element }) {
  const id = useId();
  if (isBare) return children({ "aria-label": label });
  return (
    <div class="field">
      <label for={id}>
        {label} {hint && <span class="quiet">{hint}</span>}
      </label>
      {children({ id })}
    </div>
  );
}

interface NumberProps extends FieldProps<unknown, number | undefined> {
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | "any";
  readonly placeholder?: string;
}

/** A field for a number. One that JavaScript would change is NaN, so that no other number is stored, and has an error. */
export function NumberField({ value, onChange, min = 0, max, step = 1, placeholder, ...field }: NumberProps) {
  const [typed, setTyped] = useState<string>();
  const error = useId();
  // JSON has null in place of NaN.
  const isRefused = typed !== undefined && !isLossless(typed) && (value === null || Number.isNaN(value));
  const isTyped = isRefused || (typed && Number(typed) === value);
  return (
    <Labelled {...field}>
      {(name) => (
        <>
          <input
            {...name}
            {...{ min, max, step, placeholder }}
            type="number"
            aria-invalid={isRefused || undefined}
            aria-describedby={isRefused ? error : undefined}
            // The text as typed stays while it has the same value, such as 0.0 on the way to 0.05.
            value={isTyped ? typed : typeof value === "number" ? value : ""}
            onInput={({ currentTarget: { value: text, validity } }) => {
              // The browser reports "" while the text is no number, for instance "-".
              if (validity.badInput) return;
              setTyped(text);
              onChange(text === "" ? undefined : isLossless(text) ? Number(text) : Number.NaN);
            }}
          />
          {isRefused && (
            <p class="failure" role="alert" id={error}>
              {changedNumberText(typed)}
            </p>
          )}
        </>
      )}
    </Labelled>
  );
}

interface SelectProps extends FieldProps<string> {
  readonly options: readonly (string | readonly [value: string, label: string])[];
  readonly required?: boolean;
}

export function SelectField({ options, value, onChange, required, ...field }: SelectProps) {
  return (
    <Labelled {...field}>
      {(name) => (
        <select {...name} {...{ value, required }} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map((option) => {
            const [each, label] = typeof option === "string" ? [option, option] : option;
            return (
              <option key={each} value={each}>
                {label}
              </option>
            );
          })}
        </select>
      )}
    </Labelled>
  );
}

export function CheckField({ value, onChange, ...field }: FieldProps<boolean>) {
  return (
    <Labelled {...field}>
      {(name) => <input {...name} type="checkbox" checked={value} onChange={() => onChange(!value)} />}
    </Labelled>
  );
}

interface TextProps extends FieldProps<string> {
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly suggestions?: readonly string[];
}

export function TextField({ value, onChange, placeholder, required, suggestions = [], ...field }: TextProps) {
  const list = useId();
  return (
    <Labelled {...field}>
      {(name) => (
        <>
          <input
            {...name}
            {...{ value, placeholder, required }}
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

interface AreaProps extends FieldProps<string> {
  /** The least and the most lines. The area is as high as its text within them. */
  readonly rows: readonly [least: number, most: number];
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly isInvalid?: boolean;
}

export function TextArea({ value, onChange, rows: [least, most], isInvalid, ...props }: AreaProps) {
  const { placeholder, required, ...field } = props;
  return (
    <Labelled {...field}>
      {(name) => (
        <textarea
          {...name}
          {...{ value, placeholder, required }}
          spellcheck={false}
          rows={Math.min(Math.max(value.split("\n").length, least), most)}
          aria-invalid={isInvalid || undefined}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

interface SearchProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly placeholder?: string;
  readonly title?: string;
}

export function SearchField({ label, value, onChange, placeholder = label, title }: SearchProps) {
  return (
    <input
      type="search"
      aria-label={label}
      {...{ value, placeholder, title }}
      spellcheck={false}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The pause of the user after which a typed text takes effect, in milliseconds. */
const TYPING_MS = 200;

/**
 * Returns a text that the URL holds, for a search field. What the user types takes effect when the user pauses. `apply`
 * changes the URL, and returns the text that the URL then has. A control that changes the same text calls `take` first:
 * it returns what the user has typed and what has no effect yet, and the field shows the text of the URL again.
 */
export function useTyped(shown: string, apply: (text: string) => string) {
  const [text, setText] = useState(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The text that this field has put into the URL; another one there comes from a link or a button. */
  const sent = useRef(shown);
  /** What the user has typed and what has no effect yet. */
  const pending = useRef<string>(undefined);
  const latest = useRef(apply);
  latest.current = apply;
  const take = () => {
    const typed = pending.current;
    clearTimeout(timer.current);
    pending.current = undefined;
    setText(shown);
    return typed;
  };
  useLayoutEffect(() => {
    if (shown !== sent.current) take();
    sent.current = shown;
  }, [shown]);
  useLayoutEffect(() => () => clearTimeout(timer.current), []);
  const onChange = (typed: string) => {
    setText(typed);
    clearTimeout(timer.current);
    pending.current = typed;
    timer.current = setTimeout(() => {
      pending.current = undefined;
      sent.current = latest.current(typed);
    }, TYPING_MS);
  };
  return { field: { value: text, onChange }, take };
}

/** The contents of forms that were not sent yet, by name. They stay when the user opens another view. */
const drafts = new Map<string, unknown>();

/**
 * Returns a value that survives a change of the view, like `useState` otherwise. Set it to `undefined` to return to the
 * initial value. Call `settle` after a call that has sent the value: it removes the draft. What the user has typed since
 * stays, as `kept` returns it. Names must be unique on the page, and name the project.
 */
export function useDraft<T>(
  name: string,
  initial: T,
): [value: T, set: (value: T | undefined) => void, isChanged: boolean, settle: (kept?: (typed: T) => T) => void] {
  const [, render] = useState({});
  const set = (value: T | undefined) => {
    if (value === undefined) drafts.delete(name);
    else drafts.set(name, value);
    render({});
  };
  const isChanged = drafts.has(name);
  const value = isChanged ? (drafts.get(name) as T) : initial;
  const settle = (kept = (typed: T) => typed) => {
    const typed = drafts.get(name) as T | undefined;
    set(typed === undefined || typed === value ? undefined : kept(typed));
  };
  return [value, set, isChanged, settle];
}
