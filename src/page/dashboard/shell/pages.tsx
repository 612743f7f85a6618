import { useState } from "preact/hooks";
import type { ProjectSummary } from "../../../control/client/index.ts";
import { Api } from "../api/api.tsx";
import { SessionContext, useLive, useLoaded, useProject, useProjectSession, useSession } from "../live/session.ts";
import { Overview } from "../overview/overview.tsx";
import { confirmResetAll, Failure, useAction, useUndoable } from "../parts/action.tsx";
import { CopyButton } from "../parts/files.tsx";
import { Menu, MenuItem, Tabs } from "../parts/layout.tsx";
import { Time } from "../parts/text.tsx";
import { Requests } from "../requests/requests.tsx";
import { allProjectsViews, hrefOf, projectViews, titles, useRoute, type View } from "../route.ts";
import { ActiveScenarios } from "../scenarios/active-scenarios.tsx";
import { Scenarios } from "../scenarios/scenarios.tsx";
import { Settings } from "../settings/settings.tsx";
import { State } from "../state/state.tsx";

const components: Readonly<Record<View, () => preact.JSX.Element>> = {
  requests: Requests,
  overview: Overview,
  scenarios: Scenarios,
  state: State,
  api: Api,
  settings: Settings,
};

function Views({ label, views }: { readonly label: string; readonly views: readonly View[] }) {
  const { project, view } = useRoute();
  const Component = components[view];
  const tabs = views.map((each) => ({
    text: titles[each],
    href: hrefOf({ project, view: each }),
    isOpen: each === view,
  }));
  return (
    <>
      <Tabs label={label} tabs={tabs} />
      <Component />
    </>
  );
}

/** The page of all projects: their requests, their failures, and the scenarios that are active for all of them. */
export function AllProjectsPage() {
  const { client } = useSession();
  const action = useAction();
  const reset = async () => {
    if (confirmResetAll()) await action.run(client.reset, "All projects are reset");
  };
  return (
    <>
      <div class="title">
        <h1>All projects</h1>
        <span class="spacer" />
        <Menu label="Commands for all projects">
          {() => (
            <MenuItem kind="danger" onClick={reset}>
              Reset all projects…
            </MenuItem>
          )}
        </Menu>
      </div>
      <Failure of={action} />
      <Views label="Views of all projects" views={allProjectsViews} />
    </>
  );
}

export function ProjectPage({ project }: { readonly project: string }) {
  const { session, summary, isClosed, setClosed } = useProjectSession(project);
  const { hasRestarted } = useLive();
  /** Raised when the user opens the project again, so that the views read it again. */
  const [life, setLife] = useState(0);
  // A project that ended with its mock stays on the page, for a user who reads it.
  const isPast = isClosed && hasRestarted;
  const reopen = () => {
    setClosed(false);
    setLife(life + 1);
  };
  return (
    <SessionContext.Provider value={session} key={life}>
      <div class="title">
        <h1>{project}</h1>
        <BaseUrl />
        {!isClosed && <ActiveScenarios />}
        <span class="spacer" />
        {!isClosed && <ProjectMenu project={project} onDeleted={() => setClosed(true)} />}
      </div>
      {isClosed && (
        <p class={isPast ? "notice bar past" : "notice bar"} role="status">
          {isPast
            ? "The mock restarted; its projects were in memory. The page shows what it knew before."
            : "This project was deleted."}{" "}
          <button type="button" ref={takeFocus} onClick={reopen}>
            {isPast ? "Start again" : "Open it again"}
          </button>
        </p>
      )}
      {(!isClosed || isPast) && (
        <>
          <FromArchive summary={summary} />
          <Views label={`Views of ${project}`} views={projectViews} />
        </>
      )}
    </SessionContext.Provider>
  );
}

/** Moves the focus to an element if the focused element has disappeared. */
function takeFocus(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus();
}

function BaseUrl() {
  const { baseUrl } = useProject();
  return (
    <span class="base-url" title="The base URL for the client under test">
      <code class="cut">{baseUrl}</code>
      <CopyButton text={() => baseUrl} label="Copy the base URL" kind="quiet">
        Copy
      </CopyButton>
    </span>
  );
}

function ProjectMenu({ project, onDeleted }: { readonly project: string; readonly onDeleted: () => void }) {
  const controls = useProject();
  const action = useAction();
  const undoable = useUndoable();
  const reset = () => action.run(() => undoable(project, controls.reset, "The project is reset"));
  const remove = async () => {
    const isDone = await action.run(() => undoable(project, controls.delete, `Project ${project} is deleted`));
    if (isDone) onDeleted();
  };
  return (
    <>
      <Menu label="Commands for this project">
        {() => (
          <>
            <MenuItem onClick={reset} title="Back to the initial state. Snapshots stay.">
              Reset project
            </MenuItem>
            <MenuItem kind="danger" onClick={remove}>
              Delete project
            </MenuItem>
          </>
        )}
      </Menu>
      <Failure of={action} />
    </>
  );
}

/** Says which archive the project was restored from, and when. Nothing for other projects. */
function FromArchive({ summary }: { summary: () => Promise<ProjectSummary | undefined> }) {
  const { value } = useLoaded(summary, ["project"]);
  const { test, savedAt, file, restoredAt } = value?.archive ?? {};
  // An undo restores an archive that no file and no test has named.
  if (test === undefined && file === undefined && savedAt === undefined) return null;
  return (
    <p class="from-archive">
      <span class="badge">Archive</span> {test === undefined ? "Restored from an archive" : "Failed test "}
      <b>
        <bdi>{test}</bdi>
      </b>
      <span class="quiet">
        {savedAt !== undefined && [", saved ", <Time key="saved" of={savedAt} as="full" />]}
        {file !== undefined && [", from the file ", <bdi key="file">{file}</bdi>]}
        {restoredAt !== undefined && [", opened ", <Time key="opened" of={restoredAt} as="full" />]}
      </span>
    </p>
  );
}
