import { cloneElement, type JSX, type VNode } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isLossless } from "../../../contract/index.ts";

export interface FieldProps<Value, Next = Value> {
  readonly label: string;
  readonly hint?: string;
  /** Whether the label is only for assistive technology, as the row shows what the field is. */
  readonly isBare?: boolean;
  readonly value: Value;
  readonly onChange: (value: Next) => void;
}

type LabelProps = Pick<FieldProps<unknown>, "label" | "hint" | "isBare">;

/** A control with a label above it, or with an accessible name only. */
function Labelled({ label, hint, isBare, children }: LabelProps & { readonly children: VNode<object> }) {
  const id = useId();
  if (isBare) return cloneElement(children, { "aria-label": label });
  return (
    <div class="field">
      <label for={id}>
        {label} {hint && <span class="quiet">{hint}</span>}
      </label>
      {cloneElement(children, { id })}
    </div>
  );
}

/** The attributes of a control for typing. */
const typing = (onChange: (text: string) => void) => ({
  spellcheck: false,
  autocomplete: "off",
  onInput: (event: { readonly currentTarget: { readonly value: string } }) => onChange(event.currentTarget.value),
});

type NumberProps = FieldProps<unknown, number | undefined> &
  Pick<JSX.IntrinsicElements["input"], "min" | "max" | "step" | "placeholder"> & {
    /** Called in place of `onChange` with the text of a number that a value in JavaScript cannot hold. */
    readonly onInexact?: (text: string) => void;
  };

/** A field for a number. The text as typed stays while it has the same value, such as 0.0 on the way to 0.05. */
export function NumberField({ value, onChange, onInexact, min = 0, ...props }: NumberProps) {
  const { max, step = 1, placeholder, ...field } = props;
  const [typed, setTyped] = useState<string>();
  const isTyped = typed && (Number(typed) === value || typed === value);
  const shown = isTyped ? typed : typeof value === "number" ? value : "";
  return (
    <Labelled {...field}>
      <input
        {...{ min, max, step, placeholder }}
        type="number"
        value={shown}
        onInput={({ currentTarget: { value: text, validity } }) => {
          // The browser reports "" while the text is no number, for instance "-".
          if (validity.badInput) return;
          setTyped(text);
          if (onInexact && !isLossless(text)) onInexact(text);
          else onChange(text === "" ? undefined : Number(text));
        }}
      />
    </Labelled>
  );
}

interface SelectProps extends FieldProps<string> {
  readonly options: readonly (string | readonly [value: string, label: string])[];
  readonly required?: boolean;
}

export function SelectField({ options, value, onChange, required, ...field }: SelectProps) {
  const all = options.map((option) => (typeof option === "string" ? [option, option] : option));
  return (
    <Labelled {...field}>
      <select {...{ value, required }} onChange={(event) => onChange(event.currentTarget.value)}>
        {all.map(([each, label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

interface TextProps extends FieldProps<string>, Pick<JSX.IntrinsicElements["input"], "placeholder" | "title"> {
  readonly required?: boolean;
  readonly suggestions?: readonly string[];
}

export function TextField({ value, onChange, placeholder, required, suggestions = [], ...field }: TextProps) {
  const id = useId();
  const list = suggestions.length > 0 ? id : undefined;
  return (
    <>
      <Labelled {...field}>
        <input class="mono" {...{ value, placeholder, required, list }} {...typing(onChange)} />
      </Labelled>
      {list && (
        <datalist id={list}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  );
}

interface AreaProps extends TextProps {
  /** The least and the most lines. The area is as high as its text within them. */
  readonly rows: readonly [least: number, most: number];
}

export function TextArea({ value, onChange, rows: [least, most], placeholder, required, ...field }: AreaProps) {
  const rows = Math.min(Math.max(value.split("\n").length, least), most);
  return (
    <Labelled {...field}>
      <textarea {...{ value, placeholder, required, rows }} {...typing(onChange)} />
    </Labelled>
  );
}

export function SearchField({ label, value, onChange, placeholder = label, title }: TextProps) {
  return <input type="search" aria-label={label} {...{ value, placeholder, title }} {...typing(onChange)} />;
}

/**
 * Returns a text that the URL holds, for a search field. `apply` changes the URL, and returns the text that the URL then
 * has. Another text there comes from a link or a button, and replaces what the user has typed.
 */
export function useTyped(shown: string, apply: (text: string) => string) {
  const [text, setText] = useState(shown);
  const sent = useRef(shown);
  useLayoutEffect(() => {
    if (shown !== sent.current) setText(shown);
    sent.current = shown;
  });
  const onChange = (typed: string) => {
    setText(typed);
    sent.current = apply(typed);
  };
  return { value: text, onChange };
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
