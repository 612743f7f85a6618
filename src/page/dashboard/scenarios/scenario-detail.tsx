import type { Activation, DefinedScenario, Rule } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { Button, Loading, unlessNotFound } from "../parts/action.tsx";
import { NumberField, useDraft } from "../parts/fields.tsx";
import { ItemPane } from "../parts/layout.tsx";
import { type Active, useActive, useSwitching } from "./active-scenarios.tsx";
import { RuleText } from "./rules.tsx";
import { stateOf } from "./words.ts";

interface DetailProps {
  readonly name: string;
  readonly closeHref: string;
}

/** A scenario: its rules, where it is active, and the options to activate it. */
export function ScenarioDetail({ name, closeHref }: DetailProps) {
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
              <dl class="facts">
                {project !== undefined && (
                  <div>
                    <dt>In {project}</dt>
                    <dd>{own ? stateOf(own) : "inactive"}</dd>
                  </div>
                )}
                <div>
                  <dt>For all projects</dt>
                  <dd>{shared ? stateOf(shared) : known?.on ? stateOf(known) : "inactive"}</dd>
                </div>
              </dl>
              <Switches name={name} known={known} own={own} />
              <RuleList rules={rules} />
            </>
          );
        }}
      </Loading>
    </ItemPane>
  );
}

function RuleList({ rules }: { readonly rules: readonly Rule[] }) {
  return (
    <>
      <h3>{rules.length === 1 ? "Rule" : `${rules.length} rules, the first applies first`}</h3>
      <ol class="plain items">
        {rules.map((rule, index) => (
          <li class="item-row" key={index}>
            <RuleText rule={rule} label={`JSON of rule ${index + 1}`} />
          </li>
        ))}
      </ol>
    </>
  );
}

interface SwitchesProps {
  readonly name: string;
  /** The scenario of this name for all projects; undefined for an inline scenario of the project. */
  readonly known: DefinedScenario | undefined;
  readonly own: Active | undefined;
}

/** The limits for an activation, and the buttons to activate and deactivate. */
function Switches({ name, known, own }: SwitchesProps) {
  const { project } = useSession();
  const inProject = useSwitching(project);
  const forAll = useSwitching(undefined);
  const [limits, setLimits] = useDraft<Pick<Activation, "times" | "probability">>(`${project} scenario ${name}`, {});
  const inline = own?.inline ? own : known?.inline ? known : undefined;
  const options: Activation = {
    ...limits,
    // An inline scenario has no file, so each activation defines it.
    ...(inline && { rules: [...inline.rules], ...(inline.description && { description: inline.description }) }),
  };
  const again = (isActive: boolean, where: string) => (isActive ? `Activate again ${where}` : `Activate ${where}`);
  return (
    <>
      <div class="bar limits">
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
        {project !== undefined && (
          <Button run={() => inProject.activate(name, options)}>{again(own !== undefined, "in this project")}</Button>
        )}
        {own && <Button run={() => inProject.deactivate(name)}>Deactivate in this project</Button>}
        <Button run={() => forAll.activate(name, options)}>{again(known?.on ?? false, "for all projects")}</Button>
        {known?.on && <Button run={() => forAll.deactivate(name)}>Deactivate for all projects</Button>}
      </div>
    </>
  );
}
