import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useSession } from "../live/session.ts";
import { PlainButton } from "../parts/action.tsx";
import { useFocusOfOpen, useOneStop } from "../parts/keyboard.tsx";
import { useNarrow } from "../parts/layout.tsx";
import { counted, Status, Time, useNow } from "../parts/text.tsx";
import type { RequestRow } from "./request-rows.ts";

/** The height of a row in pixels, as in the style sheet. */
const ROW = { wide: 30, narrow: 54 };
/** The number of rows outside of the visible part that are rendered too, so that scrolling shows no gaps. */
const MARGIN = 12;

interface RowListProps {
  readonly rows: readonly RequestRow[];
  readonly selected?: string;
  readonly hrefOfRow: (row: RequestRow) => string;
  /** Called when the list is scrolled away from its top, and back. */
  readonly onScrolled: (isScrolled: boolean) => void;
  /** Loads older rows; absent if there are no older ones. Called when the end of the list comes into view. */
  readonly onOlder?: () => Promise<void>;
}

/** A list of requests. It renders only the visible rows, so thousands of them scroll well. */
export function RowList({ rows, selected, hrefOfRow, onScrolled, onOlder }: RowListProps) {
  const area = useRef<HTMLDivElement>(null);
  const height = useNarrow() ? ROW.narrow : ROW.wide;
  const [view, setView] = useState({ top: 0, height: 800 });

  const measure = () => {
    const { scrollTop, clientHeight } = area.current ?? { scrollTop: 0, clientHeight: 800 };
    // The state changes only with the first rendered row, so most scroll events render nothing.
    setView((before) => {
      const isSame = Math.floor(before.top / height) === Math.floor(scrollTop / height);
      return isSame && before.height === clientHeight ? before : { top: scrollTop, height: clientHeight };
    });
    onScrolled(scrollTop > height);
    if (scrollTop + clientHeight > (rows.length - MARGIN) * height) void onOlder?.();
  };
  useLayoutEffect(measure, [rows.length, height]);

  const first = Math.max(0, Math.floor(view.top / height) - MARGIN);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / height) + MARGIN);
  const selectedIndex = rows.findIndex(({ id }) => id === selected);
  useLayoutEffect(() => {
    const element = area.current;
    if (selectedIndex === -1 || !element) return;
    const top = selectedIndex * height;
    const isInView = top >= element.scrollTop && top + height <= element.scrollTop + element.clientHeight;
    // In the middle: the timeline above may still grow.
    if (!isInView) element.scrollTop = top - element.clientHeight / 2;
  }, [selected]);
  useFocusOfOpen(area, selected);
  useOneStop(area, "li > a");
  const now = useNow();

  return (
    <div class="row-list" ref={area} onScroll={measure}>
      <ol class="plain" aria-label="Requests" style={{ height: `${rows.length * height}px` }}>
        {rows.slice(first, last).map((row, index) => (
          <li
            key={`${row.project} ${row.id}`}
            aria-posinset={first + index + 1}
            aria-setsize={rows.length}
            style={{ top: `${(first + index) * height}px` }}
          >
            <a
              href={hrefOfRow(row)}
              data-id={row.id}
              aria-current={row.id === selected ? "true" : undefined}
              // Enter on the row of the open request leads from the list to the request.
              onClick={() => row.id === selected && document.querySelector<HTMLElement>(".pane.item")?.focus()}
            >
              <Row row={row} now={now} />
            </a>
          </li>
        ))}
      </ol>
      {onOlder && <PlainButton onClick={onOlder}>Load older</PlainButton>}
    </div>
  );
}

function Row({ row, now }: { readonly row: RequestRow; readonly now: number }) {
  const showsProject = useSession().project === undefined;
  const { project, method, path, query, status, violations, offContract, serverTime, duration, reason } = row;
  return (
    <>
      <span class="row-status">
        <Status of={status} />
      </span>
      <span class="row-request">
        {showsProject && <span class="badge">{project}</span>} <span class="verb">{method}</span> {pathInProject(path)}
        {query && <span class="quiet">?{decoded(query)}</span>}
      </span>
      <span class="row-reason quiet">
        {violations > 0 && status < 400 && (
          <span class="badge warning" title="Contract violations">
            {counted(violations, "violation")}
          </span>
        )}{" "}
        {offContract && <span class="badge warning">off contract</span>} {reason}
      </span>
      <span class="row-duration quiet number">{duration.toFixed(duration < 10 ? 1 : 0)} ms</span>
      <span class="row-time quiet number">
        <Time of={serverTime} as="relative" now={now} />
      </span>
    </>
  );
}

export function pathInProject(path: string): string {
  return decoded(path.replace(/^\/[^/]+/, "")) || "/";
}

/** Returns a percent-encoded text decoded, or as it is if it is invalid. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
