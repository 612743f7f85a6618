import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AddedRule, Rule } from "../../../control/client/index.ts";
import { useLoaded, useProject, useSession } from "../live/session.ts";
import { Button, Failure, Form, Loading, unlessNotFound, useAction, useToasts } from "../parts/action.tsx";
import { NumberField } from "../parts/fields.tsx";
import { focusNeighbour, useFocusOfOpen, useShortcuts, useSteps } from "../parts/keyboard.tsx";
import { Item, ItemPane } from "../parts/layout.tsx";
import { Fold, JsonView } from "../parts/text.tsx";
import { hrefOf, navigate, type Route, useRoute } from "../route.ts";
import { useActive } from "./active-scenarios.tsx";
import { RuleForm } from "./rule-editor.tsx";
import { NextRequests } from "./rule-sentence.tsx";
import { type Activity, conditionsInWords, ruleInWords, stateOf, usesInWords } from "./words.ts";

const ruleId = /^r-\d+$/;

/**
 * The rules and scenarios of a project, or the scenarios for all projects. The item of the route is the name of an open
 * scenario or the id of a rule. The filter can have the open `scenario` too, or the form for a `rule`: `new`, or the id
 * of the rule to edit. The form for a new rule can begin with a `request`.
 */
export function Mocks() {
  const { project } = useSession();
  const route = useRoute();
  const { item } = route;
  const { scenario: named, rule, request, ...filter } = route.filter;
  const isRule = item !== undefined && ruleId.test(item);
  const scenario = named || (isRule ? undefined : item);
  const list: Route = { ...route, item: undefined, owner: undefined, filter };
  // The list puts the focus on the rule that was open.
  const back = (id = rule) => navigate({ ...list, item: id === "new" ? undefined : id });
  const hasForm = project !== undefined && Boolean(rule || request);
  useShortcuts({ Escape: () => hasForm && back() });
  if (hasForm) {
    const start = { rule, request };
    return <RuleForm key={`${rule} ${request}`} {...start} onCancel={back} onSaved={({ id }) => back(id)} />;
  }
  return (
    <div class={scenario ? "panes open" : "panes"}>
      <div class="pane">
        {project !== undefined && <NextRequests />}
        <div class="mock-columns">
          {project !== undefined && <Rules route={list} shown={isRule ? item : undefined} />}
          <ScenarioList route={list} open={scenario} />
        </div>
      </div>
      {scenario && <ScenarioDetail key={scenario} name={scenario} closeHref={hrefOf(list)} />}
    </div>
  );
}

/**
 * Loads all scenarios: the inline ones that are active in the project, and those that can be activated by name. Each has
 * its state in the project or, on the page of all projects, for all of them.
 */
function useScenarios() {
  const { client, project } = useSession();
  const known = useLoaded(() => client.scenarios.list(), ["scenarios"]);
  const active = useActive();
  const names = new Set(known.value?.map(({ name }) => name));
  const own = new Map(active.value?.filter(({ forAll }) => !forAll).map((each) => [each.name, each]));
  const inline = [...own.values()].filter(({ name }) => !names.has(name)).map((each) => ({ ...each, on: false }));
  const all = [...inline, ...(known.value ?? [])].map(({ on, ...each }) => {
    const { name: id, description = "" } = each;
    const activity: Activity | undefined = project ? own.get(id) : on ? each : undefined;
    const states = [each.inline && "inline", activity && stateOf(activity), project && on && "all projects"];
    return { id, description, isOn: activity !== undefined, state: states.filter(Boolean).join(" · ") };
  });
  return {
    loaded: { ...known, value: known.value && active.value && all },
    reload: () => Promise.all([known.reload(), active.reload()]),
  };
}

/** Returns the calls for the scenarios of the project or, on the page of all projects, for those of all projects. */
function useSwitching() {
  const { client, project } = useSession();
  if (project === undefined) return client.scenarios;
  const { use, scenarios } = client.project(project);
  return { use, off: scenarios.off };
}

/** All scenarios, each with a switch for the project or, on the page of all projects, for all of them. */
function ScenarioList({ route, open }: { readonly route: Route; readonly open: string | undefined }) {
  const { project } = useSession();
  const { loaded, reload } = useScenarios();
  const { use, off } = useSwitching();
  const active = useActive();
  const toasts = useToasts();
  const action = useAction();
  const area = useRef<HTMLElement>(null);
  useFocusOfOpen(area, open);
  const routeTo = (scenario = "") => ({ ...route, filter: { ...route.filter, scenario } });
  useSteps(loaded.value ?? [], open, (scenario) => routeTo(scenario?.id));
  const toggle = async (name: string, isOn: boolean) => {
    const inline = active.value?.find((each) => each.inline && each.name === name);
    await (isOn ? off(name) : use(name));
    // No file has an inline scenario, so it would be lost.
    if (isOn && inline) {
      const { times, probability, description, rules } = inline;
      toasts.show(`${name} is off`, () => use(name, { times, probability, description, rules: [...rules] }));
    }
    // A second click before the list shows the result would repeat the call.
    await reload();
  };
  return (
    <section ref={area} class="scenarios" aria-labelledby="scenarios-title">
      <h2 id="scenarios-title">Scenarios</h2>
      <p class="quiet">
        {project === undefined
          ? "Active for all projects. Scenarios and rules of a project override them."
          : "Active in this project. The scenario that was activated last applies first."}
      </p>
      <Failure of={action} />
      <Loading of={loaded} lines={8} none={<p>No scenarios.</p>}>
        {(scenarios) => (
          <ul class="plain items">
            {scenarios.map(({ id, description, isOn, state }) => (
              <Item
                key={id}
                isOpen={open === id}
                lead={
                  <button
                    type="button"
                    role="switch"
                    aria-checked={isOn}
                    aria-label={id}
                    onClick={() => action.isInProgress || void action.run(() => toggle(id, isOn))}
                  />
                }
                title={
                  <>
                    <a data-id={id} href={hrefOf(routeTo(id))} aria-current={open === id || undefined}>
                      {id}
                    </a>{" "}
                    {state && <span class="badge">{state}</span>}
                  </>
                }
                about={description}
              />
            ))}
          </ul>
        )}
      </Loading>
    </section>
  );
}

