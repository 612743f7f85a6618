import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { RequestEntry } from "../../../control/client/index.ts";
import { type Sentence, whyOf } from "../../../journal/index.ts";
import { isOf } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { isNotFound } from "../parts/action.tsx";
import { Loading } from "../parts/loading.tsx";
import { useNarrow } from "../parts/narrow.ts";
import { Time } from "../parts/time.tsx";
import { hrefOf } from "../route.ts";
import { Actions } from "./actions.tsx";
import { Changes } from "./changes.tsx";
import { Comparison } from "./comparison.tsx";
import { RequestMessage, ResponseMessage, UpstreamMessages } from "./message.tsx";

interface RequestProps {
  readonly project: string;
  readonly id: string;
  readonly closeHref: string;
  /** Opens the next (1) or the previous (-1) request of the list. */
  readonly onStep?: (by: 1 | -1) => void;
  /** The request that this one is compared with, from the URL. */
  readonly comparedWith?: string;
}

/** An open request: the reason for its response, what was sent and received, and what can be done with it. */
export function Request({ project, id, closeHref, onStep, comparedWith }: RequestProps) {
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
  // The list beside the request renders often, and a body can have thousands of parts.
  const content = useMemo(
    () => entry && <Entry key={identity} project={project} entry={entry} comparedWith={comparedWith} />,
    [identity, comparedWith],
  );
  const pane = usePane(id, entry);
  return (
    <section class="pane item request" aria-label={`Request ${id}`} ref={pane} tabIndex={-1}>
      <div class="request-head">
        {entry && <Title entry={entry} />}
        <div class="request-steps">
          {onStep && (
            <>
              <button type="button" class="quiet icon" aria-label="Previous request (K)" onClick={() => onStep(-1)}>
                ↑
              </button>
              <button type="button" class="quiet icon" aria-label="Next request (J)" onClick={() => onStep(1)}>
                ↓
              </button>
            </>
          )}
          <a class="close" href={closeHref} aria-label="Close this request">
            ✕
          </a>
        </div>
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

function Title({ entry: { request, response } }: { entry: RequestEntry }) {
  const { status } = response;
  return (
    <h2 title={request.path}>
      <span class="status" data-class={Math.floor(status / 100)}>
        {status === 0 ? "broken" : status}
      </span>{" "}
      {request.method} {request.path}
    </h2>
  );
}

interface EntryProps {
  readonly project: string;
  readonly entry: RequestEntry;
  readonly comparedWith: string | undefined;
}

function Entry({ project, entry, comparedWith }: EntryProps) {
  const { decisions, violations, offContract, upstream } = entry;
  const { reason, more } = whyOf(project, entry);
  return (
    <>
      <div class="why">
        <p class="reason">
          <Words of={reason} />{" "}
          {offContract && (
            <span class="badge warning" title="The contract does not restrict this response">
              off contract
            </span>
          )}
        </p>
        {more.map((sentence, index) => (
          <p key={index}>
            <Words of={sentence} />
          </p>
        ))}
      </div>
      <Actions project={project} entry={entry} />
      {comparedWith !== undefined && <Comparison project={project} entry={entry} other={comparedWith} />}
      <Changes project={project} entry={entry} />
      <Facts entry={entry} />
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
      <RequestMessage project={project} entry={entry} />
      {upstream && <UpstreamMessages upstream={upstream} method={entry.request.method} />}
      <ResponseMessage entry={entry} />
    </>
  );
}

function Violations({ title, of }: { title: string; of: RequestEntry["violations"] }) {
  if (of.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="plain request-violations">
        {of.map(({ code, message, field }, index) => (
          <li key={index}>
            {field !== undefined && field !== "" && <code>{field}</code>} {withoutPlace(message, field)}{" "}
            <span class="quiet">{code}</span>
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

/** Returns the message of a violation without its location, which the list shows before it. */
function withoutPlace(message: string, place: string | undefined): string {
  return place && message.startsWith(`${place}: `) ? message.slice(place.length + 2) : message;
}

/** Project and server clocks that differ by less are the same, in milliseconds. */
const SAME_CLOCK_MS = 50;

function Facts({ entry }: { entry: RequestEntry }) {
  const { id, operation, source, unnamed, timings } = entry;
  const { serverTime, receivedAt, duration } = timings;
  const ahead = Date.parse(receivedAt) - Date.parse(serverTime);
  return (
    <dl class="facts">
      <dt>Operation</dt>
      <dd>{operation ?? "no operation matches"}</dd>
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
