/* The items of a collection, searched and sorted, and the dialog that adds some. */

import { useRef, useState } from "preact/hooks";
import { MAX_GENERATED } from "../../../contract/index.ts";
import { control, path, type StoredType } from "../../../control/client/index.ts";
import { useOperationLines } from "../live/contract.ts";
import { findResources, useLoaded, useProject, useSession } from "../live/session.ts";
import { Failure, Form, Loading, Skeleton, useToasts } from "../parts/action.tsx";
import { NumberField, SearchField, TextField, useDraft, useTyped } from "../parts/fields.tsx";
import { useFocusOfOpen, useSteps } from "../parts/keyboard.tsx";
import { Dialog, Menu } from "../parts/layout.tsx";
import { counted, JsonView, parsedLines, Time } from "../parts/text.tsx";
import { hrefOf, navigate, type Route, useRoute } from "../route.ts";
import { ItemText } from "./item-text.tsx";
import {
  bookkeepingOf,
  columnsOf,
  idOf,
  isScoped,
  membersOf,
  type Shown,
  startOf,
  useItemSchema,
  versionOf,
} from "./types.ts";

/** The most items that the table shows. The search finds the others. */
const MAX_SHOWN = 100;

interface ItemsProps {
  readonly type: StoredType;
  /** The name of the type, or the path of the collection. */
  readonly collection: string;
  readonly routeOf: (id: string | undefined) => Route;
}

export function Items(props: ItemsProps) {
  const { type, collection } = props;
  return isScoped(type) && collection.includes("{") ? <Scopes type={type} /> : <Collection {...props} />;
}

/** The path of a collection, for a type that has one for each parent. */
function Scopes({ type }: { readonly type: StoredType }) {
  const { project } = useRoute();
  const [text, setText] = useState(type.path);
  const open = async () => {
    if (text.includes("{")) throw new Error(`Collection: expected values in place of {…}, found ${text}`);
    navigate({ project, view: "data", filter: { type: text } });
  };
  return (
    <>
      <p>No collection of this type has items. Each parent has its own:</p>
      <Form isLine run={open} submit="Open">
        <TextField label="Path of the collection" isBare value={text} onChange={setText} />
      </Form>
    </>
  );
}

function Collection({ type, collection, routeOf }: ItemsProps) {
  const { connection } = useSession();
  const { key: project } = useProject();
  const route = useRoute();
  const { filter, item } = route;
  const { q, where, sort } = filter;
  const schema = useItemSchema(type);
  const page = useLoaded(
    async () => {
      const query = { q, where, sort, type: collection, limit: MAX_SHOWN };
      const { resources, total } = await findResources(connection, project, query);
      return { items: resources as readonly Shown[], total };
    },
    ["state", "rewound"],
    [q, where, sort, collection],
  );
  const [isAdding, setAdding] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  // The table stays while another search is loading: a row or heading under the pointer must get the click.
  const held = useRef(page.value);
  if (page.value || page.error !== undefined) held.current = page.value;
  const shown = held.current;
  const { items = [], total = 0 } = shown ?? {};
  const rows = items.map((each) => ({ id: idOf(type, each), item: each }));

  useFocusOfOpen(list, item);
  useSteps(rows, item, (next) => routeOf(next?.id));
  const search = useTyped(where ? `where: ${where}` : (q ?? ""), (text) => {
    // A predicate, as in the parameter `where` of the control API.
    const [, predicate] = /^\s*where:\s*(.*?)\s*$/i.exec(text) ?? [];
    const next = { q: predicate === undefined ? text.trim() : "", where: predicate ?? "" };
    navigate({ ...route, filter: { ...filter, ...next } }, { replace: true });
    return next.where ? `where: ${next.where}` : next.q;
  });
  const isFiltered = Boolean(q || where);
  return (
    <div ref={list} tabIndex={-1} class="collection">
      <search class="bar">
        <SearchField label="Search items" placeholder="Search ids, or where: name = &quot;a&quot;" {...search} />
        <Adding {...{ type, collection }} onAdd={() => setAdding(true)} />
      </search>
      <Failure of={page} />
      {shown && (
        <p class="quiet count" role="status">
          {total > items.length && `${items.length} of `}
          {counted(total, "item")}
          {total > items.length && ". Search to find the others."}
        </p>
      )}
      {!shown && page.error === undefined && <Skeleton lines={8} />}
      {shown && total === 0 && (
        <p>
          {isFiltered ? "No matching items." : "No items. Create one, or send a request that creates one."}{" "}
          {isFiltered && (
            <button type="button" onClick={() => navigate({ ...route, filter: { ...filter, q: "", where: "" } })}>
              Clear the search
            </button>
          )}
        </p>
      )}
      {type.kind === "singleton" &&
        items.map((item) => <JsonView key="" value={membersOf(item)} label="The only item" />)}
      {type.kind !== "singleton" && rows.length > 0 && (
        <Table {...{ type, rows, routeOf }} columns={columnsOf(type, schema.value ?? {}, items)} />
      )}
      {isAdding && (
        <NewItems
          {...{ type, collection }}
          onClose={(added = []) => {
            setAdding(false);
            const [only] = added;
            if (only && added.length === 1) navigate(routeOf(idOf(type, only)));
          }}
        />
      )}
    </div>
  );
}

interface TableProps {
  readonly type: StoredType;
  readonly rows: readonly { readonly id: string; readonly item: Shown }[];
  readonly columns: readonly string[];
  readonly routeOf: (id: string) => Route;
}

