import { defaultSettings, SettingsSchema } from "../../../state/index.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Button } from "../parts/action.tsx";
import { Loading } from "../parts/loading.tsx";
import { Clock } from "./clock.tsx";
import { LatencyField } from "./latency-field.tsx";
import { useProjectClock } from "./project-clock.ts";
import { RateLimitField } from "./rate-limit-field.tsx";
import { SimpleField } from "./simple-field.tsx";
import { Tokens } from "./tokens.tsx";

const { latency: _latency, rateLimit: _rateLimit, ...simple } = SettingsSchema.properties;

/** The settings of a project, its clock, and its tokens. */
export function Settings({ project }: { project: string }) {
  const controls = useProject(project);
  const clock = useProjectClock(project);
  const settings = useLoaded(() => controls.settings.get(), on(project, "settings"), [project]);

  const set = async (changed: Parameters<typeof controls.settings.set>[0]) => {
    await controls.settings.set(changed);
    await settings.reload();
  };
  return (
    <div class="view settings-view">
      <Clock project={project} clock={clock} />
      <section aria-labelledby="settings">
        <h2 id="settings">Settings</h2>
        <p class="quiet">
          Each change applies to the next request of this project. A reset restores the initial values.
        </p>
        <Loading of={settings} lines={8}>
          {(values) => (
            <>
              <ul class="settings plain">
                {(Object.keys(simple) as (keyof typeof simple)[]).map((name) => (
                  <SimpleField key={name} project={project} name={name} value={values[name]} set={set} />
                ))}
                <LatencyField project={project} value={values.latency} set={set} />
                <RateLimitField project={project} value={values.rateLimit} set={set} />
              </ul>
              <div class="bar">
                <Button
                  run={() => set(defaultSettings)}
                  confirm={{ question: `Reset all settings of ${project} to their defaults?`, yes: "Reset settings" }}
                  done="All settings have their defaults"
                >
                  Reset all settings
                </Button>
              </div>
            </>
          )}
        </Loading>
      </section>
      <Tokens project={project} clock={clock} />
    </div>
  );
}
