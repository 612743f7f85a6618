import { useRef } from "preact/hooks";
import type { Settings } from "../../../control/client/index.ts";
import { SettingsSchema } from "../../../state/index.ts";
import { useAction } from "../parts/action.tsx";
import { useDraft } from "../parts/drafts.ts";
import { ChangedMeanwhile } from "./changed-meanwhile.tsx";
import { bytesInWords, focusField, type SetSettings, Setting } from "./setting.tsx";

type Name = Exclude<keyof Settings, "latency" | "rateLimit">;

interface SimpleFieldProps {
  readonly project: string;
  readonly name: Name;
  readonly value: Settings[Name];
  readonly set: SetSettings;
}

/** A setting with a choice or a number, as its schema says. A choice is set at once, a number by Enter or when it is left. */
export function SimpleField({ project, name, value, set }: SimpleFieldProps) {
  const action = useAction();
  const field = useRef<HTMLInputElement>(null);
  // A number that was not sent, or that the mock has rejected, with the value that it was to replace.
  const [draft, setDraft] = useDraft<{ readonly text: string; readonly of: string } | null>(
    `${project} setting ${name}`,
    null,
  );
  const schema = SettingsSchema.properties[name];
  const discard = () => {
    setDraft(undefined);
    action.clear();
  };
  const change = (changed: string | number) =>
    action.run(async () => {
      if (typeof changed === "number" && Number.isNaN(changed)) throw new Error(`${name}: expected a number`);
      await set({ [name]: changed });
      setDraft(undefined);
    }, `${name} is ${changed}`);
  const send = () => {
    // A draft of an older value waits for the decision of the user.
    if (!draft || action.isInProgress || draft.of !== String(value)) return;
    if (draft.text === String(value)) discard();
    else void change(field.current?.valueAsNumber ?? Number.NaN);
  };
  const common = { id: `setting-${name}`, "aria-describedby": `about-${name}` };
  return (
    <Setting name={name} value={value} action={action} set={set} onReset={discard}>
      {"enum" in schema ? (
        <select {...common} value={value} onChange={(event) => void change(event.currentTarget.value)}>
          {schema.enum.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <>
          <input
            {...common}
            ref={field}
            type="number"
            min={schema.minimum}
            step={schema.type === "integer" ? 1 : "any"}
            aria-invalid={action.error !== undefined || undefined}
            value={draft?.text ?? value}
            onInput={(event) => setDraft({ text: event.currentTarget.value, of: draft?.of ?? String(value) })}
            onKeyDown={(event) => event.key === "Enter" && send()}
            onBlur={send}
          />
          {name.endsWith("Bytes") && <span class="quiet">{bytesInWords(Number(draft?.text ?? value))}</span>}
          {draft && draft.of !== String(value) && (
            <ChangedMeanwhile
              value={String(value)}
              overwrite={() => {
                void change(Number(draft.text || Number.NaN));
                focusField(name);
              }}
              discard={() => {
                discard();
                focusField(name);
              }}
            />
          )}
        </>
      )}
    </Setting>
  );
}
