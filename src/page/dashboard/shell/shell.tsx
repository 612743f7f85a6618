import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useConnected, useSession } from "../live/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useNarrow } from "../parts/narrow.ts";
import { useShortcuts } from "../parts/shortcuts.tsx";
import { hrefOf, useRoute } from "../route.ts";
import { AllProjectsPage } from "./all-projects-page.tsx";
import { ProjectList } from "./project-list.tsx";
import { ProjectPage } from "./project-page.tsx";

/** The frame of the page: header, list of projects, and the page of a project or of all projects. */
export function Shell() {
  const route = useRoute();
  const { project, view } = route;
  const isNarrow = useNarrow();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const main = useRef<HTMLElement>(null);

  useLayoutEffect(() => {
    document.title = project === undefined ? "resource-mock" : `${project} · resource-mock`;
  }, [project]);
  useLayoutEffect(() => main.current?.scrollTo(0, 0), [project, view]);
  useShortcuts({
    "/": { does: "Search", run: () => focusOn("main input[type=search]") },
    p: {
      does: "Find a project",
      run() {
        if (isNarrow) setDrawerOpen(true);
        else focusOn(".projects input");
      },
    },
  });
  return (
    <>
      <Header onSkip={() => main.current?.focus()} onProjects={isNarrow ? () => setDrawerOpen(true) : undefined} />
      {!isNarrow && <ProjectList selected={project} />}
      {isNarrow && isDrawerOpen && (
        <Dialog title="Projects" kind="drawer" onClose={() => setDrawerOpen(false)}>
          <ProjectList selected={project} onChosen={() => setDrawerOpen(false)} />
        </Dialog>
      )}
      <main ref={main} tabIndex={-1}>
        {project === undefined ? (
          <AllProjectsPage route={route} />
        ) : (
          <ProjectPage key={project} project={project} route={route} />
        )}
      </main>
    </>
  );
}

interface HeaderProps {
  /** Moves the focus to the content of the page. */
  readonly onSkip: () => void;
  /** Opens the list of projects, if the page is too narrow to show it. */
  readonly onProjects?: () => void;
}

function Header({ onSkip, onProjects }: HeaderProps) {
  const { client } = useSession();
  const isConnected = useConnected();
  const health = useLoaded(() => client.health(), on(undefined, "storage"));
  const { unsaved, unreadable } = health.value ?? {};
  return (
    <header>
      <a
        class="skip"
        href={location.hash}
        onClick={(event) => {
          event.preventDefault();
          onSkip();
        }}
      >
        Skip to content
      </a>
      {onProjects && (
        <button type="button" class="icon" aria-haspopup="dialog" aria-label="Projects" onClick={onProjects}>
          ☰
        </button>
      )}
      <a class="name" href={hrefOf({})}>
        resource-mock
      </a>
      {health.value && (
        <span class="quiet version" title="Version of the mock">
          {health.value.version}
        </span>
      )}
      {unsaved && (
        <span class="unsaved" role="alert" title={unsaved.problem}>
          Not saved: {unsaved.problem}
        </span>
      )}
      {unreadable && (
        <span class="unsaved" role="alert" title={unreadable.problem}>
          Not restored: {unreadable.problem}
        </span>
      )}
      <span class="connection" role="status" data-connected={isConnected}>
        {isConnected ? "live" : "not connected"}
      </span>
      <nav aria-label="Documents">
        <a href={hrefOf({ view: "api" })}>API reference</a>
      </nav>
    </header>
  );
}

/** Moves the focus to the first element that matches, if there is one. */
function focusOn(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}