/** A scenario: its rules, and a form to activate it for some requests. */
function ScenarioDetail({ name, closeHref }: { readonly name: string; readonly closeHref: string }) {
  const { client, project } = useSession();
  const [times, setTimes] = useState<number>();
  const { use } = useSwitching();
  const loaded = useLoaded(
    async () => {
      const active = project === undefined ? [] : await client.project(project).scenarios.list();
      const own = active.find((each) => each.name === name);
      return own ?? (await client.scenarios.get(name).catch(unlessNotFound)) ?? null;
    },
    ["scenarios"],
    [name],
  );
  return (
    <ItemPane noun="Scenario" name={name} closeHref={closeHref}>
      <Loading of={loaded} lines={6}>
        {(scenario) => {
          if (!scenario)
            return <p>No scenario has this name now. An inline scenario exists only while it is active.</p>;
          const { description, inline, rules } = scenario;
          return (
            <>
              <p>{description}</p>
              {!inline && (
                <Form
                  isLine
                  run={() => use(name, { times })}
                  done={`${name} is active`}
                  submit={`Activate ${project === undefined ? "for all projects" : "in this project"}`}
                >
                  <span>The next</span>
                  <NumberField
                    label="Number of requests"
                    isBare
                    value={times}
                    min={1}
                    placeholder="all"
                    onChange={setTimes}
                  />
                  <span>requests</span>
                </Form>
              )}
              <h3>{rules.length === 1 ? "Rule" : `${rules.length} rules, the first applies first`}</h3>
              <ol class="plain items">
                {rules.map((rule, index) => (
                  <RuleItem key={index} rule={rule} name={`rule ${index + 1}`} />
                ))}
              </ol>
            </>
          );
        }}
      </Loading>
    </ItemPane>
  );
}

/** The rules of a project, newest first. With `shown`, a link or the form has led to this rule. */
function Rules({ route, shown }: { readonly route: Route; readonly shown: string | undefined }) {
  const controls = useProject();
  const toasts = useToasts();
  const area = useRef<HTMLElement>(null);
  const rules = useLoaded(() => controls.rules.list(), ["rules", "request", "journal"]);
  const isLoaded = rules.value !== undefined;
  useLayoutEffect(() => area.current?.querySelector<HTMLElement>("[data-open] a")?.focus(), [shown, isLoaded]);
  const remove = async ({ id, rule }: AddedRule) => {
    await controls.rules.delete(id);
    focusNeighbour(document.activeElement);
    toasts.show(`Rule ${id} is removed`, () => controls.rule(rule));
  };
  return (
    <section ref={area} aria-labelledby="rules-title">
      <h2 id="rules-title">Rules</h2>
      <p class="quiet">Rules override scenarios. The newest rule applies first.</p>
      {shown && rules.value?.every(({ id }) => id !== shown) && <p>The project has no rule {shown} now.</p>}
      <Loading of={rules} lines={2} none={<p class="notice calm">No rules. The sentence above adds one.</p>}>
        {(list) => (
          <ul class="plain items">
            {list.map((added) => {
              const { id, rule, used } = added;
              const editHref = hrefOf({ ...route, filter: { ...route.filter, rule: id } });
              return (
                <RuleItem key={id} rule={rule} name={id} used={used} isOpen={shown === id}>
                  <a class="button quiet" href={editHref} aria-label={`Edit ${id}`}>
                    Edit
                  </a>
                  <Button run={() => remove(added)} label={`Remove ${id}`} kind="quiet">
                    Remove
                  </Button>
                </RuleItem>
              );
            })}
          </ul>
        )}
      </Loading>
    </section>
  );
}

interface RuleProps {
  readonly rule: Rule;
  readonly name: string;
  /** Undefined for a rule of a scenario. */
  readonly used?: number;
  readonly isOpen?: boolean;
  readonly children?: ComponentChildren;
}

/** A rule in words, and its JSON on demand. */
function RuleItem({ rule, name, used, isOpen, children }: RuleProps) {
  const limit = rule.times ?? rule.sequence?.length;
  return (
    <Item
      isOpen={isOpen}
      title={
        <>
          <b>{ruleInWords(rule)}</b> {used !== undefined && <span class="badge">{usesInWords(used, limit)}</span>}
        </>
      }
      about={`${used === undefined ? "" : `${name} · `}${conditionsInWords(rule) || "every request"}`}
      more={
        <Fold title="JSON" label={`JSON of ${name}`}>
          {() => <JsonView value={rule} label={`JSON of ${name}`} />}
        </Fold>
      }
    >
      {children}
    </Item>
  );
}
