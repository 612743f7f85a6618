import { useRef, useState } from "preact/hooks";
import type { RequestFilter, RequestSearch, Timeline } from "../../../control/client/index.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { Time } from "../parts/time.tsx";
import { navigate, type Route } from "../route.ts";
import { isSet, queryOf, withFilter } from "./filter.ts";

const BUCKETS = 90;
/** The strip changes slowly, and each load reads the whole journal, so it is loaded less often than the list. */
const PAUSE_MS = 3000;
/** The height of the drawing, in its own units. The width is the number of intervals. */
const HEIGHT = 40;

type Bucket = Timeline["buckets"][number];

/** The first and the last interval of a selection, inclusive. */
type Range = readonly [first: number, last: number];

/**
 * The matching requests over time: how many, how many of them failed, how long they took, and when scenarios were
 * active. The user selects a time with the pointer or with two sliders, which filters the list.
 */
export function TimelineStrip({ project, route }: { project?: string; route: Route }) {
  const { client } = useSession();
  const [brushed, setBrushed] = useState<Range>();
  const [pointed, setPointed] = useState<number>();
  const { from: _from, to: _to, ...query } = queryOf(route.filter);
  const timeline = useLoaded(
    () => {
      const search: Pick<RequestSearch<RequestFilter, unknown>, "timeline"> = project === undefined
        ? client.requests
        : client.project(project).requests;
      return search.timeline({ ...query, buckets: BUCKETS });
    },
    // The page of a project handles its deletion.
    project === undefined
      ? on(project, "request", "journal", "scenarios", "project")
      : on(project, "request", "journal", "scenarios"),
    [project, JSON.stringify(query)],
    PAUSE_MS,
  );
  // The drawing holds still while the user selects a time, and stays while another filter is loading.
  const held = useRef<Timeline>(undefined);
  if (!brushed && timeline.value) held.current = timeline.value;
  const value = held.current;
  // The list shows the error: it has the same filter.
  if (!value) return timeline.error === undefined ? <Empty /> : null;
  if (value.total === 0 && !isSet(route.filter)) return null;

  const { buckets } = value;
  const selected = brushed ?? rangeOf(value, route.filter);
  const select = (range: Range | undefined, isStep = false) => {
    setBrushed(undefined);
    const [first, last] = range ?? [];
    const from = first === undefined ? "" : (buckets[first]?.at ?? "");
    const to = last === undefined ? "" : endOf(value, last);
    // The back button skips the single steps of a slider.
    const replace = isStep && Boolean(route.filter.from || route.filter.to);
    navigate({ ...route, filter: withFilter(route.filter, { from, to }) }, { replace });
  };
  const indexAt = ({ currentTarget, clientX }: PointerEvent & { readonly currentTarget: Element }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(buckets.length - 1, Math.floor(((clientX - left) / width) * buckets.length)));
  };
  return (
    <section class="timeline" aria-label="Requests over time">
      <div
        class="timeline-area"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const index = indexAt(event);
          setBrushed([index, index]);
        }}
        onPointerMove={(event) => {
          const index = indexAt(event);
          setPointed(index);
          if (brushed) setBrushed([brushed[0], index]);
        }}
        onPointerUp={() => brushed && select(sorted(brushed))}
        onPointerCancel={() => setBrushed(undefined)}
        onPointerLeave={() => setPointed(undefined)}
      >
        <Drawing timeline={value} selected={selected && sorted(selected)} />
      </div>
      <Sliders
        count={buckets.length}
        selected={selected && sorted(selected)}
        onStep={(range) => select(range, true)}
        buckets={buckets}
      />
      <p class="timeline-text quiet">
        <Summary timeline={value} bucket={pointed === undefined ? undefined : buckets[pointed]} />
        {selected && !brushed && (
          <button type="button" class="quiet" onClick={() => select(undefined)}>
            All times
          </button>
        )}
      </p>
    </section>
  );
}

/** The space of the strip while it is loading, so that the list below does not move. */
function Empty() {
  return (
    <div class="timeline" aria-hidden="true">
      <div class="timeline-area" />
      <div class="timeline-sliders" />
      <p class="timeline-text" />
    </div>
  );
}

