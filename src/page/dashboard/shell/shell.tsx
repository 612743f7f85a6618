/* The frame of the page: the navigation, what is above all views, and the dialog that opens anything. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useOperationLines } from "../live/contract.ts";
import { isOf, searchProjects, useEvents, useLive, useLoaded, useSession } from "../live/session.ts";
import { PlainButton } from "../parts/action.tsx";
import { Icon } from "../parts/icon.tsx";
import { useShortcuts } from "../parts/keyboard.tsx";
import { Dialog, useNarrow } from "../parts/layout.tsx";
import { type Choice, SearchList } from "../parts/search-list.tsx";
import { useNow } from "../parts/text.tsx";
import { allProjectsViews, hrefOf, projectViews, RouteContext, titles, useHash } from "../route.ts";
import { AllProjectsPage, ProjectPage } from "./pages.tsx";
import { Switcher } from "./switcher.tsx";

/** The frame of the page: the navigation, and the page of a project or of all projects. */
export function Shell() {
  const route = useHash();
  const { project, view } = route;
  const isNarrow = useNarrow();
  const [isFinding, setFinding] = useState(false);
  const main = useRef<HTMLElement>(null);

  useLayoutEffect(() => {
    document.title = [titles[view], project, "resource-mock"].filter(Boolean).join(" · ");
  }, [project, view]);
  useLayoutEffect(() => main.current?.scrollTo(0, 0), [project, view]);
  useShortcuts({
    "Ctrl+k": () => setFinding(true),
    "/": () => focusOn("main input[type=search]"),
    p: () => document.querySelector<HTMLElement>(".switcher > button")?.click(),
  });
  return (
    <RouteContext.Provider value={route}>
      <Banners />
      {!isNarrow && (
        <header class="side">
          <button type="button" class="hidden" onClick={() => main.current?.focus()}>
            Skip to content
          </button>
          <Brand />
          <Switcher />
          <Sections />
          <button type="button" class="quiet find" onClick={() => setFinding(true)}>
            Open… <kbd>Ctrl K</kbd>
          </button>
        </header>
      )}
      {isFinding && <Palette project={project} onClose={() => setFinding(false)} />}
      <main ref={main} tabIndex={-1}>
        {project === undefined ? <AllProjectsPage /> : <ProjectPage key={project} project={project} />}
      </main>
    </RouteContext.Provider>
  );
}

function Brand() {
  const { isConnected, health } = useLive();
  return (
    <div class="brand">
      <a class="name" href={hrefOf({})}>
        resource-mock
      </a>
      <span class="count cut" title="Version of the mock">
        {health?.version}
      </span>
      <span class="count connection" role="status" data-connected={isConnected}>
        {isConnected ? "live" : "not connected"}
      </span>
    </div>
  );
}

/** The views of the project or of all projects. */
function Sections() {
  const { project, view } = useHash();
  return (
    <nav class="sections-nav" aria-label={project === undefined ? "Views of all projects" : `Views of ${project}`}>
      {(project === undefined ? allProjectsViews : projectViews).map((each) => (
        <a
          key={each}
          class="option"
          href={hrefOf({ project, view: each })}
          aria-current={each === view ? "page" : undefined}
        >
          <Icon name={each} />
          {titles[each]}
        </a>
      ))}
    </nav>
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
  const problems = [
    health?.unsaved && `Not saved: ${health.unsaved.problem}`,
    health?.unreadable && `Not restored: ${health.unreadable.problem}`,
  ].filter((problem) => problem !== undefined);
  return (
    <>
      {!isConnected && health && <Silence since={lastSign} onRetry={live.retry} />}
      {isConnected && hasRestarted && !isRead && (
        <div class="banner" role="status">
          The mock restarted. Projects that it had only in memory are gone.
          <PlainButton onClick={() => setRead(true)}>Dismiss</PlainButton>
        </div>
      )}
      {problems.map((problem) => (
        <div key={problem} class="banner" role="alert">
          {problem}
        </div>
      ))}
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
      <PlainButton onClick={onRetry}>Retry now</PlainButton>
    </div>
  );
}

/** The most projects that the palette lists. */
const MAX_PROJECTS = 12;

/** Opens a project, a view, an operation, a scenario or a request by a part of its name. */
function Palette({ project, onClose }: { project: string | undefined; onClose: () => void }) {
  const [text, setText] = useState("");
  const choices = useTargets(project, text.trim());
  const open = ({ href = "" }: Choice) => {
    onClose();
    location.hash = href;
  };
  return (
    <Dialog title="Open" kind="wide" onClose={onClose}>
      <SearchList
        label="Open a project, view, operation, scenario or request"
        placeholder="Project, view, operation, scenario or request id"
        choices={choices}
        onText={setText}
        onChoose={open}
      />
      <p class="quiet">
        Elsewhere: <kbd>/</kbd> searches, <kbd>P</kbd> finds a project, <kbd>J</kbd> and <kbd>K</kbd> open the next and
        the previous item.
      </p>
    </Dialog>
  );
}

/** Returns what the palette can open, requests and projects first. */
function useTargets(project: string | undefined, text: string): Choice[] {
  const { client, connection } = useSession();
  const operations = useOperationLines();
  const scenarios = useLoaded(() => client.scenarios.list());
  const projects = useLoaded(
    () => searchProjects(connection, { q: text || undefined, sort: "activity", limit: MAX_PROJECTS }),
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
  const choice = (hint: string, name: string, to: Parameters<typeof hrefOf>[0]): Choice => {
    const href = hrefOf(to);
    return { value: href, text: name, hint, href };
  };
  return [
    ...(requests.value ?? []).map(({ id, method, path, project: key }) =>
      choice(`request of ${key}`, `${id} ${method} ${path}`, { project: key, item: id }),
    ),
    ...(projects.value?.projects ?? []).map(({ key }) => choice("project", key, { project: key })),
    ...projectViews.map((view) => choice(`view of ${owner}`, titles[view], { project: owner, view })),
    ...(scenarios.value ?? []).map(({ name }) =>
      choice("scenario", name, { project: owner, view: "mocks", filter: { scenario: name } }),
    ),
    ...(operations.value ?? []).map(({ id, method, path, summary }) =>
      choice("operation", `${method} ${path} ${summary} (${id})`, { project: owner, view: "api", item: id }),
    ),
  ];
}