function Table({ type, rows, columns, routeOf }: TableProps) {
  const { item: open } = useRoute();
  return (
    <div class="table-area">
      <table class="item-table">
        <thead>
          <tr>
            <Heading column={type.id && !/[.,$]/.test(type.id) ? type.id : "id"} />
            {columns.map((column) => (
              <Heading key={column} column={column} />
            ))}
            {type.kind === "files" && <th class="number">Bytes</th>}
            {type.version !== undefined && <Heading column={type.version} title="Version" />}
            <Heading column="lastModifiedAt" title="Changed" />
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, item }) => (
            <tr key={id} data-open={id === open || undefined}>
              <td>
                <a data-id={id} href={hrefOf(routeOf(id))} title={id} aria-current={id === open ? "true" : undefined}>
                  {id}
                </a>
              </td>
              {columns.map((column) => (
                <td key={column} title={textOf(item[column])}>
                  {textOf(item[column])}
                </td>
              ))}
              {type.kind === "files" && <td class="number">{Number(item.bytes ?? 0).toLocaleString("en")}</td>}
              {type.version !== undefined && <td class="number">{textOf(versionOf(type, item))}</td>}
              <td class="quiet changed">
                <Time of={bookkeepingOf(item).lastModifiedAt ?? ""} as="relative" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}

/** The heading of a column. A click sorts by it: ascending, descending, and in the order of creation again. */
function Heading({ column, title = column }: { readonly column: string; readonly title?: string }) {
  const route = useRoute();
  const { sort = "" } = route.filter;
  const direction =
    sort === column || sort === `${column} asc` ? "ascending" : sort === `${column} desc` ? "descending" : undefined;
  const next = direction === undefined ? column : direction === "ascending" ? `${column} desc` : "";
  return (
    <th aria-sort={direction}>
      <a href={hrefOf({ ...route, filter: { ...route.filter, sort: next } })} title={`Sort by ${column}`}>
        {title}
        {direction && <span aria-hidden="true">{direction === "ascending" ? " ↑" : " ↓"}</span>}
      </a>
    </th>
  );
}

interface OfCollection {
  readonly type: StoredType;
  readonly collection: string;
}

/** Returns a function that adds items, and offers to undo that. An id belongs to a single item. */
function useAdding({ type, collection }: OfCollection) {
  const { connection } = useSession();
  const controls = useProject();
  const toasts = useToasts();
  return async (body: object, id = ""): Promise<readonly Shown[]> => {
    const below = path`/projects/${controls.key}/resources`;
    const call = { query: { type: collection }, body };
    const made: Shown = await control(
      connection,
      id === "" ? { ...call, method: "POST", path: below } : { ...call, method: "PUT", path: below + path`/${id}` },
    );
    const isList = Array.isArray(body) || (Object.keys(body).join() === "generate" && Array.isArray(made.resources));
    const added = isList ? (made.resources as readonly Shown[]) : [made];
    toasts.show(`Added ${counted(added.length, "item")}`, async () => {
      for (const item of added) await controls.resources.delete(idOf(type, item), { type: collection });
    });
    return added;
  };
}

/** The controls that add items. Clients upload files, so those of a type of files lead to that operation. */
function Adding({ onAdd, ...of }: OfCollection & { readonly onAdd: () => void }) {
  const { type } = of;
  const { project } = useRoute();
  const lines = useOperationLines();
  const add = useAdding(of);
  const [count, setCount] = useState<number | undefined>(10);
  if (type.kind === "singleton") return null;
  if (type.kind === "files") {
    const upload = lines.value?.find(({ method, path }) => method === "POST" && path.endsWith(type.path));
    if (!upload) return null;
    return (
      <a class="button primary" href={hrefOf({ project, view: "api", item: upload.id })}>
        Upload a file
      </a>
    );
  }
  const field = { label: "Number of generated items", value: count, min: 1, max: MAX_GENERATED, onChange: setCount };
  return (
    <>
      <button type="button" class="primary" onClick={onAdd}>
        New {shortOf(type)}
      </button>
      <Menu isForm label="Generate items">
        {(close) => (
          <Form run={() => add({ generate: count ?? 0 }).then(close)} submit="Generate">
            <NumberField {...field} />
          </Form>
        )}
      </Menu>
    </>
  );
}

function shortOf({ name }: StoredType): string {
  return name.startsWith("/") ? "item" : name;
}

/** A dialog that adds items from JSON. Calls `onClose` with the new items, or without any when the user closes it. */
function NewItems({ onClose, ...of }: OfCollection & { onClose: (added?: readonly Shown[]) => void }) {
  const { type, collection } = of;
  const session = useSession();
  const add = useAdding(of);
  const schema = useItemSchema(type);
  const start = useLoaded(() => startOf(session, type));
  const name = `${session.project} new ${collection}`;
  const [typed, setText, , settle] = useDraft<string | undefined>(name, undefined);
  const [id, setId, , settleId] = useDraft(`${name} id`, "");
  const create = async () => {
    const text = typed ?? start.value ?? "";
    const drafts = parsedLines(text).flat() as object[];
    // A single item is sent as such, so that the pointer in an error is the one in the text.
    const [only] = drafts;
    const isOne = only !== undefined && drafts.length === 1 && text.trimStart().startsWith("{");
    const added = isOne ? await add(only, id.trim()) : await add(drafts);
    settle();
    settleId();
    onClose(added);
  };
  return (
    <Dialog title={`New ${shortOf(type)}`} kind="wide" onClose={() => onClose()}>
      <Loading of={start} lines={6}>
        {(initial) => (
          <ItemText
            {...{
              schema: schema.value ?? {},
              text: typed ?? initial,
              onChange: setText,
              run: create,
              submit: "Create",
            }}
            lead={<TextField label="Id" hint="empty: a new one" value={id} onChange={setId} />}
            hint="Several items: a JSON array, or one item in each line."
          />
        )}
      </Loading>
    </Dialog>
  );
}