function Drawing({ timeline: { buckets, scenarios, from, to }, selected }: { timeline: Timeline; selected?: Range }) {
  const most = Math.max(1, ...buckets.map(({ requests }) => requests));
  const slowest = Math.max(1, ...buckets.map(({ p95 = 0 }) => p95));
  const heightOf = (requests: number) => (requests === 0 ? 0 : Math.max(1.5, (requests / most) * (HEIGHT - 6)));
  const start = Date.parse(from);
  const length = Math.max(1, Date.parse(to) - start);
  const xOf = (time: number) => (Math.max(0, Math.min(length, time - start)) / length) * buckets.length;
  return (
    <svg viewBox={`0 0 ${buckets.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {scenarios.map(({ name, project, from, to }) => {
        const x = xOf(Date.parse(from));
        const end = to === undefined ? buckets.length : xOf(Date.parse(to));
        return (
          <rect
            key={`${name} ${project} ${from}`}
            class="period"
            x={x}
            y="0"
            width={Math.max(0.3, end - x)}
            height={HEIGHT}
          >
            <title>{`${name} was active${project === undefined ? " for all projects" : ` in ${project}`}`}</title>
          </rect>
        );
      })}
      {selected && (
        <rect class="selected" x={selected[0]} y="0" width={selected[1] - selected[0] + 1} height={HEIGHT} />
      )}
      {buckets.map(({ at, requests, errors }, index) => (
        <g key={at}>
          <rect
            class="requests-bar"
            x={index + 0.1}
            width="0.8"
            y={HEIGHT - heightOf(requests)}
            height={heightOf(requests)}
          />
          <rect
            class="errors-bar"
            x={index + 0.1}
            width="0.8"
            y={HEIGHT - heightOf(errors)}
            height={heightOf(errors)}
          />
        </g>
      ))}
      <polyline class="p95" points={lineOf(buckets, slowest, "p95")} />
      <polyline class="p50" points={lineOf(buckets, slowest, "p50")} />
    </svg>
  );
}

/** Returns the points of a line. Intervals without requests have no point. */
function lineOf(buckets: readonly Bucket[], slowest: number, name: "p50" | "p95"): string {
  return buckets
    .flatMap((bucket, index) => {
      const duration = bucket[name];
      return duration === undefined ? [] : [`${index + 0.5},${HEIGHT - 2 - (duration / slowest) * (HEIGHT - 8)}`];
    })
    .join(" ");
}

interface SlidersProps {
  readonly count: number;
  readonly selected?: Range;
  readonly buckets: readonly Bucket[];
  readonly onStep: (range: Range) => void;
}

/** The start and the end of the selected time. */
function Sliders({ count, selected = [0, count - 1], buckets, onStep }: SlidersProps) {
  const [first, last] = selected;
  const slider = (label: string, value: number, onValue: (value: number) => void) => (
    <input
      type="range"
      aria-label={label}
      aria-valuetext={buckets[value]?.at}
      min="0"
      max={count - 1}
      value={value}
      onInput={(event) => onValue(event.currentTarget.valueAsNumber)}
    />
  );
  return (
    <div class="timeline-sliders">
      {slider("Start of the time", first, (value) => onStep([Math.min(value, last), last]))}
      {slider("End of the time", last, (value) => onStep([first, Math.max(value, first)]))}
    </div>
  );
}

/** Says what an interval contains or, without one, the whole time. */
function Summary({
  timeline: { buckets, total, from, to, scenarios },
  bucket,
}: {
  timeline: Timeline;
  bucket?: Bucket;
}) {
  const requests = bucket?.requests ?? total;
  const errors = bucket?.errors ?? buckets.reduce((sum, each) => sum + each.errors, 0);
  const p95 = bucket ? bucket.p95 : Math.max(...buckets.map(({ p95 = 0 }) => p95));
  const active = [...new Set(scenarios.map(({ name }) => name))];
  return (
    <span>
      <Time of={bucket?.at ?? from} />
      {!bucket && (
        <>
          {" "}
          – <Time of={to} />
        </>
      )}{" "}
      · {requests.toLocaleString("en")} {requests === 1 ? "request" : "requests"} ·{" "}
      <span class={errors > 0 ? "bad" : undefined}>{errors.toLocaleString("en")} failed</span>
      {bucket?.p50 !== undefined && ` · p50 ${shortly(bucket.p50)}`}
      {requests > 0 && p95 !== undefined && ` · ${bucket ? "" : "slowest "}p95 ${shortly(p95)}`}
      {!bucket && active.length > 0 && ` · shaded: ${active.slice(0, 3).join(", ")}${active.length > 3 ? ", …" : ""}`}
    </span>
  );
}

function shortly(milliseconds: number): string {
  return milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds).toLocaleString("en")} ms`;
}

function sorted([a, b]: Range): Range {
  return a <= b ? [a, b] : [b, a];
}

/** Returns the end of an interval, as a time that belongs to it. */
function endOf({ buckets, to }: Timeline, index: number): string {
  const next = buckets[index + 1];
  return next ? new Date(Date.parse(next.at) - 1).toISOString() : to;
}

/** Returns the intervals that a filter selects; undefined if it selects all times. */
function rangeOf({ buckets }: Timeline, { from, to }: Route["filter"]): Range | undefined {
  if (!from && !to) return undefined;
  const start = from ? Date.parse(from) : Number.NEGATIVE_INFINITY;
  const end = to ? Date.parse(to) : Number.POSITIVE_INFINITY;
  const last = buckets.findLastIndex(({ at }) => Date.parse(at) <= end);
  const first = buckets.findLastIndex(({ at }) => Date.parse(at) <= start);
  return [Math.max(0, first), Math.max(0, first, last)];
}
