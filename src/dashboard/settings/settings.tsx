import { useState } from "preact/hooks";
import type { Settings as Values } from "../../client/types.ts";
import { SettingsSchema } from "../../settings/settings.ts";
import { on } from "../live/events.ts";
import { type Loaded, useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Failure, useAction } from "../parts/action.tsx";
import { JsonForm } from "../parts/json-form.tsx";
import { Clock } from "./clock.tsx";
import { Tokens } from "./tokens.tsx";

type Name = keyof Values;
const { latency, rateLimit, ...simple } = SettingsSchema.properties;
const structured = { latency, rateLimit };

/** The settings of a project, its clock, and a form to issue tokens. */
export function Settings({ project }: { project: string }) {
  const controls = useProject(project);
  const settings = useLoaded(() => controls.settings.get(), on(project, "settings"));
  const { value } = settings;
  return (
    <>
      <Failure of={settings} />
      {value && (
        <section>
          <h2>Settings</h2>
          <dl class="settings">
            {(Object.keys(simple) as (keyof typeof simple)[]).map((name) => (
              // The key contains the value: a change from elsewhere resets the field, other events keep the draft.
              <Setting
                key={`${name} ${value[name]}`}
                project={project}
                name={name}
                value={value[name]}
                settings={settings}
              />
            ))}
          </dl>
          {Object.entries(structured).map(([name, schema]) => (
            <JsonForm
              draft={`${project} ${name}`}
              key={`${name} ${JSON.stringify(value[name as keyof typeof structured])}`}
              label={`${name}: ${schema.description}`}
              initial={value[name as keyof typeof structured]}
              submit={`Set the ${name}`}
              onSubmit={async (changed) => {
                await controls.settings.set({ [name]: changed });
                await settings.reload();
              }}
            />
          ))}
        </section>
      )}
      <Clock project={project} />
      <Tokens project={project} />
    </>
  );
}

interface SettingProps {
  readonly project: string;
  readonly name: keyof typeof simple;
  readonly value: Values[Name];
  readonly settings: Loaded<Values>;
}

/** A field for one setting. Its schema decides the kind: a select for an enum, otherwise a number. */
function Setting({ project, name, value, settings }: SettingProps) {
  const controls = useProject(project);
  const action = useAction();
  const [draft, setDraft] = useState(String(value));
  const schema = simple[name];
  const set = (value: string | number) =>
    action.run(async () => {
      await controls.settings.set({ [name]: value });
      await settings.reload();
    });
  return (
    <>
      <dt>
        <label for={`setting-${name}`}>{name}</label>
      </dt>
      <dd>
        {"enum" in schema ? (
          <select id={`setting-${name}`} value={draft} onChange={(event) => set(event.currentTarget.value)}>
            {schema.enum.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        ) : (
          <input
            id={`setting-${name}`}
            type="number"
            min={schema.minimum}
            value={draft}
            onInput={(event) => setDraft(event.currentTarget.value)}
            onChange={(event) => set(event.currentTarget.valueAsNumber)}
          />
        )}
        <span class="quiet"> {schema.description}</span>
        <Failure of={action} />
      </dd>
    </>
  );
}
