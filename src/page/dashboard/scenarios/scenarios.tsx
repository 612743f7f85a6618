import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Activation, AddedRule, DefinedScenario, KnownScenario, Rule } from "../../../control/client/index.ts";
import { readOf } from "../api/document.ts";
import { contractOf, useLoaded, useProject, useSession } from "../live/session.ts";
import { Button, Failure, Loading, unlessNotFound, useAction, useToasts } from "../parts/action.tsx";
import { NumberField, SearchField, useDraft } from "../parts/fields.tsx";
import { focusNeighbour, useFocusOfOpen, useShortcuts } from "../parts/keyboard.tsx";
import { Item, ItemPane } from "../parts/layout.tsx";
import { Facts, Fold, JsonView } from "../parts/text.tsx";
import { hrefOf, navigate, type Route, useRoute } from "../route.ts";
import { type Active, useActive, useSwitching } from "./active-scenarios.tsx";
import { RuleForm } from "./rule-editor.tsx";
import { type Activity, conditionsInWords, limitOf, ruleInWords, stateOf, usesInWords } from "./words.ts";

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
function ScenarioList({ route, open }: { readonly route: Route; readonly open: string | undefined }) {
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
function ScenarioDetail({ name, closeHref }: { readonly name: string; readonly closeHref: string }) {
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

/** The rules of a project, newest first, and a link to the form for a new one. */
export function Rules({ route, shown }: { readonly route: Route; readonly shown: string | undefined }) {
  const controls = useProject();
  const session = useSession();
  const rules = useLoaded(() => controls.rules.list(), ["rules", "request", "journal"]);
  const toasts = useToasts();
  const action = useAction();
  const formOf = (rule: string) => hrefOf({ ...route, filter: { ...route.filter, rule } });
  const clear = async () => {
    // The list on the page may be older.
    const removed = await controls.rules.list();
    await controls.rules.clear();
    // The newest rule is the first of the list, and is added last.
    toasts.show("All rules are removed", async () => {
      for (const { rule } of removed.toReversed()) await controls.rule(rule);
    });
  };
  const failReads = async () => {
    const operation = readOf(await contractOf(session));
    const { id } = await controls.rule({ operation, times: 2, respond: { status: 503 } });
    toasts.show("The next 2 reads by id get 503", () => controls.rules.delete(id));
  };
  return (
    <section aria-labelledby="rules-title">
      <div class="title">
        <h2 id="rules-title">Rules</h2>
        {rules.value && rules.value.length > 1 && (
          <Button action={action} run={clear} kind="quiet">
            Remove all
          </Button>
        )}
        <Button action={action} run={failReads} kind="quiet">
          Fail the next 2 reads
        </Button>
        <a class="button primary" href={formOf("new")}>
          New rule
        </a>
      </div>
      <p class="quiet">Rules override scenarios. The newest rule applies first.</p>
      <Failure of={action} />
      {shown && rules.value?.every(({ id }) => id !== shown) && <p>The project has no rule {shown} now.</p>}
      <Loading of={rules} lines={2} none={<p>No rules.</p>}>
        {(list) => (
          <ul class="plain items">
            {list.map((added) => (
              <RuleItem key={added.id} added={added} formOf={formOf} isShown={shown === added.id} />
            ))}
          </ul>
        )}
      </Loading>
    </section>
  );
}

interface RuleItemProps {
  readonly added: AddedRule;
  /** Returns the URL of the form for a rule; see `Scenarios`. */
  readonly formOf: (rule: string) => string;
  /** Whether a link or the form has led to this rule. */
  readonly isShown: boolean;
}

function RuleItem({ added, formOf, isShown }: RuleItemProps) {
  const { id, rule } = added;
  const controls = useProject();
  const toasts = useToasts();
  const edit = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => {
    if (isShown) edit.current?.focus();
  }, [isShown]);
  const remove = async () => {
    await controls.rules.delete(id);
    focusNeighbour(edit.current);
    toasts.show(`Rule ${id} is removed`, () => controls.rule(rule));
  };
  return (
    <RuleRow rule={rule} added={added} label={`JSON of ${id}`} isShown={isShown}>
      <a ref={edit} class="button quiet" href={formOf(id)} aria-label={`Edit ${id}`}>
        Edit
      </a>
      <Button run={remove} label={`Remove ${id}`} kind="quiet">
        Remove
      </Button>
    </RuleRow>
  );
}

interface RuleRowProps {
  readonly rule: Rule;
  readonly added?: AddedRule;
  readonly label: string;
  readonly isShown?: boolean;
  readonly children?: ComponentChildren;
}

/** A rule in words, and its JSON on demand. */
function RuleRow({ rule, added, label, isShown, children }: RuleRowProps) {
  return (
    <Item
      isOpen={isShown}
      isUsedUp={added && added.used >= (limitOf(rule) ?? Number.POSITIVE_INFINITY)}
      title={
        <>
          <b>{ruleInWords(rule)}</b> {added && <span class="badge">{usesInWords(added.used, limitOf(rule))}</span>}
        </>
      }
      about={
        <>
          {added && <code>{added.id}</code>} {conditionsInWords(rule) || "for every request"}
        </>
      }
      more={
        <Fold title="JSON" label={label}>
          {() => <JsonView value={rule} label={label} />}
        </Fold>
      }
    >
      {children}
    </Item>
  );
}
