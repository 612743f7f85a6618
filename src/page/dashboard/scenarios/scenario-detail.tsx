import type { Activation, DefinedScenario } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { Button, Loading, unlessNotFound } from "../parts/action.tsx";
import { NumberField, useDraft } from "../parts/fields.tsx";
import { ItemPane } from "../parts/layout.tsx";
import { Facts } from "../parts/text.tsx";
import { type Active, useActive, useSwitching } from "./active-scenarios.tsx";
import { RuleText } from "./rules.tsx";
import { stateOf } from "./words.ts";

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
                  <li class="item-row" key={index}>
                    <RuleText rule={rule} label={`JSON of rule ${index + 1}`} />
                  </li>
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
        <Button run={() => switching.activate(name, options)}>{`Activate ${isActive ? "again " : ""}${where}`}</Button>
        {isActive && <Button run={() => switching.deactivate(name)}>{`Deactivate ${where}`}</Button>}
      </div>
    </>
  );
}
