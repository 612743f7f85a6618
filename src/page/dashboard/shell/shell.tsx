import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useLive } from "../live/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useNarrow } from "../parts/focus.ts";
import { useShortcuts } from "../parts/shortcuts.tsx";
import { hrefOf, RouteContext, useHash } from "../route.ts";
import { Banners } from "./banners.tsx";
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
    "Ctrl+k": { does: "Open anything", run: () => setOpen("palette") },
    "/": { does: "Search", run: () => focusOn("main input[type=search]") },
    p: {
      does: "Find a project",
      run() {
        if (isNarrow) setOpen("drawer");
        else focusOn(".projects input");
      },
    },
  });
  const skip = (
    <a
      class="skip"
      href={location.hash}
      onClick={(event) => {
        event.preventDefault();
        main.current?.focus();
      }}
    >
      Skip to content
    </a>
  );
  return (
    <>
      <Banners />
      {isNarrow ? (
        <header class="top">
          {skip}
          <button
            type="button"
            class="quiet icon"
            aria-haspopup="dialog"
            aria-label="Projects"
            onClick={() => setOpen("drawer")}
          >
            ☰
          </button>
          <Brand />
        </header>
      ) : (
        <header class="side">
          {skip}
          <div class="side-head">
            <Brand />
          </div>
          <ProjectList selected={project} />
          <Footer onFind={() => setOpen("palette")} />
        </header>
      )}
      {isNarrow && open === "drawer" && (
        <Dialog title="Projects" kind="drawer" onClose={close}>
          <ProjectList selected={project} onChosen={close} />
          <Footer onFind={() => setOpen("palette")} />
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
        <span class="quiet version" title="Version of the mock">
          {health.version}
        </span>
      )}
      <span class="connection" role="status" data-connected={isConnected}>
        {isConnected ? "live" : "not connected"}
      </span>
    </>
  );
}

function Footer({ onFind }: { onFind: () => void }) {
  return (
    <div class="side-foot">
      <button type="button" class="quiet" onClick={onFind}>
        Open… <kbd>Ctrl K</kbd>
      </button>
      <a href={hrefOf({ view: "api" })}>API reference</a>
    </div>
  );
}

function focusOn(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}
