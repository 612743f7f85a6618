import { useRef } from "preact/hooks";
import type { KnownScenario } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { Failure, Loading, useAction } from "../parts/action.tsx";
import { SearchField } from "../parts/fields.tsx";
import { useFocusOfOpen } from "../parts/focus.ts";
import { hrefOf, navigate, type Route } from "../route.ts";
import { type Active, useActive, useSwitching } from "./active-scenarios.tsx";
import { type Activity, stateOf } from "./words.ts";

/** A scenario, and whether it is active in the project and for all projects. */
interface Listed {
  readonly name: string;
  readonly description?: string;
  readonly inline: boolean;
  readonly own?: Active;
  /** The scenario as it is active for all projects. The number of uses is that of the project. */
  readonly shared?: Activity;
}

/** Returns all scenarios: the inline ones that are active in the project, and those that can be activated by name. */
function listed(known: readonly KnownScenario[], active: readonly Active[]): Listed[] {
  const activeAs = (name: string, forAll: boolean) =>
    active.find((each) => each.name === name && (each.forAll ?? false) === forAll);
  const shown = known.map(({ on, ...scenario }): Listed => {
    const { name, description, inline } = scenario;
    const own = activeAs(name, false);
    const shared = on ? (activeAs(name, true) ?? scenario) : undefined;
    return { name, description: own?.description ?? description, inline: own?.inline ?? inline, own, shared };
  });
  const others = active.filter(({ name, forAll }) => !forAll && known.every((each) => each.name !== name));
  return [...others.map((own) => ({ ...own, own })), ...shown];
}

/** All scenarios, each with a switch for the project or, on the page of all projects, for all of them. */
export function ScenarioList({ route, open }: { readonly route: Route; readonly open: string | undefined }) {
  const { client, project } = useSession();
  const known = useLoaded(() => client.scenarios.list(), ["scenarios"]);
  const active = useActive();
  const area = useRef<HTMLElement>(null);
  useFocusOfOpen(area, open);
  const { filter } = route;
  const words = (filter.q ?? "").toLowerCase().split(/\s+/);
  const isShown = ({ name, description = "" }: Listed) => {
    const text = `${name} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const search = (q: string) =>
    navigate({ ...route, filter: { ...filter, scenario: open ?? "", q } }, { replace: true });
  return (
    <section ref={area} aria-labelledby="scenarios-title">
      <h2 id="scenarios-title">Scenarios</h2>
      <p class="quiet">
        {project === undefined
          ? "These switches are for all projects. Scenarios and rules of a project override them."
          : "The switches are for this project. Of two scenarios, the one that was activated last applies first."}
      </p>
      <search class="bar">
        <SearchField label="Search scenarios" value={filter.q ?? ""} onChange={search} />
      </search>
      <Failure of={active} />
      <Loading of={active.value ? known : { ...known, value: undefined }} lines={8}>
        {(scenarios) => {
          const shown = listed(scenarios, active.value ?? []).filter(isShown);
          if (shown.length === 0) return <p>{scenarios.length === 0 ? "No scenarios." : "No matching scenarios."}</p>;
          return (
            <ul class="plain items">
              {shown.map((scenario) => (
                <ScenarioItem
                  key={scenario.name}
                  scenario={scenario}
                  href={hrefOf({ ...route, filter: { ...filter, scenario: scenario.name } })}
                  isOpen={open === scenario.name}
                />
              ))}
            </ul>
          );
        }}
      </Loading>
    </section>
  );
}

interface ItemProps {
  readonly scenario: Listed;
  readonly href: string;
  readonly isOpen: boolean;
}

function ScenarioItem({ scenario, href, isOpen }: ItemProps) {
  const { project } = useSession();
  const { name, description, inline, own, shared } = scenario;
  const action = useAction();
  const switching = useSwitching(project);
  const isOn = (project === undefined ? shared : own) !== undefined;
  return (
    <li class="item-row" data-open={isOpen || undefined}>
      <button
        type="button"
        role="switch"
        aria-checked={isOn}
        aria-label={name}
        aria-disabled={action.isInProgress || undefined}
        onClick={() => {
          if (!action.isInProgress)
            void action.run(() => (isOn ? switching.deactivate(name) : switching.activate(name)));
        }}
      />
      <div class="item-text">
        <p>
          <a class="scenario-name" data-id={name} href={href} aria-current={isOpen || undefined}>
            {name}
          </a>{" "}
          {inline && <span class="badge">inline</span>} {own && <span class="badge">{stateOf(own)}</span>}{" "}
          {shared && (
            <span class="badge warning">
              {project === undefined ? stateOf(shared) : `all projects: ${stateOf(shared)}`}
            </span>
          )}
        </p>
        {description && <p class="quiet">{description}</p>}
        <Failure of={action} />
      </div>
    </li>
  );
}
