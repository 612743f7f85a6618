import { useLoaded, useRequestSearch } from "../live/session.ts";
import { counted, timeOf } from "../parts/text.tsx";
import { navigate, useRoute } from "../route.ts";
import { queryOf } from "./filter.tsx";

/** The number of intervals, and the height of the strip in pixels. */
const BUCKETS = 120;
const HEIGHT = 24;
/** The least height of a bar, and of the failed part of a bar, in pixels. */
const LEAST = 4;
/** The strip changes slowly, and each load reads the whole journal, so it is loaded less often than the list. */
const PAUSE_MS = 3000;

/** The matching requests over time, with the failed ones at the bottom of each bar. A click on a bar selects its time. */
export function TimelineStrip() {
  const route = useRoute();
  const search = useRequestSearch();
  const query = queryOf(route.filter);
  const timeline = useLoaded(
    () => search.timeline({ ...query, buckets: BUCKETS }),
    ["request", "journal"],
    [JSON.stringify(query)],
    PAUSE_MS,
  );
  const { buckets = [], to = "", total } = timeline.value ?? {};
  if (total === 0) return null;
  const most = Math.max(1, ...buckets.map(({ requests }) => requests));
  const width = 100 / BUCKETS;
  return (
    <svg class="timeline" height={HEIGHT} role="img" aria-label={`${counted(total ?? 0, "request")} over time`}>
      {buckets.map(({ at, requests, errors }, index) => {
        if (requests === 0) return null;
        const from = Date.parse(at);
        const end = Date.parse(buckets[index + 1]?.at ?? to) - (index + 1 < buckets.length ? 1 : 0);
        const height = LEAST + (requests / most) * (HEIGHT - LEAST);
        const failed = errors === 0 ? 0 : Math.max(LEAST, (errors / requests) * height);
        const bar = (name: string, size: number) => (
          <rect class={name} x={`${index * width}%`} width={`${0.8 * width}%`} y={HEIGHT - size} height={size} />
        );
        const range = { from: new Date(from).toISOString(), to: new Date(end).toISOString() };
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the conditions from and to of the search do the same by key.
          <g key={at} onClick={() => navigate({ ...route, filter: { ...route.filter, ...range } })}>
            <title>
              {`${counted(requests, "request")}, ${errors.toLocaleString("en")} failed, from ${timeOf(from)}`}
            </title>
            {bar("whole", HEIGHT)}
            {bar("requests-bar", height)}
            {bar("errors-bar", failed)}
          </g>
        );
      })}
    </svg>
  );
}
