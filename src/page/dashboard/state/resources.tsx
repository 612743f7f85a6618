import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { control, path, type ResourceRecord } from "../../../control/client/index.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject, useSession } from "../live/session.ts";
import { Button, Failure } from "../parts/action.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { useNarrow } from "../parts/narrow.ts";
import { useShortcuts } from "../parts/shortcuts.tsx";
import { Time } from "../parts/time.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { hrefOf, navigate, type Route } from "../route.ts";
import { NewResources } from "./new-resources.tsx";
import { counted, offsetOf, PAGE, Pager, withFilter } from "./paging.tsx";
import { deleteResources } from "./resources-of.ts";

interface ResourcesProps {
  readonly project: string;
  readonly route: Route;
}

/** The resources of a project: searched, sorted and in pages, with controls to create and delete some. */
export function Resources({ project, route }: ResourcesProps) {
  const { connection } = useSession();
  const controls = useProject(project);
  const toasts = useToasts();
  const { filter, item } = route;
  const { q, where, sort } = filter;
  const offset = offsetOf(route);
  const page = useLoaded(
    () =>
      control<{ resources: ResourceRecord[]; total: number }>(connection, {
        method: "GET",
        path: path`/projects/${project}/resources`,
        query: { q, where, sort, limit: PAGE, offset },
      }),
    on(project, "state", "rewound"),
    [q, where, sort, offset],
  );
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isAdding, setAdding] = useState(false);
  const list = useRef<HTMLElement>(null);
  const { resources = [], total = 0 } = page.value ?? {};

  useFocusOfClosed(item, list.current, page.value);
  // A deletion can leave the last page without resources.
  useLayoutEffect(() => {
    if (page.value && resources.length === 0 && offset > 0) {
      navigate(withFilter(route, { page: String(Math.max(1, Math.ceil(total / PAGE))) }), { replace: true });
    }
  }, [page.value]);

  const routeOf = (id: string | undefined): Route => ({ ...route, item: id, owner: id === undefined ? id : project });
  const step = (by: 1 | -1) => {
    const index = resources.findIndex(({ id }) => id === item);
    const next = resources[index === -1 ? 0 : index + by];
    if (next) navigate(routeOf(next.id), { replace: item !== undefined });
  };
  useShortcuts({
    j: { does: "Open the next resource", run: () => step(1) },
    k: { does: "Open the previous resource", run: () => step(-1) },
    Escape: { does: "Close the resource", run: () => item !== undefined && navigate(routeOf(undefined)) },
  });

  const remove = async () => {
    const gone: ResourceRecord[] = [];
    try {
      await deleteResources(controls, [...selected], (resource) => gone.push(resource));
    } finally {
      if (gone.length > 0) toasts.show(`Deleted ${counted(gone.length)}`, () => controls.seed(gone));
      if (gone.some(({ id }) => id === item)) navigate(routeOf(undefined));
      await page.reload();
    }
    setSelected(new Set());
  };
  const isFiltered = Boolean(q || where);
  return (
    <section ref={list} tabIndex={-1} aria-label="Resources" class="resources">
      <Search route={route} />
      <Failure of={page} />
      <div class="bar">
        <button type="button" class="primary" onClick={() => setAdding(true)}>
          New resource
        </button>
        {selected.size > 0 && (
          <Button run={remove} kind="quiet">
            Delete {counted(selected.size)}
          </Button>
        )}
        <span class="spacer" />
        {page.value && <Pager route={route} shown={resources.length} total={total} noun="resource" />}
      </div>
      {!page.value && page.error === undefined && <Skeleton lines={8} />}
      {page.value && total === 0 && (
        <p>
          {isFiltered ? "No matching resources." : "No resources. Create one, or send a request that creates one."}{" "}
          {isFiltered && (
            <button type="button" onClick={() => navigate(withFilter(route, { q: "", where: "" }))}>
              Clear the search
            </button>
          )}
        </p>
      )}
      {resources.length > 0 && <Table {...{ route, resources, routeOf, selected }} onSelect={setSelected} />}
      {isAdding && (
        <NewResources
          project={project}
          onClose={(ids = []) => {
            setAdding(false);
            if (ids.length === 1) navigate(routeOf(ids[0]));
          }}
        />
      )}
    </section>
  );
}

/** The time after the last key until the search starts, in milliseconds. */
const PAUSE_MS = 150;

