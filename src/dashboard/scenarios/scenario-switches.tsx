import { useState } from "preact/hooks";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { type Action, Failure, useAction } from "../parts/action.tsx";

interface Scenario {
  readonly name: string;
  readonly description?: string;
  readonly isActive: boolean;
  /** How often the scenario was used, or for which requests it is active. */
  readonly note?: string;
}

/** A switch for each scenario. It activates the scenario in one project or, without `project`, for all projects. */
export function ScenarioSwitches({ project }: { project?: string }) {
  const { client } = useSession();
  const action = useAction();
  const controls = project === undefined ? undefined : client.project(project);
  const list = useLoaded(
    async (): Promise<Scenario[]> => {
      const [known, active] = await Promise.all([client.scenarios.list(), controls?.scenarios.list()]);
      if (!active)
        return known.map(({ times, on, ...scenario }) => ({ ...scenario, isActive: on, note: limit(times) }));
      const shared = known.map(({ name, description, on }) => {
        const own = active.find((each) => each.name === name);
        const note = own ? uses(own) : on ? "active for all projects" : undefined;
        return { name, description, isActive: own !== undefined, note };
      });
      const inline = active.filter(({ name }) => known.every((each) => each.name !== name));
      return [...shared, ...inline.map((own) => ({ ...own, isActive: true, note: uses(own) }))];
    },
    // Each request may have used up the `times` of a scenario.
    on(project, "scenarios", "request", "journal"),
  );

  const toggle = async ({ name, isActive }: Scenario, times: number | undefined) => {
    const activation = times === undefined ? undefined : { times };
    if (isActive) await (controls?.scenarios ?? client.scenarios).off(name);
    else if (controls) await controls.use(name, activation);
    else await client.scenarios.use(name, activation);
    await list.reload();
  };
  return (
    <>
      <Failure of={list} />
      <Failure of={action} />
      <ul class="switches">
        {list.value?.map((scenario) => (
          <Switch key={scenario.name} scenario={scenario} action={action} toggle={(times) => toggle(scenario, times)} />
        ))}
      </ul>
    </>
  );
}

interface SwitchProps {
  readonly scenario: Scenario;
  readonly action: Action;
  readonly toggle: (times: number | undefined) => Promise<void>;
}

function Switch({ scenario: { name, description, isActive, note }, action, toggle }: SwitchProps) {
  const [times, setTimes] = useState("");
  return (
    <li>
      <button
        type="button"
        role="switch"
        aria-checked={isActive}
        aria-label={name}
        disabled={action.isInProgress}
        onClick={() => action.run(() => toggle(times === "" ? undefined : Number(times)))}
      />
      <div>
        <b>{name}</b> {note && <span class="badge">{note}</span>}
        <p class="quiet">{description}</p>
      </div>
      {!isActive && (
        <label class="quiet">
          for{" "}
          <input
            type="number"
            min="1"
            placeholder="all"
            aria-label={`Number of requests for ${name}`}
            value={times}
            onInput={(event) => setTimes(event.currentTarget.value)}
          />{" "}
          requests
        </label>
      )}
    </li>
  );
}

function uses({ used, times }: { used: number; times?: number }): string {
  return times === undefined ? `used ${used}×` : `used ${used} of ${times}×`;
}

function limit(times: number | undefined): string | undefined {
  return times === undefined ? undefined : `for ${times} requests of each project`;
}
