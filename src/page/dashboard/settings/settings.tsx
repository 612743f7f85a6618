/* The settings of a project, its clock and its tokens. */

import { useMemo, useState } from "preact/hooks";
import { capitalized, type Schema } from "../../../contract/index.ts";
import { type ContractSecurity, control, type Settings as Values } from "../../../control/client/index.ts";
import { type Choice, choices, SettingsSchema } from "../../../state/index.ts";
import { useLoaded, useProject, useSession } from "../live/session.ts";
import { Button, Failure, Form, Loading, PlainButton, useAction, useToasts } from "../parts/action.tsx";
import { NumberField, SelectField, useDraft } from "../parts/fields.tsx";
import { CopyButton } from "../parts/files.tsx";
import { SchemaField } from "../parts/schema-field.tsx";
import { counted, dayInZone, units, useNow } from "../parts/text.tsx";

/** The groups of settings, each with the titles of its settings. */
const groups = {
  Auth: { auth: "Credentials" },
  Validation: { validation: "Invalid requests" },
  "State and ids": { unknownIds: "Unknown ids", collection: "Lists", start: "Initial resources" },
  Responses: { responses: "Responses without state", latency: "Delay", upstreamMode: "The real service" },
  Limits: {
    rateLimit: "Rate limit",
    maxBodyBytes: "Largest JSON body",
    maxImageBytes: "Largest image",
    journalSize: "Requests in the journal",
  },
} satisfies Readonly<Record<string, Partial<Record<keyof Values, string>>>>;

export function Settings() {
  const controls = useProject();
  // A project that does not exist has the initial settings, which depend on the contract and on flags. A read creates none.
  const unused = useProject(`initial-settings-${Math.random()}`);
  const settings = useLoaded(() => Promise.all([controls.settings.get(), unused.settings.get()]), ["settings"]);
  return (
    <div class="view sections">
      <Loading of={settings} lines={8}>
        {([values, initial]) =>
          Object.entries(groups).map(([group, own]) => (
            <section key={group} aria-label={group}>
              <h2>{group}</h2>
              <div>
                {(Object.entries(own) as [keyof Values, string][]).map(([name, title]) => (
                  <Setting
                    key={name}
                    {...{ name, title, stored: values[name], initial: initial[name], reload: settings.reload }}
                  />
                ))}
              </div>
            </section>
          ))
        }
      </Loading>
      <Clock />
      <Tokens />
    </div>
  );
}

interface SettingProps {
  readonly name: keyof Values;
  readonly title: string;
  readonly stored: unknown;
  readonly initial: unknown;
  readonly reload: () => Promise<void>;
}

