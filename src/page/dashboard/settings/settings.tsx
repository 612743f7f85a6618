/* The settings of a project, its clock and its tokens. */

import { useRef, useState } from "preact/hooks";
import type { Schema } from "../../../contract/index.ts";
import type { Clock as ClockState, Settings as Values } from "../../../control/client/index.ts";
import { defaultSettings, SettingsSchema, settingNames } from "../../../state/index.ts";
import type { ApiOperation } from "../api/document.ts";
import { useContract, useLoaded, useProject } from "../live/session.ts";
import { Button, Failure, Form, Loading, PlainButton, useAction, useToasts } from "../parts/action.tsx";
import { NumberField, SelectField, useDraft } from "../parts/fields.tsx";
import { CopyButton } from "../parts/files.tsx";
import { Item } from "../parts/layout.tsx";
import { SchemaField } from "../parts/schema-field.tsx";
import { counted, day, Time, units, useNow, zoneOf } from "../parts/text.tsx";
import { hrefOf } from "../route.ts";

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
          {(values) =>
            settingNames.map((name) => (
              <Setting key={name} name={name} stored={values[name]} reload={settings.reload} />
            ))
          }
        </Loading>
      </section>
      <Tokens />
    </div>
  );
}

interface SettingProps {
  readonly name: keyof Values;
  readonly stored: unknown;
  readonly reload: () => Promise<void>;
}

/** A setting with the field that its schema says. A choice is stored at once, other values with a button or Enter. */
function Setting({ name, stored, reload }: SettingProps) {
  const controls = useProject();
  const toasts = useToasts();
  const action = useAction();
  const [value, setDraft, isEdited, settle] = useDraft(`${controls.key} setting ${name}`, stored);
  const initial = defaultSettings[name];
  const schema: Schema = SettingsSchema.properties[name];
  const store = async (next: unknown) => {
    await action.run(async () => {
      await controls.settings.set({ [name]: next });
      await reload();
      settle();
      toasts.show(`${name} is set`, () => controls.settings.set({ [name]: stored }));
    });
  };
  const edit = (next: unknown) => {
    action.clear();
    if (schema.enum) void store(next);
    else setDraft(isSame(next, stored) ? undefined : next);
  };
  return (
    <form
      class="setting"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isEdited && !action.isInProgress) void store(value);
      }}
    >
      <div class="setting-text">
        <code>{name}</code>
        <p class="quiet">
          {schema.description} {isBytes(name, value) && `Now ${bytesInWords(value)}. `}
          {isSame(value, initial) ? (
            `Default: ${inWords(name, initial)}.`
          ) : (
            <PlainButton onClick={() => store(initial)}>
              Reset<span class="hidden"> {name}</span> to {inWords(name, initial)}
            </PlainButton>
          )}
        </p>
      </div>
      <SchemaField label={name} isBare schema={schema} value={value} onChange={edit} />
      {isEdited && (
        <div class="group">
          <button type="submit" aria-disabled={action.isInProgress || undefined}>
            Save<span class="hidden"> {name}</span>
          </button>
          <PlainButton onClick={() => edit(stored)}>Discard</PlainButton>
        </div>
      )}
      <Failure of={action} />
    </form>
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isBytes(name: string, value: unknown): value is number {
  return typeof value === "number" && name.endsWith("Bytes");
}

