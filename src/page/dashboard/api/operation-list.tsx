/* The list of operations: groups by tag, and only the visible rows in the document. */

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { OperationSummary } from "../../../contract/index.ts";
import { SearchField } from "../parts/fields.tsx";
import { Icon } from "../parts/icon.tsx";
import { moveFocus, useSteps } from "../parts/keyboard.tsx";
import { useNarrow } from "../parts/layout.tsx";
import { matching } from "../parts/search-list.tsx";
import { counted, Method } from "../parts/text.tsx";
import { hrefOf, type Route } from "../route.ts";

export type Line = Pick<OperationSummary, "id" | "method" | "path" | "summary" | "tag" | "role" | "reason">;

/** The heights of rows in pixels, as in the style sheet. */
const HEIGHT = { group: 32, operation: 32, narrow: 44 };
/** The distance from the visible part within which rows are rendered too, in pixels. */
const MARGIN = 400;
/** With more operations, the groups are closed at first. */
const MAX_OPEN = 40;

interface ListProps {
  readonly lines: readonly Line[];
  /** The operations that the project has used, the most used ones first. */
  readonly used: readonly Line[];
  readonly selected?: string;
  /** Whether an item is open beside the list, which then is narrow: the summary is below the path. */
  readonly isOpen: boolean;
  readonly routeOf: (id: string | undefined) => Route;
}

/** The first group, with operations of other groups. */
const USED = "Used in this project";

export function OperationList({ lines, used, selected, isOpen: hasItem, routeOf }: ListProps) {
  const [text, setText] = useState("");
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [view, setView] = useState({ top: 0, height: 900 });
  const [stop, setStop] = useState<string>();
  const area = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow() || hasItem;
  const searched = useMemo(() => lines.map((line) => ({ line, text: Object.values(line).join(" ") })), [lines]);
  const rows = useMemo(() => {
    const height = isNarrow ? HEIGHT.narrow : HEIGHT.operation;
    if (text.trim() !== "")
      return rowsOf(groupsOf(matching(searched, text).map(({ line }) => line)), () => true, height);
    const isFew = lines.length <= MAX_OPEN;
    const isOpen = (group: string, members: readonly Line[]) =>
      (isFew || group === USED || members.some(({ id }) => id === selected)) !== toggled.has(group);
    return rowsOf([...(used.length > 0 && !isFew ? [[USED, used] as const] : []), ...groupsOf(lines)], isOpen, height);
  }, [searched, used, text, toggled, selected, isNarrow]);
  const shown = [...new Set(rows.flatMap(({ line }) => line ?? []))];
  useSteps(shown, selected, (line) => routeOf(line?.id));

  const current = rows.find(({ line }) => line?.id === selected) ?? rows[0];
  const stopRow = rows.find(({ key }) => key === stop) ?? current;
  const last = rows.at(-1);
  const measure = () => {
    const { scrollTop: top = 0, clientHeight: height = 900 } = area.current ?? {};
    if (Math.abs(view.top - top) > MARGIN / 2 || view.height !== height) setView({ top, height });
  };
  useLayoutEffect(measure, [rows]);
  useLayoutEffect(
    () => area.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "center" }),
    [selected, used],
  );
  const isVisible = (row: Row) =>
    row === stopRow || row === current || Math.abs(row.top - view.top - view.height / 2) < view.height / 2 + MARGIN;
  return (
    <>
      <search
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          (area.current?.querySelector("a") ?? area.current?.querySelector("button"))?.focus();
        }}
      >
        <SearchField label="Search operations" placeholder="Method, path or words" value={text} onChange={setText} />
      </search>
      <p class="hidden" role="status">
        {text && `${counted(shown.length, "operation")} found`}
      </p>
      {rows.length === 0 && <p class="quiet">No matching operations.</p>}
      <div class="operation-rows" ref={area} onScroll={measure}>
        <ol
          class="plain"
          aria-label="Operations"
          style={{ height: `${last ? last.top + last.height : 0}px` }}
          onKeyDown={(event) => moveFocus(event, event.currentTarget.querySelectorAll("a, button"))}
        >
          {rows.filter(isVisible).map((row) => {
            const { key, top, height, group, line, count, isOpen } = row;
            const shared = { tabIndex: row === stopRow ? 0 : -1, onFocus: () => setStop(key) };
            const toggle = () => setToggled(toggled.symmetricDifference(new Set([group])));
            return (
              <li key={key} style={{ top: `${top}px`, height: `${height}px` }}>
                {line ? (
                  <a
                    class="option"
                    {...shared}
                    href={hrefOf(routeOf(line.id))}
                    title={`${line.method} ${line.path}\n${line.summary}`}
                    aria-current={line.id === selected ? "page" : undefined}
                  >
                    <Method name={line.method} />
                    <span class="cut operation-path mono">
                      <bdi>{line.path}</bdi>
                    </span>
                    <span class="cut quiet">{line.summary}</span>
                  </a>
                ) : (
                  <button {...shared} type="button" class="quiet option" aria-expanded={isOpen} onClick={toggle}>
                    <Icon name="chevron" />
                    <span class="cut">{group}</span> <span class="count">{count}</span>
                  </button>
                )}
              </li>
            );
          })}
        </ol>
      </div>
    </>
  );
}

type Group = readonly [name: string, lines: readonly Line[]];

/** Returns the operations by their tags or, without one, by the start of their paths; in each group by path. */
function groupsOf(lines: readonly Line[]): Group[] {
  const groups = Map.groupBy(lines, ({ tag, path }) => tag || /^\/([^/{]+)/.exec(path)?.[1] || "Other operations");
  return Array.from(groups, ([name, members]) => [
    name,
    members.toSorted((a, b) => (a.path < b.path ? -1 : +(a.path > b.path))),
  ]);
}

interface Row {
  readonly key: string;
  readonly top: number;
  readonly height: number;
  readonly group: string;
  /** The operation; undefined for the heading of a group. */
  readonly line?: Line;
  readonly count: number;
  readonly isOpen: boolean;
}

function rowsOf(groups: readonly Group[], isGroupOpen: (...group: Group) => boolean, height: number): Row[] {
  let top = 0;
  return groups.flatMap(([group, lines]) => {
    const isOpen = isGroupOpen(group, lines);
    const rows = [undefined, ...(isOpen ? lines : [])];
    return rows.map((line): Row => {
      const own = { group, count: lines.length, isOpen, line, top, height: line ? height : HEIGHT.group };
      top += own.height;
      return { ...own, key: `${group} ${line?.id ?? ""}` };
    });
  });
}
