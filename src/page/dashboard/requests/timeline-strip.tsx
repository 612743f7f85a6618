import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Timeline } from "../../../control/client/index.ts";
import { useLoaded, useRequestSearch } from "../live/session.ts";
import { PlainButton } from "../parts/action.tsx";
import { Time } from "../parts/text.tsx";
import { navigate, useRoute } from "../route.ts";
import { isSet, queryOf } from "./filter.tsx";

/** The number of intervals, and the fewest columns of the drawing: a few requests are thin bars too. */
const BUCKETS = 120;
const MIN_COLUMNS = 60;
/** Longer pauses than this number of intervals are one narrow gap. */
const MAX_IDLE = 3;
/** The strip changes slowly, and each load reads the whole journal, so it is loaded less often than the list. */
const PAUSE_MS = 3000;
/** Heights in pixels: the bars of all requests, those of failed ones on their own scale, and the lane of a scenario. */
const HEIGHT = { requests: 26, errors: 12, lane: 4 };
const MAX_LANES = 4;

/** An interval of the drawing, or a pause without requests. Times are in milliseconds. */
interface Column {
  readonly from: number;
  readonly to: number;
  readonly requests: number;
  readonly errors: number;
  readonly isGap?: boolean;
}

/**
 * The matching requests over time: how many, how many of them failed, and when scenarios were active. The user selects a
 * time with the pointer, which filters the list and enlarges that time.
 */
export function TimelineStrip({ children }: { readonly children: ComponentChildren }) {
  const route = useRoute();
  const search = useRequestSearch();
  const [brushed, setBrushed] = useState<readonly [number, number]>();
  const query = queryOf(route.filter);
  const timeline = useLoaded(
    () => search.timeline({ ...query, buckets: BUCKETS }),
    ["request", "journal", "scenarios"],
    [JSON.stringify(query)],
    PAUSE_MS,
  );
  // The drawing holds still while the user selects a time, and stays while another filter is loading.
  const held = useRef<Timeline>(undefined);
  if (!brushed && (timeline.value || timeline.error !== undefined)) held.current = timeline.value;
  const value = held.current;
  const columns = value ? columnsOf(value) : [];
  const width = Math.max(MIN_COLUMNS, columns.length);
  const [first = 0, last = 0] = brushed?.toSorted((a, b) => a - b) ?? [];
  const shown = brushed ? columns.slice(first, last + 1) : columns;
  const { from = "", to = "" } = route.filter;

  const select = () => {
    setBrushed(undefined);
    const [start, end] = [columns[first]?.from, columns[last]?.to];
    if (start === undefined || end === undefined) return;
    const range = { from: new Date(start).toISOString(), to: new Date(end - 1).toISOString() };
    navigate({ ...route, filter: { ...route.filter, ...range } });
  };
  const indexAt = ({ currentTarget, clientX }: PointerEvent & { readonly currentTarget: Element }) => {
    const area = currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(columns.length - 1, Math.floor(((clientX - area.left) / area.width) * width)));
  };
  const hasDrawing = value && (value.total > 0 || isSet(route.filter));
  return (
    <section class="timeline" aria-label="Requests over time">
      {(hasDrawing || timeline.value === undefined) && (
        <div
          class="timeline-area"
          onPointerDown={(event) => {
            if (columns.length === 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            const index = indexAt(event);
            setBrushed([index, index]);
          }}
          onPointerMove={(event) => brushed && setBrushed([brushed[0], indexAt(event)])}
          onPointerUp={() => brushed && select()}
          onPointerCancel={() => setBrushed(undefined)}
        >
          {value && <Drawing timeline={value} columns={columns} width={width} selected={brushed && [first, last]} />}
        </div>
      )}
      <div class="bar timeline-text">
        {children}
        {hasDrawing && (
          <span class="timeline-summary cut quiet">
            <Summary columns={shown} /> {value && <Legend timeline={value} />}
          </span>
        )}
        {(from || to) && (
          <PlainButton onClick={() => navigate({ ...route, filter: { ...route.filter, from: "", to: "" } })}>
            All times
          </PlainButton>
        )}
      </div>
    </section>
  );
}

interface DrawingProps {
  readonly timeline: Timeline;
  readonly columns: readonly Column[];
  readonly width: number;
  readonly selected: readonly [first: number, last: number] | undefined;
}

