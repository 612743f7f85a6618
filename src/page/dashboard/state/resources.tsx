import { useRef, useState } from "preact/hooks";
import { MAX_GENERATED } from "../../../contract/index.ts";
import type { RecordDraft, ResourceRecord, StateDocument } from "../../../control/client/index.ts";
import { bodyExample } from "../api/document.ts";
import { findResources, useContract, useLoaded, useProject, useSession } from "../live/session.ts";
import { Failure, Form, Skeleton, useToasts } from "../parts/action.tsx";
import { NumberField, SearchField, useDraft, useTyped } from "../parts/fields.tsx";
import { useFocusOfOpen, useSteps } from "../parts/keyboard.tsx";
import { Dialog, useNarrow } from "../parts/layout.tsx";
import { counted, parsedLines, Time } from "../parts/text.tsx";
import { hrefOf, navigate, type Route, useRoute } from "../route.ts";
import { ResourceForm, removeResource } from "./resource.tsx";

const MAX_SHOWN = 200;

/** The resources of a project, searched and sorted, with controls to create and delete some. */
export function Resources() {
  const { connection } = useSession();
  const controls = useProject();
  const { key: project } = controls;
  const route = useRoute();
  const { filter, item } = route;
  const { q, where, sort } = filter;
  const page = useLoaded(
    () => findResources(connection, project, { q, where, sort, limit: MAX_SHOWN }),
    ["state", "rewound"],
    [q, where, sort],
  );
  const [isAdding, setAdding] = useState(false);
  const list = useRef<HTMLElement>(null);
  // The table stays while another search is loading: a row or heading under the pointer must get the click.
  const held = useRef(page.value);
  if (page.value || page.error !== undefined) held.current = page.value;
  const shown = held.current;
  const { resources = [], total = 0 } = shown ?? {};

  useFocusOfOpen(list, item);
  const routeOf = (id: string | undefined): Route => ({ ...route, item: id, owner: id === undefined ? id : project });
  useSteps(resources, item, (next) => routeOf(next?.id));

  const { field: search } = useTyped(where ? `where: ${where}` : (q ?? ""), (text) => {
    // A predicate of the service, as in the parameter `where` of lists.
    const [, predicate] = /^\s*where:\s*(.*?)\s*$/i.exec(text) ?? [];
    const next = { q: predicate === undefined ? text.trim() : "", where: predicate ?? "" };
    navigate({ ...route, filter: { ...filter, ...next } }, { replace: true });
    return next.where ? `where: ${next.where}` : next.q;
  });
  const isFiltered = Boolean(q || where);
  return (
    <section ref={list} tabIndex={-1} aria-label="Resources" class="resources">
      <search class="bar">
        <SearchField label="Search resources" placeholder="Search id and key, or where: version > 1" {...search} />
      </search>
      <Failure of={page} />
      <div class="bar">
        <button type="button" class="primary" onClick={() => setAdding(true)}>
          New resource
        </button>
        <span class="spacer" />
        {shown && (
          <span class="quiet" role="status">
            {total > resources.length && `${resources.length} of `}
            {counted(total)}
            {total > resources.length && ". Search to find the others."}
          </span>
        )}
      </div>
      {!shown && page.error === undefined && <Skeleton lines={8} />}
      {shown && total === 0 && (
        <p>
          {isFiltered ? "No matching resources." : "No resources. Create one, or send a request that creates one."}{" "}
          {isFiltered && (
            <button type="button" onClick={() => navigate({ ...route, filter: { ...filter, q: "", where: "" } })}>
              Clear the search
            </button>
          )}
        </p>
      )}
      {resources.length > 0 && <Table resources={resources} routeOf={routeOf} />}
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

interface TableProps {
  readonly resources: readonly ResourceRecord[];
  readonly routeOf: (id: string) => Route;
}

const columns = ["id", "key", "version", "lastModifiedAt"] as const;

function Table({ resources, routeOf }: TableProps) {
  const route = useRoute();
  const isNarrow = useNarrow() || route.item !== undefined;
  const shown = isNarrow ? columns.slice(0, 3) : columns;
  return (
    <table class="resource-table">
      <thead>
        <tr>
          {shown.map((column) => (
            <Heading key={column} column={column} />
          ))}
        </tr>
      </thead>
      <tbody>
        {resources.map(({ id, key, version, lastModifiedAt }) => (
          <tr key={id} data-open={id === route.item || undefined}>
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
      <a href={hrefOf({ ...route, filter: { ...route.filter, sort: next } })} title={`Sort by ${column}`}>
        {column}
        {direction && <span aria-hidden="true">{direction === "ascending" ? " ↑" : " ↓"}</span>}
      </a>
    </th>
  );
}

/**
 * A dialog that adds resources: from a form, from JSON, or generated. Calls `onClose` with the ids of the new resources,
 * or without any when the user closes it.
 */
function NewResources({ onClose }: { readonly onClose: (ids?: readonly string[]) => void }) {
  const controls = useProject();
  const toasts = useToasts();
  const write = useContract("control").value?.find(({ id }) => id === "writeResource");
  const [text, setText, , settle] = useDraft(`${controls.key} new resources`, write ? bodyExample(write) : "");
  const [count, setCount] = useDraft<number | undefined>(`${controls.key} generated count`, 10);
  const [seed, setSeed] = useDraft<number | undefined>(`${controls.key} generated seed`, undefined);

  const close = (added: readonly ResourceRecord[]) => {
    onClose(added.map(({ id }) => id));
    toasts.show(`Added ${counted(added.length)}`, async () => {
      for (const { id } of added) await removeResource(controls, id);
    });
  };
  const add = async () => {
    const drafts = resourcesIn(parsedLines(text));
    // A single resource is sent as such, so that the pointer in an error is the one in the text.
    const isOne = drafts.length === 1 && text.trimStart().startsWith("{");
    const added = isOne ? [await controls.seed(drafts[0] as RecordDraft)] : await controls.seed(drafts);
    settle();
    close(added);
  };
  const generate = async () =>
    close(await controls.seed({ generate: count ?? 0, ...(seed !== undefined && { seed }) }));
  return (
    <Dialog title="New resource" kind="wide" onClose={() => onClose()}>
      <Form run={add} submit="Create">
        <ResourceForm text={text} onChange={setText} />
        <p class="quiet">The JSON can also be an array of resources, or NDJSON with one resource in each line.</p>
      </Form>
      <h3>Generate resources</h3>
      <Form isLine run={generate} submit="Generate">
        <NumberField label="Number" value={count} min={1} max={MAX_GENERATED} onChange={setCount} />
        <NumberField label="Seed" value={seed} placeholder="default" onChange={setSeed} />
      </Form>
    </Dialog>
  );
}

/** Returns the resources in parsed JSON values: single ones, lists, and those of a state. */
export function resourcesIn(values: readonly unknown[]): RecordDraft[] {
  return values.flatMap((value) => (isState(value) ? value.resources : value)) as RecordDraft[];
}

export function isState(value: unknown): value is StateDocument {
  return typeof value === "object" && value !== null && "resources" in value && Array.isArray(value.resources);
}
