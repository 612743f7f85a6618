import type { ActiveScenario } from "../../../control/client/index.ts";
import { type Loaded, useLoaded, useSession } from "../live/session.ts";
import { Icon } from "../parts/icon.tsx";
import { Menu, MenuItem, useNarrow } from "../parts/layout.tsx";
import { hrefOf } from "../route.ts";
import { stateOf } from "./words.ts";

/** The shortest time between two loads, in milliseconds: every view of a project shows the number. */
const PAUSE_MS = 1000;

/** Loads the active scenarios of the project, those for all projects last; none on the page of all projects. */
export function useActive(): Loaded<(ActiveScenario & { readonly forAll?: true })[]> {
  const { client, project } = useSession();
  return useLoaded(
    async () => (project === undefined ? [] : client.project(project).scenarios.list({ forAll: true })),
    // A request changes the counts.
    ["scenarios", "request", "journal"],
    [],
    PAUSE_MS,
  );
}

/** How many scenarios of a project have an effect and how many are used up: a button that opens the list of them. */
export function ActiveScenarios() {
  const { project } = useSession();
  const { value: active = [] } = useActive();
  const isNarrow = useNarrow();
  if (active.length === 0) return null;
  const usedUp = active.filter(({ used, times }) => times !== undefined && used >= times).length;
  const counts = [`${active.length - usedUp} active`, `${usedUp} used up`];
  const text = counts.filter((each) => !each.startsWith("0 ")).join(" · ");
  return (
    <Menu label={`${text}: scenarios`} text={isNarrow ? [<Icon key="icon" name="mocks" />, active.length] : text}>
      {() =>
        active.map(({ name, forAll, ...activity }) => {
          const filter = { scenario: name };
          return (
            <MenuItem
              key={`${name} ${forAll}`}
              href={hrefOf({ project: forAll ? undefined : project, view: "mocks", filter })}
            >
              <span>
                {name}
                <br />
                <span class="quiet">{`${forAll ? "all projects · " : ""}${stateOf(activity)}`}</span>
              </span>
            </MenuItem>
          );
        })
      }
    </Menu>
  );
}
