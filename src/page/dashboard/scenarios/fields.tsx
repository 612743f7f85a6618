import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { type At, isJsonText, pointerOf, readText, textOf, valueAt, without, withValue } from "./edit.ts";
import { useForm } from "./form.ts";

interface FieldProps {
  readonly label: string;
  /** The place of the value in the rule. */
  readonly at: At;
  /** Whether the label is only for assistive technology, as the row shows what the field is. */
  readonly isBare?: boolean;
}

/** A label, a control and the errors at its place. */
export function Field({ label, at, isBare, children }: FieldProps & { children: (id: FieldIds) => ComponentChildren }) {
  const id = useId();
  const errors = useForm().errorsAt(at);
  const described = errors.length > 0 ? `${id}-error` : undefined;
  return (
    <div class={isBare ? "rule-field bare" : "rule-field"}>
      <label for={id} class={isBare ? "hidden" : undefined}>
        {label}
      </label>
      <div>
        {children({ id, "aria-describedby": described, "aria-invalid": described ? true : undefined })}
        {described && (
          <p class="failure" id={described} role="alert">
            {errors.join("\n")}
          </p>
        )}
      </div>
    </div>
  );
}

/** The attributes that join a control with its label and its errors. */
export interface FieldIds {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

interface NumberProps extends FieldProps {
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | "any";
  readonly placeholder?: string;
  /** Whether removing the value also removes the object around it, if that is empty then. */
  readonly isAlone?: boolean;
}

/** A field for a number. An empty field removes the value. */
export function NumberField({ min = 0, step = 1, max, placeholder, isAlone, ...field }: NumberProps) {
  const { rule, change } = useForm();
  const value = valueAt(rule, field.at);
  const [typed, setTyped] = useState<string>();
  return (
    <Field {...field}>
      {(ids) => (
        <input
          {...ids}
          type="number"
          min={min}
          max={max}
          step={step}
          placeholder={placeholder}
          // The text as typed stays while it has the same value, such as 0.0 on the way to 0.05.
          value={typeof value !== "number" ? "" : typed && Number(typed) === value ? typed : value}
          onInput={({ currentTarget: { value: text, validity } }) => {
            // The browser reports "" while the text is no number, for instance "-".
            if (validity.badInput) return;
            setTyped(text);
            const isItem = typeof field.at.at(-1) === "number";
            if (text !== "") change(withValue(rule, field.at, Number(text)), field.at);
            // Without an item, the next one would take its place.
            else if (isItem) change(withValue(rule, field.at, null), field.at);
            else change(isAlone ? without(rule, field.at) : withValue(rule, field.at, undefined), field.at);
          }}
        />
      )}
    </Field>
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
    <Field {...field}>
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map(([option, label]) => (
            <option key={option} value={option}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface TextProps extends FieldProps {
  /** Whether the text can be any JSON value, as in the body of a request. */
  readonly isJson?: boolean;
  readonly placeholder?: string;
}

/** A field for a text, in one line. */
export function TextField({ isJson, placeholder, ...field }: TextProps) {
  const { rule, change } = useForm();
  const value = valueAt(rule, field.at);
  const [typed, setTyped] = useState<string>();
  // The text as typed stays while it has the same value, such as 1.0 on the way to 1.05.
  const isTyped = typed !== undefined && textOf(readText(typed)) === textOf(value);
  return (
    <Field {...field}>
      {(ids) => (
        <input
          {...ids}
          class="mono"
          spellcheck={false}
          placeholder={placeholder}
          value={isJson ? (isTyped ? typed : textOf(value)) : String(value ?? "")}
          onInput={({ currentTarget: { value: text } }) => {
            change(withValue(rule, field.at, isJson ? readText(text) : text), field.at);
            setTyped(text);
          }}
        />
      )}
    </Field>
  );
}

/** The longest text in a field, in UTF-16 units. Layout of a longer one would block the page. */
const MAX_TEXT = 100_000;

/** A field for a long text: JSON, which must be valid before the rule can be saved, or plain text. */
export function BodyField({ isJson, ...field }: FieldProps & { isJson: boolean }) {
  const { rule, change, texts } = useForm();
  const value = valueAt(rule, field.at);
  const typed = texts[pointerOf(field.at)];
  const isTyped = typed !== undefined && (!isJsonText(typed) || textOf(readText(typed)) === textOf(value));
  const text = isJson ? (isTyped ? typed : (JSON.stringify(value, undefined, 2) ?? "")) : String(value ?? "");
  if (text.length > MAX_TEXT && !isTyped) {
    return (
      <div class="rule-field">
        <span class="rule-label">{field.label}</span>
        <p class="quiet">{text.length.toLocaleString("en")} characters. Edit this body in the JSON.</p>
      </div>
    );
  }
  return (
    <Field {...field}>
      {(ids) => (
        <textarea
          {...ids}
          spellcheck={false}
          rows={Math.min(text.split("\n").length + 1, 16)}
          value={text}
          onInput={({ currentTarget: { value: next } }) => {
            if (!isJson) return change(withValue(rule, field.at, next), field.at);
            change(isJsonText(next) ? withValue(rule, field.at, JSON.parse(next)) : rule, field.at, next);
          }}
        />
      )}
    </Field>
  );
}

/** A checkbox that adds a value to the rule, or removes it. */
export function CheckField({ value, ...field }: FieldProps & { value: unknown }) {
  const { rule, change } = useForm();
  const isSet = valueAt(rule, field.at) !== undefined;
  return (
    <Field {...field}>
      {(ids) => (
        <input
          {...ids}
          type="checkbox"
          checked={isSet}
          onChange={() => change(isSet ? without(rule, field.at) : withValue(rule, field.at, value), field.at)}
        />
      )}
    </Field>
  );
}
