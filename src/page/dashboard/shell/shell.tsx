/* The frame of the page, and the dialog that opens anything. */

import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isOf, searchProjects, useContract, useEvents, useLive, useLoaded, useSession } from "../live/session.ts";
import { IconButton, PlainButton } from "../parts/action.tsx";
import { useShortcuts } from "../parts/keyboard.tsx";
import { Dialog, useNarrow } from "../parts/layout.tsx";
import { useNow } from "../parts/text.tsx";
import { hrefOf, navigate, projectViews, type Route, RouteContext, titles, useHash } from "../route.ts";
import { AllProjectsPage, ProjectPage } from "./pages.tsx";
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
function Banners() {
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

interface Target {
  readonly kind: string;
  readonly text: string;
  readonly to: Partial<Route>;
}

/** The most targets in the list, and of each kind. */
const MAX_SHOWN = { all: 40, each: 12 };

/** Opens a project, a view, an operation, a scenario or a request by a part of its name. */
function Palette({ project, onClose }: { project: string | undefined; onClose: () => void }) {
  const [text, setText] = useState("");
  const [index, setIndex] = useState(0);
  const id = useId();
  const targets = useTargets(project, text.trim());
  const selected = Math.min(index, targets.length - 1);
  const open = (target: Target | undefined) => {
    if (!target) return;
    onClose();
    navigate(target.to);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") open(targets[selected]);
    else if (step) setIndex(Math.max(0, Math.min(targets.length - 1, selected + step)));
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Open" kind="palette" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Open a project, view, operation, scenario or request"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={selected < 0 ? undefined : `${id}-${selected}`}
        placeholder="Project, view, operation, scenario or request id"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setIndex(0);
        }}
        onKeyDown={press}
      />
      <div id={id} role="listbox" aria-label="Results" class="palette-list">
        {targets.map((target, place) => (
          <a
            key={`${target.kind} ${target.text}`}
            id={`${id}-${place}`}
            class="option"
            role="option"
            tabIndex={-1}
            aria-selected={place === selected}
            href={hrefOf(target.to)}
            ref={(element) => void (place === selected && element?.scrollIntoView({ block: "nearest" }))}
            onClick={onClose}
          >
            <span class="key">{target.text}</span>
            <span class="quiet">{target.kind}</span>
          </a>
        ))}
      </div>
      {targets.length === 0 && <p class="quiet">Nothing found.</p>}
      <p class="quiet">Elsewhere: / searches, P finds a project, J and K open the next and the previous item.</p>
    </Dialog>
  );
}

/** Returns what the text can mean, the most likely first. */
function useTargets(project: string | undefined, text: string): Target[] {
  const { client, connection } = useSession();
  const contract = useContract();
  const scenarios = useLoaded(() => client.scenarios.list());
  const projects = useLoaded(
    () => searchProjects(connection, { q: text || undefined, sort: "activity", limit: MAX_SHOWN.each }),
    [],
    [text],
  );
  const requests = useLoaded(
    async () =>
      /^[\da-f]{8}-\d+$/i.test(text) ? (await client.requests.page({ q: text, limit: 5, brief: true })).requests : [],
    [],
    [text],
  );
  const owner = project ?? projects.value?.projects[0]?.key ?? "demo";
  const named: Target[] = [
    ...projectViews.map((view) => ({ kind: `view of ${owner}`, text: titles[view], to: { project: owner, view } })),
    ...(contract.value ?? []).map(({ id: item, summary }) => ({
      kind: "operation",
      text: `${item} – ${summary}`,
      to: { project: owner, view: "api" as const, item },
    })),
    ...(scenarios.value ?? []).map(({ name }) => ({
      kind: "scenario",
      text: name,
      to: { project: owner, view: "scenarios" as const, filter: { scenario: name } },
    })),
  ];
  const words = text.toLowerCase().split(/\s+/);
  return [
    ...(requests.value ?? []).map(({ id, method, path, project: key }) => ({
      kind: `request of ${key}`,
      text: `${id} ${method} ${path}`,
      to: { project: key, item: id },
    })),
    ...(projects.value?.projects ?? []).map(({ key }) => ({ kind: "project", text: key, to: { project: key } })),
    ...named.filter((target) => words.every((word) => target.text.toLowerCase().includes(word))),
  ].slice(0, MAX_SHOWN.all);
}
