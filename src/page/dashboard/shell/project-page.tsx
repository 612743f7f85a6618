import { Api } from "../api/api.tsx";
import { Coverage } from "../coverage/coverage.tsx";
import { useProjectSession } from "../live/project-session.ts";
import { SessionContext, useProject } from "../live/session.ts";
import { Button } from "../parts/action.tsx";
import { Requests } from "../requests/requests.tsx";
import { projectViews, type Route } from "../route.ts";
import { ActiveScenarios } from "../scenarios/active-scenarios.tsx";
import { Scenarios } from "../scenarios/scenarios.tsx";
import { Settings } from "../settings/settings.tsx";
import { State } from "../state/state.tsx";
import { FromArchive } from "./from-archive.tsx";
import { Tabs } from "./tabs.tsx";

interface ProjectPageProps {
  readonly project: string;
  readonly route: Route;
}

/** The page of a project, with one of its views open. */
export function ProjectPage({ project, route }: ProjectPageProps) {
  const { session, isClosed, setClosed } = useProjectSession(project);
  return (
    <>
      <div class="title">
        <h1>{project}</h1>
        {!isClosed && <ProjectActions project={project} onDeleted={() => setClosed(true)} />}
      </div>
      {isClosed ? (
        <p class="view">
          This project was deleted.{" "}
          <button type="button" ref={takeFocus} onClick={() => setClosed(false)}>
            Open it again
          </button>
        </p>
      ) : (
        <SessionContext.Provider value={session}>
          <FromArchive project={project} />
          <ActiveScenarios project={project} />
          <Tabs of={project} project={project} views={projectViews} selected={route.view} />
          <ProjectView project={project} route={route} />
        </SessionContext.Provider>
      )}
    </>
  );
}

/** Moves the focus to an element if the focused element has disappeared. */
function takeFocus(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus();
}

function ProjectActions({ project, onDeleted }: { project: string; onDeleted: () => void }) {
  const controls = useProject(project);
  return (
    <>
      <Button
        run={controls.reset}
        confirm={{ question: `Reset ${project} to its initial state? Snapshots stay.`, yes: "Reset project" }}
        done="The project is reset"
      >
        Reset
      </Button>
      <Button
        run={async () => {
          await controls.delete();
          onDeleted();
        }}
        kind="danger"
        confirm={{ question: `Delete ${project} with all its data?`, yes: "Delete project" }}
        done={`Project ${project} is deleted`}
      >
        Delete project
      </Button>
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
      return <Api project={project} route={route} />;
    case "coverage":
      return <Coverage project={project} route={route} />;
    case "settings":
      return <Settings project={project} />;
  }
}