/** Returns a value as the page shows it: "10 MiB", "none". */
function inWords(name: string, value: unknown): string {
  if (value === null) return "none";
  if (isBytes(name, value)) return bytesInWords(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const byteUnits = ["bytes", "KiB", "MiB", "GiB"];

/** Returns a number of bytes in the largest unit that is exact to two decimals: "10 MiB", "1.5 KiB", "1025 bytes". */
function bytesInWords(bytes: number): string {
  const size = (unit: number) => bytes / 1024 ** unit;
  const unit = byteUnits.findLastIndex((_, index) => size(index) >= 1 && Number.isInteger(size(index) * 100));
  return `${size(Math.max(unit, 0))} ${byteUnits[Math.max(unit, 0)]}`;
}

/** The clock of a project, which runs on the page as it runs in the mock. */
type ProjectClock = ReturnType<typeof useProjectClock>;

/** The last instant of a clock: 9999-12-31T23:59:59.999Z. */
const LAST_INSTANT = 253_402_300_799_999;

/** Returns the clock of the project. Each change of the clock, by any client, loads it again. */
function useProjectClock() {
  const { clock } = useProject();
  const loaded = useLoaded(() => clock.get(), ["clock"]);
  // The page's own clock may be wrong, so only the time since the load counts.
  const read = useRef<{ readonly of: ClockState; readonly at: number }>(undefined);
  if (loaded.value && read.current?.of !== loaded.value) read.current = { of: loaded.value, at: performance.now() };
  useNow(1000);
  return {
    loaded,
    /** Returns the time now; that of the page until the first load ends. */
    now(): Date {
      if (!loaded.value || !read.current) return new Date();
      const passed = loaded.value.frozen ? 0 : performance.now() - read.current.at;
      return new Date(Math.min(Date.parse(loaded.value.now) + passed, LAST_INSTANT));
    },
  };
}

/** The clock of a project, with controls to freeze it, to set it, and to advance it by any time. */
function Clock({ clock }: { readonly clock: ProjectClock }) {
  const { clock: controls } = useProject();
  /** Waits for a call that changes the clock, and loads the clock then. */
  const changed = async (call: Promise<unknown>) => {
    await call;
    await clock.loaded.reload();
  };
  return (
    <section aria-labelledby="clock">
      <h2 id="clock">Clock</h2>
      <Loading of={clock.loaded} lines={2}>
        {({ frozen }) => (
          <>
            <div class="bar">
              <Face now={clock.now()} isFrozen={frozen} />
              <span class={frozen ? "badge warning" : "badge"}>{frozen ? "Frozen" : "Running"}</span>
              <Button
                run={() => changed(frozen ? controls.resume() : controls.freeze())}
                done={frozen ? "The clock runs on from its time" : "The clock is frozen"}
              >
                {frozen ? "Resume" : "Freeze"}
              </Button>
            </div>
            <Advance advance={(milliseconds) => changed(controls.advance(milliseconds))} />
            <SetTime now={clock.now()} set={(time) => changed(frozen ? controls.freeze(time) : controls.set(time))} />
          </>
        )}
      </Loading>
    </section>
  );
}

/** The time, which ticks: local, and UTC in the format of the API. A frozen clock shows its milliseconds too. */
function Face({ now, isFrozen }: { readonly now: Date; readonly isFrozen: boolean }) {
  const utc = now.toISOString();
  return (
    // The role `timer` is not announced at each second.
    <div role="timer" class="face" aria-label="The project's time">
      <time dateTime={utc}>
        {day.format(now)}, <b>{localTime(now).slice(11, isFrozen ? 23 : 19)}</b> {zoneOf(now)}
      </time>
      <code class="quiet">{isFrozen ? utc : utc.replace(/\.\d+Z$/, "Z")}</code>
    </div>
  );
}

/** Returns a local time as fields for local times contain it: `2026-01-31T09:30:00.000`. */
function localTime(instant: Date): string {
  return new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000).toISOString().slice(0, 23);
}

/** The units of the form with their milliseconds, from milliseconds to days. */
const sizes = new Map<string, number>(units.map(([name, size]) => [`${name}s`, size] as const).toReversed());

function Advance({ advance }: { readonly advance: (milliseconds: number) => Promise<unknown> }) {
  const [amount, setAmount] = useState<number | undefined>(1);
  const [unit, setUnit] = useState("hours");
  const run = async () => {
    if (amount === undefined || amount < 0)
      throw new Error(`Advance by: expected a number of ${unit}, found ${amount ?? "none"}`);
    await advance(Math.round(amount * (sizes.get(unit) ?? 1)));
  };
  const done = `The clock is advanced by ${counted(amount ?? 0, unit.slice(0, -1))}`;
  return (
    <Form isLine run={run} submit="Advance" done={done}>
      <span class="bar-label">Advance by</span>
      <NumberField label="Advance by: amount" isBare step="any" value={amount} onChange={setAmount} />
      <SelectField label="Advance by: unit" isBare options={[...sizes.keys()]} value={unit} onChange={setUnit} />
    </Form>
  );
}

/** Sets the clock to an exact local time. A frozen clock stays frozen. */
function SetTime({ now, set }: { readonly now: Date; readonly set: (time: Date) => Promise<unknown> }) {
  const [text, setText] = useState(() => localTime(now).slice(0, 19));
  const send = async () => {
    const time = new Date(text);
    if (Number.isNaN(time.getTime())) throw new Error("New time: expected a date and a time");
    await set(time);
  };
  return (
    <Form isLine run={send} submit="Set" done="The clock is set">
      <span class="bar-label">Set to</span>
      <input
        type="datetime-local"
        step="0.001"
        aria-label="New time"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </Form>
  );
}

/** The newest tokens that the list has. */
const MAX_SHOWN = 200;

/** Issues tokens for a project, lists the valid ones, and revokes them. */
function Tokens() {
  const { tokens, key } = useProject();
  // The list has no expired tokens, so it depends on the clock too.
  const list = useLoaded(() => tokens.list(), ["tokens", "clock"]);
  const contract = useContract();
  const heading = useRef<HTMLHeadingElement>(null);
  const revoke = async (id: string) => {
    await tokens.revoke(id);
    // The button of this row disappears.
    heading.current?.focus();
    await list.reload();
  };
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">Tokens</h2>
      <Loading of={contract} lines={2}>
        {(operations) => <Issue scopes={scopesOf(operations)} onIssued={list.reload} />}
      </Loading>
      <h3 ref={heading} tabIndex={-1}>
        Valid tokens
      </h3>
      <Loading of={list} lines={2} none={<p class="quiet">No valid tokens.</p>}>
        {(issued) => (
          <ul class="plain items" aria-label="Valid tokens">
            {issued.slice(0, MAX_SHOWN).map(({ id, startsWith, clientId, scopes, expiresAt }) => (
              <Item
                key={id}
                title={
                  <>
                    <code>{startsWith}…</code> {clientId}
                  </>
                }
                about={
                  <>
                    {scopes.map((scope) => scope.replace(`:${key}`, "")).join(", ")} · expires{" "}
                    <Time of={expiresAt} as="full" />
                  </>
                }
              >
                <Button
                  run={() => revoke(id)}
                  kind="quiet"
                  label={`Revoke ${startsWith}`}
                  done={`The token ${startsWith}… is revoked`}
                >
                  Revoke
                </Button>
              </Item>
            ))}
          </ul>
        )}
      </Loading>
    </section>
  );
}

