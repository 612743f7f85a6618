import { useLayoutEffect, useRef } from "preact/hooks";
import type { ResourceRecord } from "../../../control/client/index.ts";
import { Time } from "../parts/time.tsx";
import { hrefOf, type Route } from "../route.ts";
import { brief, type Column, headingOf, isSortable, memberOf } from "./columns.ts";
import { withFilter } from "./filter.ts";

interface TableProps {
  readonly route: Route;
  readonly resources: readonly ResourceRecord[];
  readonly columns: readonly Column[];
  /** Returns the route with this resource open. */
  readonly routeOf: (id: string) => Route;
  /** The ids of the selected resources, also of those on other pages. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

/** The smallest widths of columns, in pixels. Wider tables scroll. */
const WIDTH = { version: 76, time: 250, other: 110, box: 34 };

export function ResourceTable({ route, resources, columns, routeOf, selected, onSelect }: TableProps) {
  const ids = resources.map(({ id }) => id);
  const here = ids.filter((id) => selected.has(id));
  const select = (changed: readonly string[], isSelected: boolean) => {
    const next = new Set(selected);
    for (const id of changed) isSelected ? next.add(id) : next.delete(id);
    onSelect(next);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key.
    <section class="scroll" tabIndex={0} aria-label="Table of resources">
      <table
        class="resource-table"
        style={{ minWidth: `${columns.reduce((sum, column) => sum + widthOf(column), WIDTH.box)}px` }}
      >
        <colgroup>
          <col style={{ width: `${WIDTH.box}px` }} />
          {columns.map((column) => (
            <col key={column} style={isFixed(column) ? { width: `${widthOf(column)}px` } : undefined} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th>
              <Checkbox
                label="Select all resources on this page"
                isChecked={here.length === ids.length}
                isMixed={here.length > 0 && here.length < ids.length}
                onChange={(isSelected) => select(ids, isSelected)}
              />
            </th>
            {columns.map((column) => (
              <Heading key={column} column={column} route={route} />
            ))}
          </tr>
        </thead>
        <tbody>
          {resources.map((resource) => (
            <tr key={resource.id} class={resource.id === route.item ? "current" : undefined}>
              <td>
                <Checkbox
                  label={`Select ${resource.id}`}
                  isChecked={selected.has(resource.id)}
                  onChange={(isSelected) => select([resource.id], isSelected)}
                />
              </td>
              {columns.map((column) => (
                <td key={column} class={column === "version" ? "number" : undefined}>
                  {column === "id" ? (
                    <a
                      class="id"
                      data-id={resource.id}
                      href={hrefOf(routeOf(resource.id))}
                      title={resource.id}
                      aria-current={resource.id === route.item ? "true" : undefined}
                    >
                      {resource.id}
                    </a>
                  ) : (
                    <Cell column={column} value={memberOf(resource, column)} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function isTime(column: Column): boolean {
  return column === "createdAt" || column === "lastModifiedAt";
}

function isFixed(column: Column): boolean {
  return column === "version" || isTime(column);
}

function widthOf(column: Column): number {
  return column === "version" ? WIDTH.version : isTime(column) ? WIDTH.time : WIDTH.other;
}

function Cell({ column, value }: { column: Column; value: unknown }) {
  if (isTime(column) && typeof value === "string") {
    return (
      <span class="quiet">
        <Time of={value} as="full" />
      </span>
    );
  }
  const text = brief(value);
  return (
    <span class={typeof value === "object" ? "id quiet" : "id"} title={text}>
      {text}
    </span>
  );
}

/** The heading of a column. A click sorts by it: ascending, descending, and in the order of creation again. */
function Heading({ column, route }: { column: Column; route: Route }) {
  const heading = headingOf(column);
  const kind = column === "version" ? "number" : undefined;
  if (!isSortable(column)) {
    return (
      <th class={kind} title={column}>
        <span class="cut">{heading}</span>
      </th>
    );
  }
  const { sort = "" } = route.filter;
  const direction =
    sort === column || sort === `${column} asc` ? "ascending" : sort === `${column} desc` ? "descending" : undefined;
  const next = direction === undefined ? column : direction === "ascending" ? `${column} desc` : "";
  return (
    <th class={kind} aria-sort={direction}>
      <a href={hrefOf(withFilter(route, { sort: next }))} title={`Sort by ${column}`}>
        {heading}
        {direction && <span aria-hidden="true">{direction === "ascending" ? " ↑" : " ↓"}</span>}
      </a>
    </th>
  );
}

interface CheckboxProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly isMixed?: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

function Checkbox({ label, isChecked, isMixed = false, onChange }: CheckboxProps) {
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = isMixed;
  }, [isMixed]);
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label={label}
      checked={isChecked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
