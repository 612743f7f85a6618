import { useRef } from "preact/hooks";
import type { Activation, DefinedScenario, KnownScenario } from "../../../control/client/index.ts";
import { useLoaded, useSession } from "../live/session.ts";
import { Button, Failure, Loading, unlessNotFound, useAction } from "../parts/action.tsx";
import { NumberField, SearchField, useDraft } from "../parts/fields.tsx";
import { useFocusOfOpen, useShortcuts } from "../parts/keyboard.tsx";
import { Item, ItemPane } from "../parts/layout.tsx";
import { Facts } from "../parts/text.tsx";
import { hrefOf, navigate, type Route, useRoute } from "../route.ts";
import { type Active, useActive, useSwitching } from "./active-scenarios.tsx";
import { RuleForm } from "./rule-editor.tsx";
import { RuleRow, Rules } from "./rules.tsx";
import { type Activity, stateOf } from "./words.ts";

const ruleId = /^r-\d+$/;

/**
 * The rules and scenarios of a project, or the scenarios for all projects. The item of the route is the name of an open
 * scenario or the id of a rule. The filter can have the open `scenario` too, or the form for a `rule`: `new`, or the id
 * of the rule to edit. With `request` or `resource`, the form has a rule from it.
 */
export function Scenarios() {
  const { project } = useSession();
  const route = useRoute();
  const { scenario: named, rule, request, resource, shown, ...others } = route.filter;
  const { item } = route;
  const isRule = item !== undefined && ruleId.test(item);
  const scenario = named || (isRule ? undefined : item);
  const list: Route = { ...route, item: undefined, owner: undefined, filter: others };
  // The list puts the focus on the rule that was open.
  const back: Route = rule && ruleId.test(rule) ? { ...list, filter: { ...others, shown: rule } } : list;
  const hasForm = Boolean(rule || request || resource);
  useShortcuts({ Escape: () => (scenario || hasForm) && navigate(back) });

  if (project !== undefined && hasForm) {
    return (
      <RuleForm
        key={`${rule} ${request} ${resource}`}
        {...{ rule, request, resource }}
        closeHref={hrefOf(back)}
        onSaved={({ id }) => navigate({ ...list, filter: { ...others, shown: id } })}
      />
    );
  }
  return (
    <div class={scenario ? "panes open" : "panes"}>
      <div class="pane scenarios">
        {project !== undefined && <Rules route={list} shown={isRule ? item : shown} />}
        <ScenarioList route={list} open={scenario} />
      </div>
      {scenario && <ScenarioDetail key={scenario} name={scenario} closeHref={hrefOf(list)} />}
    </div>
  );
}

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
                  reload={() => Promise.all([known.reload(), active.reload()])}
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
  readonly reload: () => Promise<unknown>;
}

function ScenarioItem({ scenario, href, isOpen, reload }: ItemProps) {
  const { project } = useSession();
  const { name, description, inline, own, shared } = scenario;
  const action = useAction();
  const switching = useSwitching(project);
  const isOn = (project === undefined ? shared : own) !== undefined;
  const toggle = () =>
    action.run(async () => {
      await (isOn ? switching.deactivate(name) : switching.activate(name));
      // A second click before the list shows the result would repeat the call.
      await reload();
    });
  return (
    <Item
      isOpen={isOpen}
      lead={
        <button
          type="button"
          role="switch"
          aria-checked={isOn}
          aria-label={name}
          aria-disabled={action.isInProgress || undefined}
          onClick={() => action.isInProgress || void toggle()}
        />
      }
      title={
        <>
          <a class="scenario-name" data-id={name} href={href} aria-current={isOpen || undefined}>
            {name}
          </a>{" "}
          {inline && <span class="badge">inline</span>} {own && <span class="badge">{stateOf(own)}</span>}{" "}
          {shared && (
            <span class="badge warning">
              {project === undefined ? stateOf(shared) : `all projects: ${stateOf(shared)}`}
            </span>
          )}
        </>
      }
      about={description}
      more={<Failure of={action} />}
    />
  );
}

/** A scenario: its rules, where it is active, and the options to activate it. */
export function ScenarioDetail({ name, closeHref }: { readonly name: string; readonly closeHref: string }) {
  const { client, project } = useSession();
  const loaded = useLoaded(
    // An inline scenario of the project is unknown.
    async () => ({ known: await client.scenarios.get(name).catch(unlessNotFound) }),
    ["scenarios"],
    [name],
  );
  const active = useActive();
  const named = active.value?.filter((each) => each.name === name);
  const own = named?.find(({ forAll }) => !forAll);
  const shared = named?.find(({ forAll }) => forAll);
  return (
    <ItemPane noun="Scenario" name={name} closeHref={closeHref}>
      <Loading of={named ? loaded : { ...loaded, value: undefined }} lines={6}>
        {({ known }) => {
          const { rules, description } = own ?? known ?? {};
          if (!rules) return <p>No scenario has this name now. An inline scenario exists only while it is active.</p>;
          return (
            <>
              <p>{description}</p>
              <Facts
                of={[
                  [`In ${project}`, project !== undefined && (own ? stateOf(own) : "inactive")],
                  ["For all projects", shared ? stateOf(shared) : known?.on ? stateOf(known) : "inactive"],
                ]}
              />
              <Switches name={name} known={known} own={own} />
              <h3>{rules.length === 1 ? "Rule" : `${rules.length} rules, the first applies first`}</h3>
              <ol class="plain items">
                {rules.map((rule, index) => (
                  <RuleRow key={index} rule={rule} label={`JSON of rule ${index + 1}`} />
                ))}
              </ol>
            </>
          );
        }}
      </Loading>
    </ItemPane>
  );
}

interface SwitchesProps {
  readonly name: string;
  /** The scenario of this name for all projects; undefined for an inline scenario of the project. */
  readonly known: DefinedScenario | undefined;
  readonly own: Active | undefined;
}

function Switches({ name, known, own }: SwitchesProps) {
  const { project } = useSession();
  const switching = useSwitching(project);
  const [limits, setLimits] = useDraft<Pick<Activation, "times" | "probability">>(`${project} scenario ${name}`, {});
  const inline = own?.inline ? own : known?.inline ? known : undefined;
  const options: Activation = {
    ...limits,
    // An inline scenario has no file, so each activation defines it.
    ...(inline && { rules: [...inline.rules], ...(inline.description && { description: inline.description }) }),
  };
  const isActive = project === undefined ? known?.on : own !== undefined;
  const where = project === undefined ? "for all projects" : "in this project";
  return (
    <>
      <div class="bar">
        <NumberField
          label="Number of requests"
          value={limits.times}
          min={1}
          placeholder="no limit"
          onChange={(times) => setLimits({ ...limits, times })}
        />
        <NumberField
          label="Probability"
          value={limits.probability}
          max={1}
          step="any"
          placeholder="1"
          onChange={(probability) => setLimits({ ...limits, probability })}
        />
      </div>
      <div class="bar">
        <Button run={() => switching.activate(name, options)}>{`Activate ${isActive ? "again " : ""}${where}`}</Button>
        {isActive && <Button run={() => switching.deactivate(name)}>{`Deactivate ${where}`}</Button>}
      </div>
    </>
  );
}
