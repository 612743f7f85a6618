import type { Schema } from "../../../contract/index.ts";
import type { Settings as Values } from "../../../control/client/index.ts";
import { defaultSettings, SettingsSchema, settingNames } from "../../../state/index.ts";
import { useLoaded, useProject } from "../live/session.ts";
import { Failure, Loading, useAction, useToasts } from "../parts/action.tsx";
import { useDraft } from "../parts/fields.tsx";
import { SchemaField } from "../parts/schema-field.tsx";
import { Clock, useProjectClock } from "./clock.tsx";
import { Tokens } from "./tokens.tsx";

export function Settings() {
  const controls = useProject();
  const clock = useProjectClock();
  const settings = useLoaded(() => controls.settings.get(), ["settings"]);
  return (
    <div class="view settings-view">
      <Clock clock={clock} />
      <section aria-labelledby="settings">
        <h2 id="settings">Settings</h2>
        <p class="quiet">
          Each change applies to the next request of this project. A reset restores the initial values.
        </p>
        <Loading of={settings} lines={8}>
          {(values) => <SettingsForm values={values} reload={settings.reload} />}
        </Loading>
      </section>
      <Tokens clock={clock} />
    </div>
  );
}

type Name = keyof Values;

/** One field for each setting, as its schema says. The changes are sent together. */
function SettingsForm({ values, reload }: { readonly values: Values; readonly reload: () => Promise<void> }) {
  const controls = useProject();
  const toasts = useToasts();
  const action = useAction();
  /** The changed settings, and the values that they were to replace. */
  const [draft, setDraft] = useDraft<{ to: Partial<Values>; from: Partial<Values> }>(`${controls.key} settings`, {
    to: {},
    from: {},
  });
  const names = settingNames.filter((name) => name in draft.to);
  const meanwhile = names.filter((name) => !isSame(draft.from[name], values[name]));
  const edit = (name: Name, value: unknown) => {
    const { [name]: _to, ...to } = draft.to;
    const { [name]: from = values[name], ...others } = draft.from;
    action.clear();
    if (isSame(value, from) && isSame(from, values[name])) setDraft({ to, from: others });
    else setDraft({ to: { ...to, [name]: value }, from: { ...others, [name]: from } });
  };
  const save = () =>
    action.run(async () => {
      const before = Object.fromEntries(names.map((name) => [name, values[name]]));
      await controls.settings.set(draft.to);
      await reload();
      setDraft(undefined);
      toasts.show(names.length === 1 ? `${names[0]} is set` : `${names.length} settings are set`, () =>
        controls.settings.set(before),
      );
    });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!action.isInProgress) void save();
      }}
    >
      {settingNames.map((name) => (
        <Setting
          key={name}
          name={name}
          value={name in draft.to ? draft.to[name] : values[name]}
          isEdited={name in draft.to}
          onChange={(value) => edit(name, value)}
        />
      ))}
      {names.length > 0 && (
        <div class="bar settings-save">
          <button type="submit" class="primary" aria-disabled={action.isInProgress || undefined}>
            {meanwhile.length > 0 ? "Overwrite" : "Save"} {names.length === 1 ? names[0] : `${names.length} settings`}
          </button>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              setDraft(undefined);
              action.clear();
            }}
          >
            Discard
          </button>
          {meanwhile.map((name) => (
            <p key={name} class="notice" role="status">
              {name} was changed meanwhile to {inWords(name, values[name])}.
            </p>
          ))}
          <Failure of={action} />
        </div>
      )}
    </form>
  );
}

interface SettingProps {
  readonly name: Name;
  readonly value: unknown;
  readonly isEdited: boolean;
  readonly onChange: (value: unknown) => void;
}

function Setting({ name, value, isEdited, onChange }: SettingProps) {
  const initial = defaultSettings[name];
  const schema: Schema = SettingsSchema.properties[name];
  const isBytes = name.endsWith("Bytes") && typeof value === "number";
  return (
    <div class={isEdited ? "setting edited" : "setting"}>
      <SchemaField label={name} schema={schema} value={value} onChange={onChange} />
      <p class="quiet">
        {schema.description} {isBytes && `Now ${bytesInWords(value)}. `}
        {isSame(value, initial) ? (
          `Default: ${inWords(name, initial)}.`
        ) : (
          <button type="button" class="link" onClick={() => onChange(initial)}>
            Reset<span class="hidden"> {name}</span> to {inWords(name, initial)}
          </button>
        )}
      </p>
    </div>
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns a value as the page shows it: "10 MiB", "none". */
function inWords(name: Name, value: unknown): string {
  if (value === null) return "none";
  if (typeof value === "number" && name.endsWith("Bytes")) return bytesInWords(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const units = ["bytes", "KiB", "MiB", "GiB"];

/** Returns a number of bytes in the largest unit that is exact to two decimals: "10 MiB", "1.5 KiB", "1025 bytes". */
function bytesInWords(bytes: number): string {
  const size = (unit: number) => bytes / 1024 ** unit;
  const unit = units.findLastIndex((_, index) => size(index) >= 1 && Number.isInteger(size(index) * 100));
  return `${size(Math.max(unit, 0))} ${units[Math.max(unit, 0)]}`;
}
