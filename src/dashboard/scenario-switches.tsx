import { useState } from "preact/hooks";
import { type Action, Failure, useAction } from "./action.tsx";
import { useLoaded } from "./loaded.ts";
import { concerns, useSession } from "./session.ts";

interface Scenario {
  readonly name: string;
  readonly description?: string;
  readonly isOn: boolean;
  /** What else there is to say of it. */
  readonly note?: string;
}

/** Every scenario there is, to be turned on and off: in a project or, without one, for all. */
export function ScenarioSwitches({ project }: { project?: string }) {
  const { client } = useSession();
  const action = useAction();
  const controls = project === undefined ? undefined : client.project(project);
  const list = useLoaded(
    async (): Promise<Scenario[]> => {
      const [known, active] = await Promise.all([client.scenarios.list(), controls?.scenarios.list()]);
      if (!active) return known.map(({ times, on, ...scenario }) => ({ ...scenario, isOn: on, note: limit(times) }));
      const shared = known.map(({ name, description, on }) => {
        const own = active.find((each) => each.name === name);
        const note = own ? uses(own) : on ? "on for all projects" : undefined;
        return { name, description, isOn: own !== undefined, note };
      });
      const inline = active.filter(({ name }) => known.every((each) => each.name !== name));
      return [...shared, ...inline.map((own) => ({ ...own, isOn: true, note: uses(own) }))];
    },
    // Each request may have used one up.
    (event) => event.type !== "state" && (project === undefined || concerns(event, project)),
  );

  const turn = async ({ name, isOn }: Scenario, times: number | undefined) => {
    const activation = times === undefined ? undefined : { times };
    if (isOn) await (controls?.scenarios ?? client.scenarios).off(name);
    else if (controls) await controls.use(name, activation);
    else await client.scenarios.use(name, activation);
    list.reload();
  };
  return (
    <>
      <Failure of={list} />
      <Failure of={action} />
      <ul class="switches">
        {list.value?.map((scenario) => (
          <Switch key={scenario.name} scenario={scenario} action={action} turn={(times) => turn(scenario, times)} />
        ))}
      </ul>
    </>
  );
}

interface SwitchProps {
  readonly scenario: Scenario;
  readonly action: Action;
  readonly turn: (times: number | undefined) => Promise<void>;
}

function Switch({ scenario: { name, description, isOn, note }, action, turn }: SwitchProps) {
  const [times, setTimes] = useState("");
  return (
    <li>
      <button
        type="button"
        role="switch"
        aria-checked={isOn}
        aria-label={name}
        disabled={action.isUnderWay}
        onClick={() => action.run(() => turn(times === "" ? undefined : Number(times)))}
      />
      <div>
        <b>{name}</b> {note && <span class="badge">{note}</span>}
        <p class="quiet">{description}</p>
      </div>
      {!isOn && (
        <label class="quiet">
          for{" "}
          <input
            type="number"
            min="1"
            placeholder="all"
            aria-label={`For how many requests ${name} is on`}
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
