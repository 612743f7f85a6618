import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { RequestEntry } from "../../../control/client/index.ts";
import { type Sentence, whyOf } from "../../../journal/index.ts";
import { isOf } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { isNotFound } from "../parts/action.tsx";
import { Loading } from "../parts/loading.tsx";
import { useNarrow } from "../parts/narrow.ts";
import { Tabs } from "../parts/tabs.tsx";
import { Time } from "../parts/time.tsx";
import { pathInProject } from "../requests/row-list.tsx";
import { hrefOf, type Route } from "../route.ts";
import { Actions } from "./actions.tsx";
import { Changes } from "./changes.tsx";
import { Comparison } from "./comparison.tsx";
import { RequestMessage, ResponseMessage, UpstreamMessages } from "./message.tsx";

/** The parts of an open request. The URL has the name of the open one. */
const tabs = { why: "Why", request: "Request", response: "Response", changes: "Changes", compare: "Compare" } as const;
type TabName = keyof typeof tabs;

interface RequestProps {
  readonly project: string;
  readonly id: string;
  readonly route: Route;
  readonly closeHref: string;
  /** Opens the next (1) or the previous (-1) request of the list. */
  readonly onStep: (by: 1 | -1) => void;
}

/** An open request: the reason for its response, what was sent and received, and what can be done with it. */
export function Request({ project, id, route, closeHref, onStep }: RequestProps) {
  const controls = useProject(project);
  const loaded = useLoaded(
    () => controls.requests.get(id),
    // These can remove the request from the journal.
    (event) => isOf(event, project, "reset", "journal", "project"),
    [project, id],
  );
  const { value: entry } = loaded;
  const isGone = isNotFound(loaded.error);
  // A request never changes. A mock that was restarted uses the same ids again, at other times.
  const identity = entry && `${project} ${entry.id} ${entry.timings.serverTime}`;
  const { compare, tab = compare ? "compare" : "why" } = route.filter;
  const open = Object.hasOwn(tabs, tab) ? (tab as TabName) : "why";
  // The list beside the request renders often, and a body can have thousands of parts.
  const content = useMemo(
    () => entry && <Part key={`${identity} ${open}`} project={project} entry={entry} open={open} compare={compare} />,
    [identity, open, compare],
  );
  const pane = usePane(id, entry);
  const hrefOfTab = (name: TabName) =>
    hrefOf({ ...route, filter: { ...route.filter, tab: name, compare: name === "compare" ? (compare ?? "") : "" } });
  return (
    <section class="pane item request" aria-label={`Request ${id}`} ref={pane} tabIndex={-1}>
      <div class="request-head">
        <div class="request-line">
          {entry && <Title project={project} entry={entry} showsProject={route.project === undefined} />}
          {entry && <Actions project={project} entry={entry} />}
          <button type="button" class="quiet icon" aria-label="Previous request (K)" onClick={() => onStep(-1)}>
            ↑
          </button>
          <button type="button" class="quiet icon" aria-label="Next request (J)" onClick={() => onStep(1)}>
            ↓
          </button>
          <a class="quiet icon close" href={closeHref} aria-label="Close this request">
            ✕
          </a>
        </div>
        {entry && <Reason project={project} entry={entry} />}
        {entry && (
          <Tabs
            label="Parts of the request"
            tabs={(Object.keys(tabs) as TabName[]).map((name) => ({
              text: tabs[name],
              href: hrefOfTab(name),
              isOpen: name === open,
              count: name === "changes" ? entry.changes.length : undefined,
            }))}
          />
        )}
      </div>
      {isGone ? (
        <p class="notice" role="status">
          The journal no longer has {entry ? "this request" : `the request ${id}`}: it was cleared, it keeps only the
          newest requests, or the project was reset or deleted.
        </p>
      ) : (
        <Loading of={loaded} lines={8}>
          {() => null}
        </Loading>
      )}
      {content}
    </section>
  );
}

/** Returns the reference for the pane: another request starts at the top, and the pane keeps the focus. */
function usePane(id: string, entry: RequestEntry | undefined) {
  const pane = useRef<HTMLElement>(null);
  const { current: before } = useRef({ id, hadFocus: false });
  if (before.id !== id) {
    // Read during the rendering: the focused button may be gone afterwards.
    Object.assign(before, { id, hadFocus: pane.current?.contains(document.activeElement) });
  }
  useLayoutEffect(() => pane.current?.scrollTo(0, 0), [id]);
  // On a narrow page, the request covers the list that had the focus.
  const isNarrow = useNarrow();
  useLayoutEffect(() => {
    if (isNarrow) pane.current?.focus();
  }, [isNarrow]);
  useLayoutEffect(() => {
    if (before.hadFocus && document.activeElement === document.body) pane.current?.focus();
  }, [id, entry]);
  return pane;
}

/** The head in one line: status, method, path, project and time. */
function Title({ project, entry, showsProject }: EntryProps & { showsProject: boolean }) {
  const { request, response, timings } = entry;
  const { status } = response;
  return (
    <h2 title={request.path}>
      <span class="status" data-class={Math.floor(status / 100)}>
        {status === 0 ? "broken" : status}
      </span>{" "}
      <span class="verb">{request.method}</span> {pathInProject(request.path)}{" "}
      {showsProject && <span class="row-project">{project}</span>}{" "}
      <span class="request-time">
        <Time of={timings.serverTime} />
      </span>
    </h2>
  );
}

