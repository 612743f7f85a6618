import type { ComponentChildren } from "preact";
import type { Settings } from "../../../control/client/index.ts";
import { defaultSettings, SettingsSchema } from "../../../state/index.ts";
import { type Action, Failure } from "../parts/action.tsx";

/** Changes settings, and shows the result. Throws ControlError. */
export type SetSettings = (settings: Partial<Settings>) => Promise<void>;

interface SettingProps {
  readonly name: keyof Settings;
  /** The current value in words. */
  readonly value: Settings[keyof Settings];
  readonly action: Action;
  readonly set: SetSettings;
  /** Called before a reset to the default: drops what the user has entered. */
  readonly onReset: () => void;
  /** The field, with the id `setting-{name}`. */
  readonly children: ComponentChildren;
}

/** One setting: its name, a field, its description, and a button that resets it, if the value differs from the default. */
export function Setting({ name, value, action, set, onReset, children }: SettingProps) {
  const initial = defaultSettings[name];
  const isChanged = JSON.stringify(value) !== JSON.stringify(initial);
  const reset = async () => {
    onReset();
    const isDone = await action.run(() => set({ [name]: initial }), `${name} is reset to ${inWords(name, initial)}`);
    if (isDone) focusField(name);
  };
  return (
    <li class={isChanged ? "setting changed" : "setting"}>
      <label for={`setting-${name}`}>{name}</label>
      <div class="setting-field">
        {children}
        {isChanged && (
          <>
            <span class="badge">changed</span>
            <button type="button" class="quiet" onClick={() => void reset()}>
              Reset<span class="hidden"> {name}</span> to {inWords(name, initial)}
            </button>
          </>
        )}
        <Failure of={action} />
      </div>
      <p class="quiet" id={`about-${name}`}>
        {SettingsSchema.properties[name].description}
        {!isChanged && <> Default: {inWords(name, initial)}.</>}
      </p>
    </li>
  );
}

/** Moves the focus to the field of a setting, from a button that disappears. */
export function focusField(name: keyof Settings): void {
  document.getElementById(`setting-${name}`)?.focus();
}

/** Returns a value as the page shows it: "10 MiB", "uniform from 50 to 200 ms". */
export function inWords(name: keyof Settings, value: Settings[keyof Settings]): string {
  if (value === null) return name === "rateLimit" ? "no limit" : "none";
  if (typeof value === "number") return name.endsWith("Bytes") ? bytesInWords(value) : String(value);
  if (typeof value === "string") return value;
  if ("fixed" in value) return `${value.fixed} ms`;
  if ("uniform" in value) return `${value.uniform.join(" to ")} ms`;
  if ("lognormal" in value) return `lognormal, median ${value.lognormal.median} ms, sigma ${value.lognormal.sigma}`;
  return `${value.limit} requests in ${value.window} ms`;
}

const units = ["bytes", "KiB", "MiB", "GiB"];

/** Returns a number of bytes in the largest unit that is exact to two decimals: "10 MiB", "1.5 KiB", "1025 bytes". */
export function bytesInWords(bytes: number): string {
  const size = (unit: number) => bytes / 1024 ** unit;
  const unit = units.findLastIndex((_, index) => size(index) >= 1 && Number.isInteger(size(index) * 100));
  return `${size(Math.max(unit, 0))} ${units[Math.max(unit, 0)]}`;
}
