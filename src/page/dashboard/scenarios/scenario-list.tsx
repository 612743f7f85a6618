import { useLayoutEffect, useRef } from "preact/hooks";
import type { KnownScenario, MockEvent } from "../../../control/client/index.ts";
import { on } from "../live/events.ts";
import { type Loaded, useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { Failure, useAction } from "../parts/action.tsx";
import { Loading } from "../parts/loading.tsx";
import { hrefOf, navigate, type Route } from "../route.ts";
import { type Active, useSwitching } from "./use-scenarios.ts";
import { percent, usesInWords } from "./words.ts";

/** A scenario, and whether it is active in the project and for all projects. */
interface Listed {
  readonly name: string;
  readonly description?: string;
  readonly isInline: boolean;
  /** The scenario as it is active in the project. */
  readonly own?: Active;
  /** The scenario as it is active for all projects. The number of uses is that of the project. */
  readonly shared?: Pick<Active, "times" | "probability"> & { readonly used?: number };
}

/** Loads all scenarios: those that can be activated by name, and the inline ones that are active. */
function useScenarios(project: string | undefined): Loaded<Listed[]> {
  const { client } = useSession();
  const isCounted = useRef(false);
  const list = useLoaded(
    async () => {
      const [known, active = []] = await Promise.all([
        client.scenarios.list(),
        project === undefined ? undefined : client.project(project).scenarios.list({ forAll: true }),
      ]);
      return listed(known, active);
    },
    // A request changes only the counts of active scenarios.
    (event: MockEvent) =>
      on(project, "scenarios", ...(isCounted.current ? (["request", "journal"] as const) : []))(event),
    [project],
  );
  isCounted.current = project !== undefined && (list.value ?? []).some(({ own, shared }) => own ?? shared);
  return list;
}

function listed(known: readonly KnownScenario[], active: readonly Active[]): Listed[] {
  const activeAs = (name: string, forAll: boolean) =>
    active.find((each) => each.name === name && (each.forAll ?? false) === forAll);
  const shown = known.map(({ name, description, inline, on, times, probability }): Listed => {
    const own = activeAs(name, false);
    return {
      name,
      description: own?.description ?? description,
      isInline: own?.inline ?? inline,
      own,
      shared: on ? (activeAs(name, true) ?? { times, probability }) : undefined,
    };
  });
  const others = active.filter(({ name, forAll }) => !forAll && known.every((each) => each.name !== name));
  return [...others.map((own) => ({ ...own, isInline: own.inline, own })), ...shown];
}

interface ListProps {
  readonly project?: string;
  readonly route: Route;
  /** The name of the open scenario. */
  readonly open: string | undefined;
}

/** All scenarios, each with a switch for the project or, without `project`, for all projects. */
export function ScenarioList({ project, route, open }: ListProps) {
  const { filter } = route;
  const scenarios = useScenarios(project);
  const words = (filter.q ?? "").toLowerCase().split(/\s+/);
  const isActive = ({ own, shared }: Listed) => (project === undefined ? shared : (own ?? shared)) !== undefined;
  const isShown = (scenario: Listed) => {
    const text = `${scenario.name} ${scenario.description ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word)) && (filter.active !== "true" || isActive(scenario));
  };
  const change = (changed: Route["filter"]) =>
    navigate({ ...route, filter: { ...filter, scenario: open ?? "", ...changed } }, { replace: true });
  return (
    <section aria-labelledby="scenarios-title">
      <h2 id="scenarios-title">Scenarios</h2>
      <p class="quiet">
        {project === undefined
          ? "These switches are for all projects. Scenarios and rules of a project override them."
          : "The switches are for this project. Of two scenarios, the one that was activated last applies first."}
      </p>
      <search class="bar">
        <input
          type="search"
          aria-label="Search scenarios"
          placeholder="Search scenarios"
          value={filter.q ?? ""}
          onInput={(event) => change({ q: event.currentTarget.value })}
        />
        <button
          type="button"
          aria-pressed={filter.active === "true"}
          onClick={() => change({ active: filter.active === "true" ? "" : "true" })}
        >
          Active
        </button>
      </search>
      <Loading of={scenarios} lines={8}>
        {(list) => {
          const shown = list.filter(isShown);
          if (shown.length === 0) return <p>{list.length === 0 ? "No scenarios." : "No matching scenarios."}</p>;
          return (
            <ul class="plain items">
              {shown.map((scenario) => (
                <ScenarioItem
                  key={scenario.name}
                  project={project}
                  scenario={scenario}
                  route={route}
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
  readonly project: string | undefined;
  readonly scenario: Listed;
  readonly route: Route;
  readonly isOpen: boolean;
}

function ScenarioItem({ project, scenario, route, isOpen }: ItemProps) {
  const { name, description, isInline, own, shared } = scenario;
  const action = useAction();
  const switching = useSwitching(project);
  const isOn = (project === undefined ? shared : own) !== undefined;
  const link = useRef<HTMLAnchorElement>(null);
  const wasOpen = useRef(isOpen);
  useLayoutEffect(() => {
    // The detail had the focus, and is gone.
    if (wasOpen.current && !isOpen && document.activeElement === document.body) link.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
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
          <a
            ref={link}
            class="scenario-name"
            href={hrefOf({ ...route, filter: { ...route.filter, scenario: name } })}
            aria-current={isOpen || undefined}
          >
            {name}
          </a>{" "}
          {isInline && <span class="badge">inline</span>} {own && <span class="badge">{stateOf(own)}</span>}{" "}
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

/** Returns how often an active scenario was used, and its limits. */
export function stateOf({ used, times, probability }: NonNullable<Listed["shared"]>): string {
  const isUsedUp = times !== undefined && used !== undefined && used >= times;
  const uses =
    used === undefined ? times !== undefined && `${times} requests of each project` : usesInWords(used, times);
  const parts = [isUsedUp ? `used up, ${used} of ${times}` : uses, probability !== undefined && percent(probability)];
  return parts.filter(Boolean).join(", ") || "active";
}
