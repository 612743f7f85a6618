import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { control, path, type ResourceRecord } from "../../../control/client/index.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject, useSession } from "../live/session.ts";
import { Button, Failure } from "../parts/action.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { useNarrow } from "../parts/narrow.ts";
import { useShortcuts } from "../parts/shortcuts.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { navigate, type Route } from "../route.ts";
import { AddResources } from "./add-resources.tsx";
import { ColumnPicker } from "./column-picker.tsx";
import { choicesOf, columnsOf, textOf } from "./columns.ts";
import { counted, Deletion } from "./deletion.ts";
import { offsetOf, PAGE, withFilter } from "./filter.ts";
import { Pager } from "./pager.tsx";
import { ResourceSearch } from "./resource-search.tsx";
import { ResourceTable } from "./resource-table.tsx";

interface ResourcesProps {
  readonly project: string;
  readonly route: Route;
}

/** The resources of a project: searched, sorted and in pages, with controls to add and delete some. */
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
  const columns = columnsOf(filter.columns, useNarrow() || item !== undefined);
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
    const deletion = new Deletion(controls);
    try {
      await deletion.run([...selected]);
    } finally {
      const gone = new Set(deletion.deleted.map(({ id }) => id));
      if (gone.size > 0) {
        toasts.show(`Deleted ${counted(gone.size)}`, () => deletion.undo());
        if (item !== undefined && gone.has(item)) navigate(routeOf(undefined));
      }
      await page.reload();
    }
    setSelected(new Set());
  };
  const isFiltered = Boolean(q || where);
  return (
    <section ref={list} tabIndex={-1} aria-label="Resources" class="resources">
      <ResourceSearch route={route} />
      <Failure of={page} />
      <div class="bar">
        <button type="button" class="primary" onClick={() => setAdding(true)}>
          Add
        </button>
        <Button run={remove} disabled={selected.size === 0}>
          {selected.size === 0 ? "Delete" : `Delete ${counted(selected.size)}`}
        </Button>
        <ColumnPicker
          choices={choicesOf(resources, columns)}
          chosen={columns}
          onChange={(chosen) =>
            navigate({ ...route, filter: { ...filter, columns: textOf(chosen) } }, { replace: true })
          }
        />
        <span class="spacer" />
        {page.value && <Pager route={route} shown={resources.length} total={total} noun="resource" />}
      </div>
      {!page.value && page.error === undefined && <Skeleton lines={8} />}
      {page.value && total === 0 && (
        <p>
          {isFiltered ? "No matching resources." : "No resources. Add some, or send a request that creates one."}{" "}
          {isFiltered && (
            <button type="button" onClick={() => navigate(withFilter(route, { q: "", where: "" }))}>
              Clear the search
            </button>
          )}
        </p>
      )}
      {resources.length > 0 && (
        <ResourceTable
          route={route}
          resources={resources}
          columns={columns}
          routeOf={routeOf}
          selected={selected}
          onSelect={setSelected}
        />
      )}
      {isAdding && <AddResources project={project} onClose={() => setAdding(false)} />}
    </section>
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
