import { useState } from "preact/hooks";
import { Api } from "../api/api.tsx";
import { useProjectSession } from "../live/project-session.ts";
import { SessionContext, useLive, useProject } from "../live/session.ts";
import { useUndoable } from "../live/undo.ts";
import { Overview } from "../overview/overview.tsx";
import { Failure, useAction } from "../parts/action.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { Menu, MenuItem } from "../parts/menu.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Requests } from "../requests/requests.tsx";
import { hrefOf, projectViews, type Route } from "../route.ts";
import { ActiveScenarios } from "../scenarios/active-scenarios.tsx";
import { Scenarios } from "../scenarios/scenarios.tsx";
import { Settings } from "../settings/settings.tsx";
import { State } from "../state/state.tsx";
import { FromArchive } from "./from-archive.tsx";
import { titles } from "./titles.ts";

interface ProjectPageProps {
  readonly project: string;
  readonly route: Route;
}

/** The page of a project, with one of its views open. */
export function ProjectPage({ project, route }: ProjectPageProps) {
  const { session, isClosed, setClosed } = useProjectSession(project);
  const { hasRestarted } = useLive();
  /** Raised when the user opens the project again, so that the views read it again. */
  const [life, setLife] = useState(0);
  // A project that ended with its mock stays on the page, for a user who reads it.
  const isPast = isClosed && hasRestarted;
  const reopen = () => {
    setClosed(false);
    setLife(life + 1);
  };
  const again = (
    <button type="button" ref={takeFocus} onClick={reopen}>
      {hasRestarted ? "Start again" : "Open it again"}
    </button>
  );
  return (
    <>
      <div class="title">
        <h1>{project}</h1>
        <BaseUrl project={project} />
        {!isClosed && <ActiveScenarios project={project} />}
        <span class="spacer" />
        {!isClosed && <ProjectMenu project={project} onDeleted={() => setClosed(true)} />}
      </div>
      {isPast && (
        <p class="notice bar past" role="status">
          The mock restarted; its projects were in memory. The page shows what it knew before. {again}
        </p>
      )}
      {isClosed && !isPast ? (
        <p class="view">This project was deleted. {again}</p>
      ) : (
        <SessionContext.Provider value={session} key={life}>
          <FromArchive project={project} />
          <Tabs
            label={`Views of ${project}`}
            tabs={projectViews.map((view) => ({
              text: titles[view],
              href: hrefOf({ project, view }),
              isOpen: view === route.view,
            }))}
          />
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

/** The address for the client under test. */
function BaseUrl({ project }: { project: string }) {
  const { baseUrl } = useProject(project);
  return (
    <span class="base-url" title="The base URL for the client under test">
      <code>{baseUrl}</code>
      <CopyButton text={() => baseUrl} label="Copy the base URL" kind="quiet">
        Copy
      </CopyButton>
    </span>
  );
}

function ProjectMenu({ project, onDeleted }: { project: string; onDeleted: () => void }) {
  const controls = useProject(project);
  const action = useAction();
  const undoable = useUndoable();
  const reset = () => action.run(() => undoable(project, controls.reset, "The project is reset"));
  const remove = async () => {
    const isDone = await action.run(() => undoable(project, controls.delete, `Project ${project} is deleted`));
    if (isDone) onDeleted();
  };
  return (
    <>
      <Menu
        label="Commands for this project"
        kind="quiet icon"
        items={(close) => (
          <>
            <MenuItem close={close} onClick={reset} title="Back to the initial state. Snapshots stay.">
              Reset project
            </MenuItem>
            <MenuItem close={close} kind="danger" onClick={remove}>
              Delete project
            </MenuItem>
          </>
        )}
      >
        …
      </Menu>
      <Failure of={action} />
    </>
  );
}

function ProjectView({ project, route }: ProjectPageProps) {
  switch (route.view) {
    case "requests":
      return <Requests project={project} route={route} />;
    case "overview":
      return <Overview project={project} route={route} />;
    case "scenarios":
      return <Scenarios project={project} route={route} />;
    case "state":
      return <State project={project} route={route} />;
    case "api":
      return <Api project={project} route={route} />;
    case "settings":
      return <Settings project={project} />;
  }
}
