import { Failure, useAction } from "../parts/action.tsx";
import { focusNeighbour } from "../parts/neighbour.ts";
import { hrefOf } from "../route.ts";
import { type Active, useActiveScenarios, useSwitching } from "./use-scenarios.ts";
import { percent, usesInWords } from "./words.ts";

/** The most chips. The view of the scenarios lists the others. */
const MAX_SHOWN = 12;

/** The active scenarios of a project as chips, each with a button that deactivates it. Nothing without any. */
export function ActiveScenarios({ project }: { project: string }) {
  const { value: active = [] } = useActiveScenarios(project);
  if (active.length === 0) return null;
  return (
    <ul class="chips" aria-label="Active scenarios">
      {active.slice(0, MAX_SHOWN).map((scenario) => (
        <Chip key={`${scenario.name} ${scenario.forAll}`} project={project} scenario={scenario} />
      ))}
      {active.length > MAX_SHOWN && (
        <li>
          <a href={hrefOf({ project, view: "scenarios" })}>{active.length - MAX_SHOWN} more</a>
        </li>
      )}
    </ul>
  );
}

function Chip({ project, scenario }: { project: string; scenario: Active }) {
  const { name, used, times, probability, forAll } = scenario;
  const action = useAction();
  const switching = useSwitching(forAll ? undefined : project);
  const isUsedUp = times !== undefined && used >= times;
  const label = `Deactivate ${name}${forAll ? " for all projects" : ""}`;
  return (
    <li>
      <span class={isUsedUp ? "chip used-up" : "chip"}>
        <a href={hrefOf({ project, view: "scenarios", filter: { scenario: name } })}>{name}</a>
        <span class="quiet">
          {[
            forAll && "all projects",
            isUsedUp ? "used up" : times === undefined ? used > 0 && `${used}×` : usesInWords(used, times),
            probability !== undefined && percent(probability),
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
        <button
          type="button"
          class="quiet"
          aria-label={label}
          title={label}
          aria-disabled={action.isInProgress || undefined}
          onClick={({ currentTarget }) =>
            void action
              .run(() => switching.deactivate(name))
              .then((isDone) => {
                if (isDone) focusNeighbour(currentTarget, "button");
              })
          }
        >
          ✕
        </button>
      </span>
      <Failure of={action} />
    </li>
  );
}
