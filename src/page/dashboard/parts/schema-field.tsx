import { isObject, type Schema } from "../../../contract/index.ts";
import { sampleOf } from "../api/document.ts";
import { IconButton, PlainButton } from "./action.tsx";
import { CheckField, NumberField, SelectField, TextField } from "./fields.tsx";

interface SchemaFieldProps {
  readonly label: string;
  readonly schema: Schema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly isBare?: boolean;
}

/** The fields for a value of any schema: objects and arrays have fields for their parts, unions a choice of the option. */
export function SchemaField({ label, schema, value, onChange, isBare }: SchemaFieldProps) {
  const options = schema.oneOf ?? schema.anyOf;
  const inner = { label, value, onChange, isBare };
  if (options) return <UnionField {...inner} options={options} />;
  if (schema.enum) {
    return (
      <SelectField
        {...{ label, isBare }}
        value={String(value)}
        options={schema.enum.map((each) => [String(each), String(each)] as const)}
        onChange={(text) => onChange(schema.enum?.find((each) => String(each) === text))}
      />
    );
  }
  switch ([schema.type].flat()[0]) {
    case "null":
      return null;
    case "object":
      return <ObjectField {...inner} schema={schema} />;
    case "array":
      return <ArrayField {...inner} schema={schema} />;
    case "boolean":
      return <CheckField {...{ label, isBare }} value={value === true} onChange={onChange} />;
    case "integer":
    case "number":
      return (
        <NumberField
          {...{ label, isBare, value }}
          min={schema.minimum ?? -1e15}
          max={schema.maximum}
          step={schema.type === "integer" ? 1 : "any"}
          // The mock says what it expects in place of no number.
          onChange={(number) => onChange(number ?? null)}
        />
      );
    default:
      return (
        <TextField
          {...{ label, isBare }}
          value={typeof value === "string" ? value : (JSON.stringify(value) ?? "")}
          onChange={onChange}
        />
      );
  }
}

type UnionProps = Omit<SchemaFieldProps, "schema"> & { readonly options: readonly Schema[] };

function UnionField({ options, ...field }: UnionProps) {
  const { label, value, onChange } = field;
  const fitting = options.findIndex((option) => fits(option, value));
  const open = options[fitting];
  const isWorded = open?.type === "object" && Object.keys(open.properties ?? {}).length > 0;
  return (
    <div class="schema-part">
      <SelectField
        {...{ label, isBare: field.isBare }}
        value={String(fitting)}
        options={options.map((option, index) => [String(index), nameOf(option)] as const)}
        onChange={(index) => onChange(sampleOf(options[Number(index)] ?? {}))}
      />
      {open && <SchemaField {...field} label={isWorded ? "" : label} schema={open} isBare />}
    </div>
  );
}

/** Returns whether a value has the shape of an option: its type, its required members and its fixed values. */
function fits({ type, required = [], properties = {} }: Schema, value: unknown): boolean {
  if (type === "null" || value === null) return type === "null" && value === null;
  if (type !== "object") return Array.isArray(value) ? type === "array" : typeof value === type;
  if (!isObject(value)) return false;
  return required.every((name) => name in value && (properties[name]?.enum?.includes(value[name]) ?? true));
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
  const known = Object.entries(properties).filter(([, each]) => !each.not);
  const absent = known.filter(([name]) => !Object.hasOwn(members, name) && !required.includes(name));
  const set = (name: string, next: unknown) => onChange({ ...members, [name]: next });
  return (
    <fieldset class="schema-part">
      <legend class={label ? undefined : "hidden"}>{label || "Members"}</legend>
      {known
        .filter(([name]) => Object.hasOwn(members, name) || required.includes(name))
        .map(([name, member]) => (
          <div key={name} class="schema-member">
            <SchemaField label={name} schema={member} value={members[name]} onChange={(next) => set(name, next)} />
            {!required.includes(name) && (
              <IconButton
                label={`Remove ${name}`}
                onClick={() => onChange(Object.fromEntries(Object.entries(members).filter(([each]) => each !== name)))}
              />
            )}
          </div>
        ))}
      {absent.length > 0 && (
        <select
          aria-label={`Add a member to ${label || "the value"}`}
          value=""
          onChange={(event) => {
            const name = event.currentTarget.value;
            set(name, sampleOf(properties[name] ?? {}));
          }}
        >
          <option value="">Add a member…</option>
          {absent.map(([name]) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
    </fieldset>
  );
}

function ArrayField({ label, schema, value, onChange }: SchemaFieldProps) {
  const items = Array.isArray(value) ? value : [];
  const { items: item = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  return (
    <fieldset class="schema-part">
      <legend>{label}</legend>
      <div class="schema-items">
        {items.map((each, index) => (
          <div key={index} class="schema-member">
            <SchemaField
              label={`${label} ${index + 1}`}
              schema={item}
              value={each}
              onChange={(next) => onChange(items.with(index, next))}
              isBare
            />
            {items.length > minItems && (
              <IconButton label={`Remove ${label} ${index + 1}`} onClick={() => onChange(items.toSpliced(index, 1))} />
            )}
          </div>
        ))}
        {items.length < maxItems && (
          <PlainButton onClick={() => onChange([...items, sampleOf(item)])}>
            Add<span class="hidden"> to {label}</span>
          </PlainButton>
        )}
      </div>
    </fieldset>
  );
}
