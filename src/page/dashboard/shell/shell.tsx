import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { isOf, useEvents, useLive } from "../live/session.ts";
import { IconButton, PlainButton } from "../parts/action.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useShortcuts } from "../parts/keyboard.tsx";
import { useNarrow } from "../parts/layout.tsx";
import { useNow } from "../parts/text.tsx";
import { hrefOf, RouteContext, useHash } from "../route.ts";
import { AllProjectsPage, ProjectPage } from "./pages.tsx";
import { Palette } from "./palette.tsx";
import { ProjectList } from "./project-list.tsx";

/** The frame of the page: the list of projects, and the page of a project or of all projects. */
export function Shell() {
  const route = useHash();
  const { project, view } = route;
  const isNarrow = useNarrow();
  const [open, setOpen] = useState<"drawer" | "palette">();
  const main = useRef<HTMLElement>(null);
  const close = () => setOpen(undefined);

  useLayoutEffect(() => {
    document.title = project === undefined ? "resource-mock" : `${project} · resource-mock`;
  }, [project]);
  useLayoutEffect(() => main.current?.scrollTo(0, 0), [project, view]);
  useShortcuts({
    "Ctrl+k": () => setOpen("palette"),
    "/": () => focusOn("main input[type=search]"),
    p: () => (isNarrow ? setOpen("drawer") : focusOn(".projects input")),
  });
  const projects = (
    <>
      <ProjectList selected={project} onChosen={isNarrow ? close : undefined} />
      <div class="side-foot">
        <button type="button" class="quiet count" onClick={() => setOpen("palette")}>
          Open… <kbd>Ctrl K</kbd>
        </button>
        <a class="count" href={hrefOf({ view: "api" })}>
          API reference
        </a>
      </div>
    </>
  );
  return (
    <>
      <Banners />
      <header class={isNarrow ? "top" : "side"}>
        <button type="button" class="hidden" onClick={() => main.current?.focus()}>
          Skip to content
        </button>
        <div class="brand">
          {isNarrow && (
            <IconButton label="Projects" onClick={() => setOpen("drawer")}>
              ☰
            </IconButton>
          )}
          <Brand />
        </div>
        {!isNarrow && projects}
      </header>
      {isNarrow && open === "drawer" && (
        <Dialog title="Projects" kind="drawer" onClose={close}>
          {projects}
        </Dialog>
      )}
      {open === "palette" && <Palette project={project} onClose={close} />}
      <main ref={main} tabIndex={-1}>
        <RouteContext.Provider value={route}>
          {project === undefined ? <AllProjectsPage /> : <ProjectPage key={project} project={project} />}
        </RouteContext.Provider>
      </main>
    </>
  );
}

function Brand() {
  const { isConnected, health } = useLive();
  return (
    <>
      <a class="name" href={hrefOf({})}>
        resource-mock
      </a>
      {health && (
        <span class="count cut" title="Version of the mock">
          {health.version}
        </span>
      )}
      <span class="count connection" role="status" data-connected={isConnected}>
        {isConnected ? "live" : "not connected"}
      </span>
    </>
  );
}

function focusOn(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

/** Says that the mock is silent, has restarted, or cannot save its projects. Shows nothing otherwise. */
export function Banners() {
  const live = useLive();
  const { health, isConnected, lastSign, hasRestarted } = live;
  const [isRead, setRead] = useState(false);
  // The health changes with these events, long before the page reads it again.
  useEvents((events) => events.some((event) => isOf(event, undefined, "storage")) && live.retry());
  return (
    <>
      {!isConnected && health && <Silence since={lastSign} onRetry={live.retry} />}
      {isConnected && hasRestarted && !isRead && (
        <div class="banner" role="status">
          The mock restarted. Projects that it had only in memory are gone.
          <PlainButton onClick={() => setRead(true)}>Dismiss</PlainButton>
        </div>
      )}
      {health?.unsaved && (
        <div class="banner" role="alert">
          Not saved: {health.unsaved.problem}
        </div>
      )}
      {health?.unreadable && (
        <div class="banner" role="alert">
          Not restored: {health.unreadable.problem}
        </div>
      )}
    </>
  );
}

/** Shown from the first missing response on, with the seconds since the last one. */
function Silence({ since, onRetry }: { since: number; onRetry: () => void }) {
  const seconds = Math.round((useNow(1000) - since) / 1000);
  // A connection that opens within a second, as after a tab was hidden, is no news.
  if (seconds < 2) return null;
  return (
    <div class="banner" role="alert">
      <span>
        No sign of the mock for {seconds} s. <span class="quiet">The page shows what it knew, and tries again.</span>
      </span>
      <button type="button" onClick={onRetry}>
        Retry now
      </button>
    </div>
  );
}
