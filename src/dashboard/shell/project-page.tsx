import { useState } from "preact/hooks";
import { Coverage } from "../coverage/coverage.tsx";
import { useEvents, useProject } from "../live/session.ts";
import { Button } from "../parts/action.tsx";
import { Requests } from "../requests/requests.tsx";
import { projectViews, type Route } from "../route.ts";
import { ActiveScenarios } from "../scenarios/active-scenarios.tsx";
import { Scenarios } from "../scenarios/scenarios.tsx";
import { Settings } from "../settings/settings.tsx";
import { State } from "../state/state.tsx";
import { Tabs } from "./tabs.tsx";

interface ProjectPageProps {
  readonly project: string;
  readonly route: Route;
}

/** The page of a project, with one of its views open. */
export function ProjectPage({ project, route }: ProjectPageProps) {
  const controls = useProject(project);
  const [isDeleted, setDeleted] = useState(false);
  useEvents((events) => {
    const last = events.findLast(({ type, data }) => type === "project" && data.project === project);
    if (last?.type === "project") setDeleted(last.data.change === "closed");
  });

  return (
    <>
      <div class="title">
        <h1>{project}</h1>
        <Button
          run={controls.reset}
          confirm={{ question: `Reset ${project} to its initial state? Snapshots stay.`, yes: "Reset project" }}
          done="The project is reset"
        >
          Reset
        </Button>
        <Button
          run={controls.close}
          kind="danger"
          confirm={{ question: `Delete ${project} with all its data?`, yes: "Delete project" }}
          done={`Project ${project} is deleted`}
        >
          Delete project
        </Button>
      </div>
      {isDeleted ? (
        // Any read would create the project again, although a suite has closed it.
        <p class="view">
          This project was deleted.{" "}
          <button type="button" onClick={() => setDeleted(false)}>
            Create it again
          </button>
        </p>
      ) : (
        <>
          <ActiveScenarios project={project} />
          <Tabs of={project} project={project} views={projectViews} selected={route.view} />
          <ProjectView project={project} route={route} />
        </>
      )}
    </>
  );
}

function ProjectView({ project, route }: ProjectPageProps) {
  switch (route.view) {
    case "requests":
      return <Requests project={project} route={route} />;
    case "scenarios":
      return <Scenarios project={project} route={route} />;
    case "state":
      return <State project={project} route={route} />;
    case "api":
      return null;
    case "coverage":
      return <Coverage project={project} route={route} />;
    case "settings":
      return <Settings project={project} />;
  }
}
