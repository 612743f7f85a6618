import { useRef } from "preact/hooks";
import type { Activation, ActiveScenario, MockEvent } from "../../../control/client/index.ts";
import { on } from "../live/events.ts";
import { type Loaded, useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { useToasts } from "../parts/toasts.tsx";

/** An active scenario. With `forAll`, it is active for all projects. */
export type Active = ActiveScenario & { readonly forAll?: true };

/** The shortest time between two loads of the chips, in milliseconds: every view of a project shows them. */
const PAUSE_MS = 1000;

/** Loads the active scenarios of a project, those for all projects last. */
export function useActiveScenarios(project: string): Loaded<Active[]> {
  const { client } = useSession();
  const isCounted = useRef(false);
  const list = useLoaded(
    () => client.project(project).scenarios.list({ forAll: true }),
    // A request changes only the counts of active scenarios.
    (event: MockEvent) =>
      on(project, "scenarios", ...(isCounted.current ? (["request", "journal"] as const) : []))(event),
    [project],
    PAUSE_MS,
  );
  isCounted.current = list.value !== undefined && list.value.length > 0;
  return list;
}

/** The calls that activate and deactivate scenarios. */
export interface Switching {
  activate(name: string, options?: Activation): Promise<void>;
  /** Deactivates a scenario, and offers to undo it. */
  deactivate(name: string): Promise<void>;
}

/** Returns the calls for the scenarios of one project or, without `project`, for those of all projects. */
export function useSwitching(project: string | undefined): Switching {
  const { client } = useSession();
  const toasts = useToasts();
  const where = project === undefined ? " for all projects" : "";
  const controls = project === undefined ? undefined : client.project(project);
  const use = (name: string, options?: Activation) =>
    controls ? controls.use(name, options) : client.scenarios.use(name, options);
  return {
    async activate(name, options) {
      await use(name, options);
      toasts.show(`${name} is active${where}`);
    },
    async deactivate(name) {
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
