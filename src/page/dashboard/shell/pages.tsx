import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ProjectSummary } from "../../../control/client/index.ts";
import { Api } from "../api/api.tsx";
import { Data } from "../data/data.tsx";
import { Failures } from "../failures/failures.tsx";
import { SessionContext, useLive, useLoaded, useProject, useProjectSession, useSession } from "../live/session.ts";
import { ActiveScenarios } from "../mocks/active-scenarios.tsx";
import { Mocks } from "../mocks/mocks.tsx";
import { confirmResetAll, Failure, useAction, useUndoable } from "../parts/action.tsx";
import { Boundary } from "../parts/boundary.tsx";
import { CopyButton } from "../parts/files.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu, MenuItem, useNarrow } from "../parts/layout.tsx";
import { Time } from "../parts/text.tsx";
import { Requests } from "../requests/requests.tsx";
import { allProjectsViews, hrefOf, projectViews, titles, useRoute, type View } from "../route.ts";
import { Settings } from "../settings/settings.tsx";
import { Switcher } from "./switcher.tsx";

const components: Readonly<Record<View, () => preact.JSX.Element>> = {
  requests: Requests,
  failures: Failures,
  data: Data,
  mocks: Mocks,
  api: Api,
  settings: Settings,
};

/** The open view. A defect in it leaves the rest of the page usable. */
function OpenView() {
  const { project, view } = useRoute();
  const View = components[view];
  return (
    <Boundary key={`${project} ${view}`} noun={`The view ${titles[view]}`}>
      <View />
    </Boundary>
  );
}

/** The head of each view: its title, and what is about the whole project. On a phone, it is the navigation too. */
function Head({ children }: { readonly children: ComponentChildren }) {
  const { project, view } = useRoute();
  const { isConnected } = useLive();
  const isNarrow = useNarrow();
  return (
    <div class="view-head">
      <h1 class={isNarrow ? "hidden" : undefined}>{titles[view]}</h1>
      {isNarrow && (
        <>
          <Switcher />
          <Menu label="View" kind="picker" text={titles[view]}>
            {() =>
              (project === undefined ? allProjectsViews : projectViews).map((each) => (
                <MenuItem key={each} href={hrefOf({ project, view: each })}>
                  <Icon name={each} /> {titles[each]}
                </MenuItem>
              ))
            }
          </Menu>
        </>
      )}
      {children}
      {isNarrow && (
        <span class="hidden" role="status">
          {isConnected ? "live" : "not connected"}
        </span>
      )}
    </div>
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
      <Head>
        <span class="spacer" />
        <Menu label="Commands for all projects">
          {() => (
            <MenuItem kind="danger" onClick={reset}>
              Reset all projects…
            </MenuItem>
          )}
        </Menu>
      </Head>
      <Failure of={action} />
      <OpenView />
    </>
  );
}

export function ProjectPage({ project }: { readonly project: string }) {
  const { session, summary, isClosed, setClosed } = useProjectSession(project);
  const { hasRestarted } = useLive();
  const isNarrow = useNarrow();
  const action = useAction();
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
      <Head>
        {!isNarrow && <BaseUrl />}
        <span class="spacer" />
        {!isClosed && (
          <>
            <ActiveScenarios />
            <ProjectMenu project={project} action={action} onDeleted={() => setClosed(true)} />
          </>
        )}
      </Head>
      <Failure of={action} />
      {isClosed && (
        <p class="notice" role="status">
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
          <OpenView />
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
      <CopyButton text={baseUrl} aria-label="Copy the base URL" class="quiet">
        <Icon name="copy" />
      </CopyButton>
    </span>
  );
}

interface MenuProps {
  readonly project: string;
  readonly action: ReturnType<typeof useAction>;
  readonly onDeleted: () => void;
}

function ProjectMenu({ project, action, onDeleted }: MenuProps) {
  const controls = useProject();
  const undoable = useUndoable();
  const reset = () => action.run(() => undoable(project, controls.reset, "The project is reset"));
  const remove = async () => {
    const isDone = await action.run(() => undoable(project, controls.delete, `Project ${project} is deleted`));
    if (isDone) onDeleted();
  };
  return (
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
