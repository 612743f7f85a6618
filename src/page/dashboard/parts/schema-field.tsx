import { useRef, useState } from "preact/hooks";
import { isObject, jsonValue, type Schema } from "../../../contract/index.ts";
import { flattened, sampleOf } from "../api/document.ts";
import { type FieldProps, NumberField, SelectField, TextArea, TextField } from "./fields.tsx";
import { JsonEditor } from "./json-editor.tsx";

interface SchemaFieldProps {
  readonly label: string;
  readonly schema: Schema;
  readonly value: unknown;
  /** Called with undefined if the user has emptied an optional member. */
  readonly onChange: (value: unknown) => void;
  readonly isBare?: boolean;
  readonly isOptional?: boolean;
}

/** The fields for a value: an object has a field for each member, a union a choice of the option; others are JSON. */
export function SchemaField({ label, schema, value, onChange, isBare, isOptional = false }: SchemaFieldProps) {
  const options = schema.oneOf ?? schema.anyOf;
  const field = { label, isBare };
  if (options) return <UnionField {...{ ...field, value, onChange, options }} />;
  const [type] = [schema.type ?? []].flat().filter((each) => each !== "null");
  const values = schema.enum ?? (type === "boolean" ? [true, false] : undefined);
  if (values) {
    // Other values than texts as JSON, because 1 and "1" are different values, and "" is a value.
    const areTexts = values.every((each) => typeof each === "string" && each !== "");
    const all = value === undefined ? values : [...values, value];
    const wordsOf = (each: unknown) => (areTexts && typeof each === "string" ? each : (JSON.stringify(each) ?? ""));
    const shown = [...new Set(all.map(wordsOf))];
    return (
      <SelectField
        {...field}
        value={wordsOf(value)}
        options={isOptional || value === undefined ? [["", "not set"], ...shown] : shown}
        onChange={(text) => onChange(all.find((each) => wordsOf(each) === text))}
      />
    );
  }
  switch (type) {
    case "object":
      return <ObjectField {...{ ...field, schema, value, onChange }} />;
    case "integer":
    case "number":
      return (
        <NumberField
          {...{ ...field, value }}
          min={schema.minimum ?? -1e15}
          max={schema.maximum}
          step={type === "integer" ? 1 : "any"}
          // The mock says what it expects in place of no number.
          onChange={(number) => onChange(number ?? (isOptional ? undefined : null))}
          onInexact={onChange}
        />
      );
    case "string":
      return (
        <LinesField
          {...field}
          value={typeof value === "string" ? value : JSON.stringify(value ?? "").replace(/^""$/, "")}
          onChange={(text) => onChange(text === "" && isOptional ? undefined : text)}
        />
      );
    default:
      return schema.type === "null" ? null : <JsonField {...{ label, value, onChange }} />;
  }
}

/** A text, with as many lines as it once had: a field of one line would remove the line breaks. */
function LinesField(props: FieldProps<string>) {
  const hasLines = useRef(false);
  hasLines.current ||= /[\n\r]/.test(props.value);
  return hasLines.current ? <TextArea {...props} rows={[2, 12]} /> : <TextField {...props} />;
}

/** The text as typed stays until it is JSON. */
function JsonField({ label, value, onChange }: Pick<SchemaFieldProps, "label" | "value" | "onChange">) {
  const [typed, setTyped] = useState<string>();
  const change = (text: string) => {
    const next = jsonValue(text);
    setTyped(next === undefined ? text : undefined);
    if (next !== undefined) onChange(next);
  };
  return <JsonEditor label={label} least={1} value={typed ?? JSON.stringify(value, undefined, 2)} onChange={change} />;
}

type UnionProps = Omit<SchemaFieldProps, "schema"> & { readonly options: readonly Schema[] };

function UnionField({ options, ...field }: UnionProps) {
  const { label, value, onChange, isBare } = field;
  const fitting = options.findIndex((option) => fits(option, value));
  const open = options[fitting];
  return (
    <div class="fields">
      <SelectField
        {...{ label, isBare }}
        value={String(fitting)}
        options={options.map((option, index) => [String(index), nameOf(option)] as const)}
        onChange={(index) => onChange(sampleOf(options[Number(index)] ?? {}))}
      />
      {open && <SchemaField {...field} label={open.type === "object" ? "" : label} schema={open} isBare />}
    </div>
  );
}

/** Returns whether a value has the shape of an option: its type, its required members and its fixed values. */
function fits({ type, required = [], properties = {} }: Schema, value: unknown): boolean {
  if (type === "null" || value === null) return type === "null" && value === null;
  if (type !== "object") return Array.isArray(value) ? type === "array" : typeof value === type;
  return (
    isObject(value) &&
    required.every((name) => name in value && (properties[name]?.enum?.includes(value[name]) ?? true))
  );
}

/** Returns the name of an option: its fixed value, or the name of its only member. */
function nameOf({ type, required = [], properties = {}, title }: Schema): string {
  const fixed = Object.values(properties).find((each) => each.enum?.length === 1)?.enum?.[0];
  if (type === "null") return "none";
  return String(fixed ?? title ?? (type === "object" ? required.join(", ") : type) ?? "value");
}

function ObjectField({ label, schema, value, onChange }: SchemaFieldProps) {
  const { properties = {}, required = [] } = schema;
  const members = isObject(value) ? value : {};
  const set = (name: string, next: unknown) => {
    const { [name]: _before, ...others } = members;
    onChange(next === undefined ? others : { ...members, [name]: next });
  };
  return (
    <fieldset class="fields schema-members">
      <legend class={label ? undefined : "hidden"}>{label || "Members"}</legend>
      {Object.entries(properties).map(([name, member]) => (
        <SchemaField
          key={name}
          label={name}
          schema={flattened(member)}
          value={Object.hasOwn(members, name) ? members[name] : undefined}
          onChange={(next) => set(name, next)}
          isOptional={!required.includes(name)}
        />
      ))}
    </fieldset>
  );
}