interface EntryProps {
  readonly project: string;
  readonly entry: RequestEntry;
}

/** The reason for the response, without the status, which the head has. */
function Reason({ project, entry }: EntryProps) {
  const [first, ...others] = whyOf(project, entry).reason;
  const reason = typeof first === "string" ? [first.replace(/^\d{3}: /, ""), ...others] : [first ?? "", ...others];
  return (
    <p class="reason">
      <Words of={reason} />{" "}
      {entry.offContract && (
        <span class="badge warning" title="The contract does not restrict this response">
          off contract
        </span>
      )}
    </p>
  );
}

interface PartProps extends EntryProps {
  readonly open: TabName;
  /** The id of the request that this one is compared with. */
  readonly compare: string | undefined;
}

function Part({ project, entry, open, compare }: PartProps) {
  switch (open) {
    case "why":
      return <Why project={project} entry={entry} />;
    case "request":
      return (
        <>
          <RequestMessage project={project} entry={entry} />
          {entry.upstream && <UpstreamMessages upstream={entry.upstream} method={entry.request.method} />}
        </>
      );
    case "response":
      return <ResponseMessage entry={entry} />;
    case "changes":
      return <Changes project={project} entry={entry} />;
    case "compare":
      return <Comparison project={project} entry={entry} other={compare || undefined} />;
  }
}

/** What led to the response: further sentences, violations, the decisions in their order, and facts. */
function Why({ project, entry }: EntryProps) {
  const { decisions, violations, upstream, changes, request } = entry;
  const changed = changes.find(({ resource }) => resource !== undefined)?.resource ?? request.pathParameters.id;
  return (
    <>
      {whyOf(project, entry).more.map((sentence, index) => (
        <p key={index} class="more">
          <Words of={sentence} />
        </p>
      ))}
      <Violations title="Contract violations" of={violations} />
      <Violations title="Contract violations of the upstream" of={upstream?.violations.response ?? []} />
      <Violations
        title="Differs from the assumptions of the mock"
        of={(upstream?.differs ?? []).map(({ assumption, ...each }) => ({ ...each, code: assumption }))}
      />
      <h3>Decisions</h3>
      <ol class="request-decisions">
        {decisions.map((decision, index) => (
          <li key={index}>{decision}</li>
        ))}
      </ol>
      <Facts entry={entry}>
        {changed !== undefined && (
          <>
            <dt>Resource</dt>
            <dd>
              <a href={hrefOf({ project, view: "state", item: changed })}>{changed} and its history</a>
              {" · "}
              <a href={hrefOf({ project, filter: { changed } })}>requests that changed it</a>
            </dd>
          </>
        )}
      </Facts>
    </>
  );
}

function Violations({ title, of }: { title: string; of: RequestEntry["violations"] }) {
  if (of.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="plain request-violations">
        {of.map(({ code, message }, index) => (
          <li key={index}>
            {message} <span class="quiet">{code}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Words({ of }: { of: Sentence }) {
  return (
    <>
      {of.map((part, index) =>
        typeof part === "string" ? (
          part
        ) : (
          <a key={index} href={hrefOf(part.to)}>
            {part.text}
          </a>
        ),
      )}
    </>
  );
}

/** Project and server clocks that differ by less are the same, in milliseconds. */
const SAME_CLOCK_MS = 50;

function Facts({ entry, children }: { entry: RequestEntry; children: ComponentChildren }) {
  const { id, operation, source, unnamed, timings } = entry;
  const { serverTime, receivedAt, duration } = timings;
  const ahead = Date.parse(receivedAt) - Date.parse(serverTime);
  return (
    <dl class="facts">
      <dt>Operation</dt>
      <dd>{operation ?? "no operation matches"}</dd>
      {children}
      <dt>Source</dt>
      <dd>{source}</dd>
      <dt>Received</dt>
      <dd>
        <Time of={serverTime} as="full" />
      </dd>
      {Math.abs(ahead) > SAME_CLOCK_MS && (
        <>
          <dt>Project’s clock</dt>
          <dd>
            <Time of={receivedAt} as="full" /> <span class="quiet">({aheadText(ahead)} the server’s clock)</span>
          </dd>
        </>
      )}
      <dt>Duration</dt>
      <dd>{duration.toLocaleString("en", { maximumFractionDigits: 1 })} ms</dd>
      {unnamed.length > 0 && (
        <>
          <dt>Unknown query</dt>
          <dd>{unnamed.join(", ")} (not in the contract)</dd>
        </>
      )}
      <dt>Id</dt>
      <dd>
        <span class="id">{id}</span>
      </dd>
    </dl>
  );
}

/** The units of a difference between two clocks, in milliseconds. */
const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

function aheadText(ahead: number): string {
  const distance = Math.abs(ahead);
  const [name, size] = units.find(([, each]) => distance >= each) ?? ["millisecond", 1];
  const text = new Intl.NumberFormat("en", {
    style: "unit",
    unit: name,
    unitDisplay: "long",
    maximumFractionDigits: 1,
  }).format(distance / size);
  return `${text} ${ahead > 0 ? "ahead of" : "behind"}`;
}