/** A setting with the field that its schema says. A choice is stored at once, other values with a button or Enter. */
function Setting({ name, title, stored, initial, reload }: SettingProps) {
  const controls = useProject();
  const toasts = useToasts();
  const action = useAction();
  const [value, setDraft, isEdited, settle] = useDraft(`${controls.key} setting ${name}`, stored);
  const schema: Schema = SettingsSchema.properties[name];
  const choice: Choice | undefined = name in choices ? choices[name as keyof typeof choices] : undefined;
  const isChanged = !isSame(stored, initial);
  const store = (next: unknown) =>
    action.run(async () => {
      await controls.settings.set({ [name]: next });
      await reload();
      settle();
      toasts.show(`${name} is set`, () => controls.settings.set({ [name]: stored }));
    });
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
      <div>
        <h3>
          {title} <code class="quiet">{name}</code> {isChanged && <span class="badge warning">changed</span>}
        </h3>
        <p class="quiet">
          {choice ? [choice.about, choice.more].filter(Boolean).join(" ") : schema.description}{" "}
          {!isChanged && `Default: ${inWords(name, initial)}.`}
        </p>
        {isChanged && (
          <PlainButton onClick={() => store(initial)}>
            Reset<span class="hidden"> {name}</span> to {inWords(name, initial)}
          </PlainButton>
        )}
      </div>
      <div class="fields">
        <SchemaField label={name} isBare schema={schema} value={value} onChange={edit} />
        {choice && <p class="quiet">{capitalized(choice.values[String(value)] ?? "")}</p>}
        {isEdited && (
          <div class="group">
            <button type="submit" aria-disabled={action.isInProgress || undefined}>
              Save<span class="hidden"> {name}</span>
            </button>
            <PlainButton onClick={() => edit(stored)}>Discard</PlainButton>
          </div>
        )}
        <Failure of={action} />
      </div>
    </form>
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns a value as the page shows it: "10 MiB", "none". */
function inWords(name: string, value: unknown): string {
  if (value === null) return "none";
  if (typeof value === "number" && name.endsWith("Bytes")) return `${value / 1024 ** 2} MiB`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The clock of a project, with controls to freeze it, to set it, and to advance it by any time. */
function Clock() {
  const { clock: controls } = useProject();
  const clock = useLoaded(() => controls.get(), ["clock"]);
  // The page's own clock may be wrong, so only the time since the load counts.
  const loadedAt = useMemo(() => performance.now(), [clock.value]);
  useNow(1000);
  const changed = async (call: Promise<unknown>) => {
    await call;
    await clock.reload();
  };
  return (
    <section aria-labelledby="clock">
      <h2 id="clock">Clock</h2>
      <Loading of={clock} lines={2}>
        {({ now: start, frozen }) => {
          const now = new Date(Date.parse(start) + (frozen ? 0 : performance.now() - loadedAt));
          const utc = now.toISOString();
          return (
            <div class="fields clock">
              <div role="timer" aria-label="The project's time">
                <time dateTime={utc}>
                  <b>{localTime(now).slice(11, 19)}</b> {dayInZone.format(now)}
                </time>{" "}
                <code class="quiet">{frozen ? utc : utc.replace(/\.\d+Z$/, "Z")}</code>
              </div>
              <div class="bar">
                <Button
                  run={() => changed(frozen ? controls.resume() : controls.freeze())}
                  done={frozen ? "The clock runs on from its time" : "The clock is frozen"}
                >
                  {frozen ? "Resume" : "Freeze"}
                </Button>
                <span class={frozen ? "badge warning" : "badge"}>{frozen ? "Frozen" : "Running"}</span>
              </div>
              <Advance advance={(milliseconds) => changed(controls.advance(milliseconds))} />
              <SetTime now={now} set={(time) => changed(frozen ? controls.freeze(time) : controls.set(time))} />
            </div>
          );
        }}
      </Loading>
    </section>
  );
}

/** Returns a local time as fields for local times contain it. */
function localTime(instant: Date): string {
  return new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000).toISOString().slice(0, 23);
}

/** The units of the form with their milliseconds. */
const sizes = new Map<string, number>(units.map(([name, size]) => [`${name}s`, size]));

function Advance({ advance }: { readonly advance: (milliseconds: number) => Promise<unknown> }) {
  const [amount, setAmount] = useState<number | undefined>(1);
  const [unit, setUnit] = useState("hours");
  const run = () => advance(Math.round((amount ?? Number.NaN) * (sizes.get(unit) ?? 1)));
  const done = `The clock is advanced by ${counted(amount ?? 0, unit.slice(0, -1))}`;
  return (
    <Form isLine run={run} submit="Advance" done={done}>
      <span>Advance by</span>
      <NumberField label="Advance by: amount" isBare step="any" value={amount} onChange={setAmount} />
      <SelectField label="Advance by: unit" isBare options={[...sizes.keys()]} value={unit} onChange={setUnit} />
    </Form>
  );
}

/** Sets the clock to an exact local time. A frozen clock stays frozen. */
function SetTime({ now, set }: { readonly now: Date; readonly set: (time: Date) => Promise<unknown> }) {
  const [text, setText] = useState(() => localTime(now).slice(0, 19));
  return (
    <Form isLine run={() => set(new Date(text))} submit="Set" done="The clock is set">
      <span>Set to</span>
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

/** Issues tokens for a project, and says which other credentials the mock accepts. */
function Tokens() {
  const { connection } = useSession();
  const security = useLoaded(() =>
    control<ContractSecurity>(connection, { method: "GET", path: "/contract/security" }),
  );
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">Tokens</h2>
      <Loading of={security} lines={2}>
        {({ credentials, scopes }) => {
          const others = credentials.filter(({ scheme }) => scheme !== "bearer").map(credentialInWords);
          return (
            <div>
              {credentials.length > others.length ? (
                <Issue scopes={scopes} />
              ) : (
                <p>The contract has no bearer tokens.</p>
              )}
              {others.length > 0 && (
                <p>
                  If the setting auth is present or strict, requests need the credentials of their operation. These can
                  have any value: {others.join(", ")}.
                </p>
              )}
            </div>
          );
        }}
      </Loading>
    </section>
  );
}

function credentialInWords({ in: place, name, scheme }: ContractSecurity["credentials"][number]): string {
  if (scheme !== undefined) return `the header Authorization: ${capitalized(scheme)} …`;
  return `the ${place === "query" ? "query parameter" : place} ${name}`;
}

/** Issues a token with the chosen scopes, and shows it once. */
function Issue({ scopes }: { readonly scopes: readonly string[] }) {
  const controls = useProject();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(scopes));
  const [token, setToken] = useState("");
  const toggle = (scope: string) => setChosen(new Set(scopes.filter((each) => (each === scope) !== chosen.has(each))));
  const issue = async () =>
    setToken((await controls.token(chosen.size < scopes.length ? { scopes: [...chosen] } : {})).access_token);
  return (
    <>
      <p class="quiet">Requests need a token if the setting auth is strict. A token is valid for two days.</p>
      <Form run={issue} submit="Issue a token" done="The token is issued">
        {scopes.length > 0 && (
          <fieldset class="bar">
            <legend>Scopes</legend>
            {scopes.map((scope) => (
              <label key={scope}>
                <input type="checkbox" checked={chosen.has(scope)} onChange={() => toggle(scope)} /> {scope}
              </label>
            ))}
          </fieldset>
        )}
      </Form>
      {token && (
        <div class="notice">
          <p>This is the only time that the token is shown.</p>
          <pre>Authorization: Bearer {token}</pre>
          <CopyButton text={token}>Copy token</CopyButton>
        </div>
      )}
    </>
  );
}
