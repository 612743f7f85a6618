import { useId } from "preact/hooks";
import type { Activation, DefinedScenario } from "../../../control/client/index.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { Button, isNotFound } from "../parts/action.tsx";
import { useDraft } from "../parts/drafts.ts";
import { Loading } from "../parts/loading.tsx";
import { Source } from "./rules.tsx";
import { stateOf } from "./scenario-list.tsx";
import { type Active, useSwitching } from "./use-scenarios.ts";
import { conditionsInWords, ruleInWords } from "./words.ts";

interface DetailProps {
  readonly project: string | undefined;
  readonly name: string;
  readonly closeHref: string;
}

interface Loaded {
  /** The scenario of this name for all projects; undefined for an inline scenario of the project. */
  readonly known?: DefinedScenario;
  readonly own?: Active;
  readonly shared?: Active;
}

/** A scenario: its rules, where it is active, and the options to activate it. */
export function ScenarioDetail({ project, name, closeHref }: DetailProps) {
  const { client } = useSession();
  const loaded = useLoaded(
    async (): Promise<Loaded> => {
      const [known, active] = await Promise.all([
        client.scenarios.get(name).catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        }),
        project === undefined ? [] : client.project(project).scenarios.list({ forAll: true }),
      ]);
      const named = active.filter((each) => each.name === name);
      return { known, own: named.find(({ forAll }) => !forAll), shared: named.find(({ forAll }) => forAll) };
    },
    on(project, "scenarios", "request", "journal"),
    [project, name],
  );
  return (
    <section class="pane item" aria-label={`Scenario ${name}`}>
      <div class="title">
        <h2>{name}</h2>
        <a class="quiet icon" href={closeHref} aria-label="Close this scenario">
          ✕
        </a>
      </div>
      <Loading of={loaded} lines={6}>
        {({ known, own, shared }) => {
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
                  <dd>{shared ? stateOf(shared) : known?.on ? stateOf({ ...known }) : "inactive"}</dd>
                </div>
              </dl>
              <Switches project={project} name={name} known={known} own={own} />
              <h3>{rules.length === 1 ? "Rule" : `${rules.length} rules, the first applies first`}</h3>
              <ol class="plain items">
                {rules.map((rule, index) => (
                  <li class="item-row" key={index}>
                    <div class="item-text">
                      <p>
                        <b>{ruleInWords(rule)}</b>
                      </p>
                      <p class="quiet">{conditionsInWords(rule) || "for every request"}</p>
                      <Source of={rule} label={`JSON of rule ${index + 1}`} />
                    </div>
                  </li>
                ))}
              </ol>
            </>
          );
        }}
      </Loading>
    </section>
  );
}

type SwitchesProps = Pick<DetailProps, "project" | "name"> & Pick<Loaded, "known" | "own">;

/** The limits for an activation, and the buttons to activate and deactivate. */
function Switches({ project, name, known, own }: SwitchesProps) {
  const inProject = useSwitching(project);
  const forAll = useSwitching(undefined);
  const [limits, setLimits] = useDraft(`${project ?? ""} scenario ${name}`, { times: "", probability: "" });
  const id = useId();
  const options = (): Activation => {
    const inline = own?.inline ? own : known?.inline ? known : undefined;
    return {
      ...(limits.times !== "" && { times: Number(limits.times) }),
      ...(limits.probability !== "" && { probability: Number(limits.probability) }),
      // An inline scenario has no file, so each activation defines it.
      ...(inline && { rules: [...inline.rules], ...(inline.description && { description: inline.description }) }),
    };
  };
  const again = (isActive: boolean, where: string) => (isActive ? `Activate again ${where}` : `Activate ${where}`);
  return (
    <>
      <div class="limits">
        <label for={`${id}-times`}>Number of requests</label>
        <input
          id={`${id}-times`}
          type="number"
          min={1}
          placeholder="no limit"
          value={limits.times}
          onInput={(event) => setLimits({ ...limits, times: event.currentTarget.value })}
        />
        <label for={`${id}-probability`}>Probability</label>
        <input
          id={`${id}-probability`}
          type="number"
          min={0}
          max={1}
          step="any"
          placeholder="1"
          value={limits.probability}
          onInput={(event) => setLimits({ ...limits, probability: event.currentTarget.value })}
        />
      </div>
      <div class="bar">
        {project !== undefined && (
          <Button run={() => inProject.activate(name, options())}>{again(own !== undefined, "in this project")}</Button>
        )}
        {own && <Button run={() => inProject.deactivate(name)}>Deactivate in this project</Button>}
        <Button run={() => forAll.activate(name, options())}>{again(known?.on ?? false, "for all projects")}</Button>
        {known?.on && <Button run={() => forAll.deactivate(name)}>Deactivate for all projects</Button>}
      </div>
    </>
  );
}