/** Issues a token with the chosen scopes, and shows it once: the mock lists only its first characters. */
function Issue({ scopes, onIssued }: { readonly scopes: readonly string[]; readonly onIssued: () => Promise<void> }) {
  const controls = useProject();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(scopes));
  const [token, setToken] = useState("");
  const toggle = (scope: string) => setChosen(new Set(scopes.filter((each) => (each === scope) !== chosen.has(each))));
  const issue = async () => {
    if (chosen.size === 0) throw new Error("Scopes: expected at least one, found none");
    setToken((await controls.token({ scopes: [...chosen] })).access_token);
    await onIssued();
  };
  return (
    <>
      <p class="quiet">
        Requests need a token if the setting auth is strict. A token is valid for two days;{" "}
        <a href={hrefOf({ project: controls.key, view: "api", item: "issueToken" })}>the API view</a> issues one for
        another time or client.
      </p>
      <Form run={issue} submit="Issue a token" done="The token is issued">
        <fieldset class="bar">
          <legend>Scopes</legend>
          {scopes.map((scope) => (
            <label key={scope}>
              <input type="checkbox" checked={chosen.has(scope)} onChange={() => toggle(scope)} /> {scope}
            </label>
          ))}
        </fieldset>
      </Form>
      {token && (
        <div class="notice">
          <p>This is the only time that the token is shown.</p>
          <pre>Authorization: Bearer {token}</pre>
          <div class="bar">
            <CopyButton text={() => token}>Copy token</CopyButton>
            <CopyButton text={() => `Authorization: Bearer ${token}`}>Copy header</CopyButton>
          </div>
        </div>
      )}
    </>
  );
}

/** Returns the names of all scopes that operations of the contract require. */
function scopesOf(operations: readonly ApiOperation[]): string[] {
  const scopes = operations.flatMap(({ security }) => security.flatMap((each) => Object.values(each).flat()));
  const names = scopes.map((scope) => scope.replace(/:.*$/s, ""));
  return [...new Set(names)].sort();
}