function Drawing({ timeline, columns, width, selected }: DrawingProps) {
  const most = Math.max(1, ...columns.map(({ requests }) => requests));
  const mostErrors = Math.max(1, ...columns.map(({ errors }) => errors));
  const lanes = lanesOf(timeline);
  const base = HEIGHT.requests;
  const height = base + 2 + HEIGHT.errors + 2 + lanes.length * HEIGHT.lane;
  const bar = (name: string, index: number, count: number, share: number, full: number) => {
    const size = count === 0 ? 0 : Math.max(2, share * full);
    const y = name === "errors-bar" ? base + 2 : base - size;
    return <rect class={name} x={index + 0.12} y={y} width="0.76" height={size} />;
  };
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      style={{ height: `${height}px` }}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {selected && (
        <rect class="selected" x={selected[0]} y="0" width={selected[1] - selected[0] + 1} height={height} />
      )}
      {columns.map(({ from, requests, errors, isGap }, index) =>
        isGap ? (
          <rect key={from} class="gap" x={index + 0.3} y={base - 1} width="0.4" height="1" />
        ) : (
          <g key={from}>
            {bar("requests-bar", index, requests, requests / most, base)}
            {bar("errors-bar", index, errors, errors / mostErrors, HEIGHT.errors)}
          </g>
        ),
      )}
      {timeline.scenarios.map(({ name, from, to }, index) => {
        const lane = lanes.indexOf(name);
        const start = xOf(columns, Date.parse(from));
        const end = to === undefined ? columns.length : xOf(columns, Date.parse(to));
        if (lane === -1) return null;
        const y = base + 2 + HEIGHT.errors + 2 + lane * HEIGHT.lane;
        const size = Math.max(0.4, end - start);
        return <rect key={index} fill={colourOf(lane)} x={start} y={y} width={size} height={HEIGHT.lane - 1} />;
      })}
    </svg>
  );
}

function lanesOf({ scenarios }: Timeline): string[] {
  return [...new Set(scenarios.map(({ name }) => name))].slice(0, MAX_LANES);
}

function colourOf(lane: number): string {
  return `var(--lane-${lane})`;
}

/** Returns the place of a time in the drawing. Times within a gap are in its middle. */
function xOf(columns: readonly Column[], time: number): number {
  const index = columns.findIndex(({ to }) => time < to);
  const column = columns[index];
  if (!column) return columns.length;
  if (column.isGap) return index + 0.5;
  return index + Math.max(0, (time - column.from) / (column.to - column.from));
}

/** Returns the columns of the drawing, from the first request to the last one: longer pauses are one column each. */
function columnsOf({ buckets, to }: Timeline): Column[] {
  const columns: Column[] = [];
  let idle: Column[] = [];
  for (const [index, { at, requests, errors }] of buckets.entries()) {
    const next = buckets[index + 1];
    const end = next ? Date.parse(next.at) : Date.parse(to) + 1;
    const column = { from: Date.parse(at), to: end, requests, errors };
    idle.push(column);
    if (requests === 0) continue;
    const pause = idle.slice(0, -1);
    if (columns.length > 0) columns.push(...(pause.length > MAX_IDLE ? [{ ...sumOf(pause), isGap: true }] : pause));
    columns.push(column);
    idle = [];
  }
  return columns;
}

function sumOf(columns: readonly Column[]): Column {
  return {
    from: columns[0]?.from ?? 0,
    to: columns.at(-1)?.to ?? 0,
    requests: columns.reduce((sum, { requests }) => sum + requests, 0),
    errors: columns.reduce((sum, { errors }) => sum + errors, 0),
  };
}

function Summary({ columns }: { columns: readonly Column[] }) {
  if (columns.length === 0) return null;
  const { from, to, errors } = sumOf(columns);
  return (
    <>
      <span class={errors > 0 ? "bad" : undefined}>{errors.toLocaleString("en")} failed</span> ·{" "}
      <Time of={new Date(from).toISOString()} /> – <Time of={new Date(to).toISOString()} />
    </>
  );
}

function Legend({ timeline }: { timeline: Timeline }) {
  return (
    <>
      {lanesOf(timeline).map((name, lane) => (
        <span key={name} class="legend" title={`Times in which the scenario ${name} was active`}>
          <i style={{ background: colourOf(lane) }} /> {name}
        </span>
      ))}
    </>
  );
}