/** The search fields of the resources. The URL holds their values. */
function Search({ route }: { readonly route: Route }) {
  const { q = "", where = "" } = route.filter;
  const [text, setText] = useState(q);
  const [predicate, setPredicate] = useState(where);
  /** The last text in the URL that this field has set. The user may have typed more since then. */
  const sent = useRef(q);
  const latest = useRef(route);
  latest.current = route;
  useLayoutEffect(() => {
    if (q !== sent.current) setText(q);
    sent.current = q;
  }, [q]);
  useLayoutEffect(() => setPredicate(where), [where]);
  useLayoutEffect(() => {
    if (text.trim() === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text.trim();
      navigate(withFilter(latest.current, { q: sent.current }), { replace: true });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <search>
      <form
        class="bar"
        onSubmit={(event) => {
          event.preventDefault();
          navigate(withFilter(route, { where: predicate.trim() }));
        }}
      >
        <input
          type="search"
          aria-label="Search resources"
          placeholder="Search id and key"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <input
          class="where mono"
          aria-label="Where"
          placeholder="where: version > 1 and key is defined"
          title="A predicate of the service, as in the parameter where of queryWithSortedParameters"
          spellcheck={false}
          value={predicate}
          onInput={(event) => setPredicate(event.currentTarget.value)}
        />
        {predicate.trim() !== where && <button type="submit">Search</button>}
      </form>
    </search>
  );
}

interface TableProps {
  readonly route: Route;
  readonly resources: readonly ResourceRecord[];
  /** Returns the route with this resource open. */
  readonly routeOf: (id: string) => Route;
  /** The ids of the selected resources, also of those on other pages. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

const columns = ["id", "key", "version", "lastModifiedAt"] as const;

function Table({ route, resources, routeOf, selected, onSelect }: TableProps) {
  const isNarrow = useNarrow() || route.item !== undefined;
  const shown = isNarrow ? columns.slice(0, 3) : columns;
  const ids = resources.map(({ id }) => id);
  const here = ids.filter((id) => selected.has(id));
  const select = (changed: readonly string[], isSelected: boolean) =>
    onSelect(isSelected ? selected.union(new Set(changed)) : selected.difference(new Set(changed)));
  return (
    <table class="resource-table">
      <thead>
        <tr>
          <th class="box">
            <Checkbox
              label="Select all resources on this page"
              isChecked={here.length === ids.length}
              isMixed={here.length > 0 && here.length < ids.length}
              onChange={(isSelected) => select(ids, isSelected)}
            />
          </th>
          {shown.map((column) => (
            <Heading key={column} column={column} route={route} />
          ))}
        </tr>
      </thead>
      <tbody>
        {resources.map(({ id, key, version, lastModifiedAt }) => (
          <tr key={id} class={id === route.item ? "current" : undefined}>
            <td>
              <Checkbox
                label={`Select ${id}`}
                isChecked={selected.has(id)}
                onChange={(isSelected) => select([id], isSelected)}
              />
            </td>
            <td>
              <a
                class="id"
                data-id={id}
                href={hrefOf(routeOf(id))}
                title={id}
                aria-current={id === route.item ? "true" : undefined}
              >
                {id}
              </a>
            </td>
            <td class="id" title={key}>
              {key}
            </td>
            <td class="number">{version}</td>
            {!isNarrow && (
              <td class="quiet">
                <Time of={lastModifiedAt} as="full" />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The heading of a column. A click sorts by it: ascending, descending, and in the order of creation again. */
function Heading({ column, route }: { column: string; route: Route }) {
  const { sort = "" } = route.filter;
  const direction =
    sort === column || sort === `${column} asc` ? "ascending" : sort === `${column} desc` ? "descending" : undefined;
  const next = direction === undefined ? column : direction === "ascending" ? `${column} desc` : "";
  return (
    <th class={`of-${column}`} aria-sort={direction}>
      <a href={hrefOf(withFilter(route, { sort: next }))} title={`Sort by ${column}`}>
        {column}
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
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={isChecked}
      indeterminate={isMixed}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

/**
 * Moves the focus to the link of a resource when the resource closes, or to the list if the resource is gone.
 *
 * @param page the page of resources: a deleted resource disappears with the next page that is loaded
 */
function useFocusOfClosed(item: string | undefined, list: HTMLElement | null, page: unknown): void {
  const before = useRef(item);
  const closed = useRef<string>(undefined);
  useLayoutEffect(() => {
    closed.current = item === undefined ? before.current : undefined;
    before.current = item;
    const links = [...(list?.querySelectorAll<HTMLElement>("a[data-id]") ?? [])];
    if (closed.current !== undefined) (links.find((link) => link.dataset.id === closed.current) ?? list)?.focus();
  }, [item]);
  useLayoutEffect(() => {
    if (closed.current !== undefined && document.activeElement === document.body) list?.focus();
  }, [page]);
}
