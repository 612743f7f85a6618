import type { Settings } from "../../../control/client/index.ts";
import { useAction } from "../parts/action.tsx";
import { useDraft } from "../parts/drafts.ts";
import { ChangedMeanwhile } from "./changed-meanwhile.tsx";
import { focusField, inWords, type SetSettings, Setting } from "./setting.tsx";

/** The entered texts by the name of their field. */
export type Texts = Readonly<Record<string, string>>;

/** The kinds of values of a setting, by name: the fields that each needs, and the value that their numbers make. */
export type Kinds<Value> = Readonly<
  Record<
    string,
    {
      readonly title: string;
      readonly fields: readonly { readonly name: string; readonly title: string; readonly step?: "any" }[];
      readonly value: (numbers: readonly number[]) => Value;
    }
  >
>;

interface StructuredFieldProps<Value> {
  readonly project: string;
  readonly name: "latency" | "rateLimit";
  readonly value: Value;
  readonly kinds: Kinds<Value>;
  /** Returns the kind of a value, and its numbers in the order of the fields. */
  readonly parts: (value: Value) => readonly [kind: string, ...numbers: number[]];
  /** The texts of fields that the value does not have. */
  readonly initial: Texts;
  readonly set: SetSettings;
}

interface Draft {
  readonly kind: string;
  readonly texts: Texts;
  /** The value that it was to replace, as JSON. */
  readonly of: string;
}

/** A setting with several numbers, as a form. The draft stays until it is sent or discarded. */
export function StructuredField<Value extends Settings["latency"] | Settings["rateLimit"]>({
  project,
  name,
  value,
  kinds,
  parts,
  initial,
  set,
}: StructuredFieldProps<Value>) {
  const action = useAction();
  const [draft, setDraft] = useDraft<Draft | null>(`${project} setting ${name}`, null);
  const current = JSON.stringify(value);
  const [kindOfValue, ...numbers] = parts(value);
  const fieldsOf = (kind: string) => kinds[kind]?.fields ?? [];
  const ofValue = Object.fromEntries(
    fieldsOf(kindOfValue).map((field, index) => [field.name, String(numbers[index] ?? "")]),
  );
  const kind = draft?.kind ?? kindOfValue;
  const texts: Texts = draft?.texts ?? { ...initial, ...ofValue };
  const edit = (changed: Partial<Draft>) => setDraft({ kind, texts, of: draft?.of ?? current, ...changed });
  const discard = () => {
    setDraft(undefined);
    action.clear();
    focusField(name);
  };
  const send = async () => {
    if (action.isInProgress) return;
    const isDone = await action.run(async () => {
      const wanted = fieldsOf(kind).map((field) => numberIn(field.title, texts[field.name]));
      const changed = kinds[kind]?.value(wanted) ?? null;
      await set({ [name]: changed });
      setDraft(undefined);
    }, `${name} is set`);
    if (isDone) focusField(name);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void send();
  };
  return (
    <Setting name={name} value={value} action={action} set={set} onReset={discard}>
      <form class="bar" onSubmit={submit} noValidate>
        <select
          id={`setting-${name}`}
          aria-describedby={`about-${name}`}
          value={kind}
          onChange={(event) => edit({ kind: event.currentTarget.value })}
        >
          {Object.entries(kinds).map(([each, { title }]) => (
            <option key={each} value={each}>
              {title}
            </option>
          ))}
        </select>
        {fieldsOf(kind).map((field) => (
          <label key={field.name} class="inline">
            {field.title}
            <input
              type="number"
              min={0}
              step={field.step ?? 1}
              value={texts[field.name]}
              onInput={(event) => edit({ texts: { ...texts, [field.name]: event.currentTarget.value } })}
            />
          </label>
        ))}
        {draft && (
          <>
            <button type="submit" class="primary" aria-disabled={action.isInProgress || undefined}>
              Set {name}
            </button>
            <button type="button" class="quiet" onClick={discard}>
              Cancel
            </button>
          </>
        )}
      </form>
      {draft && draft.of !== current && (
        <ChangedMeanwhile value={inWords(name, value)} overwrite={send} discard={discard} />
      )}
    </Setting>
  );
}

function numberIn(title: string, text: string | undefined): number {
  const number = Number(text);
  if (text?.trim() && Number.isFinite(number)) return number;
  throw new Error(`${title}: expected a number, found ${text ? `"${text}"` : "none"}`);
}
