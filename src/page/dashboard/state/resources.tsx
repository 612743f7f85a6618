import { useRef, useState } from "preact/hooks";
import type { ResourceRecord } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject, useRead } from "../live/session.ts";
import { Button, Failure, Skeleton } from "../parts/action.tsx";
import { SearchField, useTyped } from "../parts/fields.tsx";
import { useFocusOfOpen, useNarrow } from "../parts/focus.ts";
import { useSteps } from "../parts/shortcuts.tsx";
import { counted } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { hrefOf, navigate, type Route, useRoute } from "../route.ts";
import { NewResources } from "./resource-form.tsx";
import { deleteResources } from "./transfer.tsx";

const MAX_SHOWN = 200;

function withFilter(route: Route, change: Route["filter"]): Route {
  return { ...route, filter: { ...route.filter, ...change } };
}

/** The resources of a project, searched and sorted, with controls to create and delete some. */
export function Resources() {
  const read = useRead();
  const controls = useProject();
  const { key: project } = controls;
  const route = useRoute();
  const toasts = useToasts();
  const { filter, item } = route;
  const { q, where, sort } = filter;
  const page = useLoaded(
    () => read<{ resources: ResourceRecord[]; total: number }>("/resources", { q, where, sort, limit: MAX_SHOWN }),
    ["state", "rewound"],
    [q, where, sort],
  );
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isAdding, setAdding] = useState(false);
  const list = useRef<HTMLElement>(null);
  const { resources = [], total = 0 } = page.value ?? {};

  useFocusOfOpen(list, item);
  const routeOf = (id: string | undefined): Route => ({ ...route, item: id, owner: id === undefined ? id : project });
  const step = (by: 1 | -1) => {
    const index = resources.findIndex(({ id }) => id === item);
    const next = resources[index === -1 ? 0 : index + by];
    if (next) navigate(routeOf(next.id), { replace: item !== undefined });
  };
  useSteps("resource", item !== undefined, step, () => navigate(routeOf(undefined)));

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
      <Search />
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
        {page.value && (
          <span class="quiet" role="status">
            {total > resources.length && `${resources.length} of `}
            {counted(total)}
            {total > resources.length && ". Search to find the others."}
          </span>
        )}
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
      {resources.length > 0 && <Table {...{ resources, routeOf, selected }} onSelect={setSelected} />}
      {isAdding && (
        <NewResources
          onClose={(ids = []) => {
            setAdding(false);
            if (ids.length === 1) navigate(routeOf(ids[0]));
          }}
        />
      )}
    </section>
  );
}

/** The search fields of the resources. The URL holds their values. */
function Search() {
  const route = useRoute();
  const { q = "", where = "" } = route.filter;
  const typed = useTyped(q, (text) => {
    navigate(withFilter(route, { q: text.trim() }), { replace: true });
    return text.trim();
  });
  return (
    <search class="bar">
      <SearchField label="Search resources" placeholder="Search id and key" {...typed} />
      <input
        key={where}
        class="where mono"
        aria-label="Where"
        placeholder="where: version > 1 and key is defined"
        title="A predicate of the service, as in the parameter where of queryWithSortedParameters. Enter searches."
        spellcheck={false}
        defaultValue={where}
        onChange={(event) => navigate(withFilter(route, { where: event.currentTarget.value.trim() }))}
      />
    </search>
  );
}

interface TableProps {
  readonly resources: readonly ResourceRecord[];
  readonly routeOf: (id: string) => Route;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

const columns = ["id", "key", "version", "lastModifiedAt"] as const;

function Table({ resources, routeOf, selected, onSelect }: TableProps) {
  const route = useRoute();
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
              label="Select all resources in this table"
              isChecked={here.length === ids.length}
              isMixed={here.length > 0 && here.length < ids.length}
              onChange={(isSelected) => select(ids, isSelected)}
            />
          </th>
          {shown.map((column) => (
            <Heading key={column} column={column} />
          ))}
        </tr>
      </thead>
      <tbody>
        {resources.map(({ id, key, version, lastModifiedAt }) => (
          <tr key={id} data-open={id === route.item || undefined}>
            <td>
              <Checkbox
                label={`Select ${id}`}
                isChecked={selected.has(id)}
                onChange={(isSelected) => select([id], isSelected)}
              />
            </td>
            <td>
              <a
                data-id={id}
                href={hrefOf(routeOf(id))}
                title={id}
                aria-current={id === route.item ? "true" : undefined}
              >
                {id}
              </a>
            </td>
            <td title={key}>{key}</td>
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
function Heading({ column }: { readonly column: string }) {
  const route = useRoute();
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
