import { useState } from "preact/hooks";
import { Button, Failure, useAction } from "./action.tsx";
import { Coverage } from "./coverage.tsx";
import { Requests } from "./requests.tsx";
import { hrefOf, type Part, parts, type Route } from "./route.ts";
import { Rules } from "./rules.tsx";
import { ScenarioSwitches } from "./scenario-switches.tsx";
import { useEvents, useProject } from "./session.ts";
import { Settings } from "./settings.tsx";
import { State } from "./state.tsx";

const titles: Readonly<Record<Part, string>> = {
  requests: "Requests",
  scenarios: "Scenarios",
  state: "State",
  coverage: "Coverage",
  settings: "Settings",
};

/** The page of a project, with one of its tabs open. */
export function Project({ project, part, item }: Route & { project: string }) {
  const controls = useProject(project);
  const action = useAction();
  const [isClosed, setClosed] = useState(false);
  useEvents((events) => {
    const last = events.findLast(({ data, type }) => data.project === project && type !== "state");
    if (last) setClosed(last.type === "project" && last.data.change === "closed");
  });

  return (
    <>
      <div class="title">
        <h1>{project}</h1>
        <Button action={action} run={controls.reset} confirm={`Reset ${project} to its initial state?`}>
          Reset
        </Button>
        <Button action={action} run={controls.close} confirm={`Close ${project} and delete all its data?`}>
          Close
        </Button>
      </div>
      <Failure of={action} />
      {isClosed ? (
        // Any read would create the project again, although a suite has closed it.
        <p>
          The project is closed.{" "}
          <Button action={action} run={async () => setClosed(false)}>
            Open it again
          </Button>
        </p>
      ) : (
        <>
          <nav class="tabs" aria-label={`Tabs of ${project}`}>
            {parts.map((each) => (
              <a key={each} href={hrefOf({ project, part: each })} aria-current={each === part ? "page" : undefined}>
                {titles[each]}
              </a>
            ))}
          </nav>
          <PartOf project={project} part={part} item={item} />
        </>
      )}
    </>
  );
}

function PartOf({ project, part, item }: Route & { project: string }) {
  switch (part) {
    case "requests":
      return <Requests project={project} item={item} />;
    case "scenarios":
      return (
        <>
          <ScenarioSwitches project={project} />
          <Rules project={project} />
        </>
      );
    case "state":
      return <State project={project} item={item} />;
    case "coverage":
      return <Coverage project={project} />;
    case "settings":
      return <Settings project={project} />;
  }
}
