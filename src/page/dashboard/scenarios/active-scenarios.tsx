import { useRef } from "preact/hooks";
import type { Activation, ActiveScenario } from "../../../control/client/index.ts";
import { type Loaded, useLoaded, useSession } from "../live/session.ts";
import { Button, Failure, useAction, useToasts } from "../parts/action.tsx";
import { focusNeighbour } from "../parts/keyboard.tsx";
import { hrefOf } from "../route.ts";
import { stateOf } from "./words.ts";

/** An active scenario. With `forAll`, it is active for all projects. */
export type Active = ActiveScenario & { readonly forAll?: true };

/** The shortest time between two loads, in milliseconds: every view of a project shows the chips. */
const PAUSE_MS = 1000;

/** Loads the active scenarios of the project, those for all projects last; none on the page of all projects. */
export function useActive(): Loaded<Active[]> {
  const { client, project } = useSession();
  return useLoaded(
    async () => (project === undefined ? [] : client.project(project).scenarios.list({ forAll: true })),
    // A request changes the counts.
    ["scenarios", "request", "journal"],
    [],
    PAUSE_MS,
  );
}

/** Returns the calls for the scenarios of one project or, without `project`, for those of all projects. */
export function useSwitching(project: string | undefined) {
  const { client } = useSession();
  const toasts = useToasts();
  const where = project === undefined ? " for all projects" : "";
  const controls = project === undefined ? undefined : client.project(project);
  const use = (name: string, options?: Activation) =>
    controls ? controls.use(name, options) : client.scenarios.use(name, options);
  return {
    async activate(name: string, options?: Activation) {
      await use(name, options);
      toasts.show(`${name} is active${where}`);
    },
    /** Deactivates a scenario, and offers to undo it. */
    async deactivate(name: string) {
      const active = controls
        ? (await controls.scenarios.list()).find((each) => each.name === name)
        : await client.scenarios.get(name);
      await (controls?.scenarios ?? client.scenarios).off(name);
      if (!active) return;
      const { times, probability, inline, description, rules } = active;
      // An inline scenario exists only while it is active.
      const definition = inline && { rules: [...rules], ...(description !== undefined && { description }) };
      toasts.show(`${name} is inactive${where}`, () => use(name, { times, probability, ...definition }));
    },
  };
}

/** The most chips. The view of the scenarios lists the others. */
const MAX_SHOWN = 12;

/** The active scenarios of a project as chips, each with a button that deactivates it. Nothing without any. */
export function ActiveScenarios() {
  const { project } = useSession();
  const { value: active = [], reload } = useActive();
  if (active.length === 0) return null;
  return (
    <ul class="chips" aria-label="Active scenarios">
      {active.slice(0, MAX_SHOWN).map((scenario) => (
        <Chip key={`${scenario.name} ${scenario.forAll}`} scenario={scenario} reload={reload} />
      ))}
      {active.length > MAX_SHOWN && (
        <li>
          <a href={hrefOf({ project, view: "scenarios" })}>{active.length - MAX_SHOWN} more</a>
        </li>
      )}
    </ul>
  );
}

function Chip({ scenario, reload }: { readonly scenario: Active; readonly reload: () => Promise<void> }) {
  const { project } = useSession();
  const { name, used, times, forAll } = scenario;
  const chip = useRef<HTMLElement>(null);
  const action = useAction();
  const switching = useSwitching(forAll ? undefined : project);
  const isUsedUp = times !== undefined && used >= times;
  const where = forAll ? " for all projects" : "";
  const deactivate = async () => {
    await switching.deactivate(name);
    focusNeighbour(chip.current);
    // A second click before the list shows the result would repeat the call.
    await reload();
  };
  return (
    <li>
      <span ref={chip} class={isUsedUp ? "chip used-up" : "chip"}>
        <a class="cut" href={hrefOf({ project, view: "scenarios", filter: { scenario: name } })}>
          {name}
        </a>
        <span class="quiet">{[forAll && "all projects", stateOf(scenario)].filter(Boolean).join(" · ")}</span>
        <Button action={action} run={deactivate} label={`Deactivate ${name}${where}`} kind="quiet">
          ✕
        </Button>
      </span>
      <Failure of={action} />
    </li>
  );
}
