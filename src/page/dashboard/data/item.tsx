/* An open item: its text, its deletion and its history. */

import { isObject } from "../../../contract/index.ts";
import {
  ControlError,
  callControl,
  control,
  path,
  type ResourceVersion,
  type StoredType,
} from "../../../control/client/index.ts";
import { operationLines, roleOn } from "../live/contract.ts";
import { useLoaded, useProject, useSession } from "../live/session.ts";
import { Failure, Loading, PlainButton, unlessNotFound, useAction, useToasts } from "../parts/action.tsx";
import { ChangeView } from "../parts/differences.tsx";
import { useDraft } from "../parts/fields.tsx";
import { base64Of, Picture, useCopy } from "../parts/files.tsx";
import { ItemPane, Menu, MenuItem, Tabs } from "../parts/layout.tsx";
import { Fold, JsonView, parsedJson, Time } from "../parts/text.tsx";
import { hrefOf, navigate, type Route, useRoute } from "../route.ts";
import { ItemText } from "./item-text.tsx";
import { bookkeepingOf, membersOf, ofMock, type Shown, shortName, useItemSchema, versionOf } from "./types.ts";

interface ItemProps {
  readonly id: string;
  readonly type: StoredType;
  /** The name of the type, or the path of the collection. */
  readonly collection: string;
  readonly closed: Route;
}

/** A stored value and its tag, which differs if the value differs. */
interface Stored {
  readonly value: Shown;
  readonly tag: string;
}

/** A stored item, with controls to edit and delete it, and to cause a conflict. */
export function Item(props: ItemProps) {
  const { id, type, collection, closed } = props;
  const route = useRoute();
  const controls = useProject();
  const action = useAction();
  const loaded = useLoaded(
    async () => {
      const found = await controls.resources.getTagged<Shown>(id, { type: collection }).catch(unlessNotFound);
      return { stored: found && { value: found.resource, tag: found.tag } };
    },
    ["state", "rewound"],
    [id, collection],
  );
  const stored = loaded.value?.stored;
  return (
    <ItemPane
      noun="Item"
      name={id}
      title={
        <>
          <span class="quiet">{shortName(type)}</span> {id}
        </>
      }
      controls={stored && <Commands {...props} action={action} />}
      closeHref={hrefOf(closed)}
      head={
        <>
          {stored && <About type={type} item={stored.value} />}
          <Tabs
            label="Parts of the item"
            tabs={[false, true].map((isHistory) => ({
              text: isHistory ? "History" : "Item",
              href: hrefOf({ ...route, filter: { ...route.filter, tab: isHistory ? "history" : "" } }),
              isOpen: (route.filter.tab === "history") === isHistory,
            }))}
          />
        </>
      }
    >
      <Failure of={action} />
      <Loading of={loaded} lines={8}>
        {({ stored }) =>
          route.filter.tab === "history" ? (
            <Versions id={id} collection={collection} />
          ) : type.kind === "collection" ? (
            <Editor {...props} stored={stored} reload={loaded.reload} />
          ) : stored ? (
            <>
              {type.kind === "files" && (
                <Picture alt={`Content of ${id}`} bytes={() => controls.resources.content(id, { type: collection })} />
              )}
              <JsonView value={membersOf(stored.value)} label="Item as JSON" />
            </>
          ) : (
            <Missing closed={closed} />
          )
        }
      </Loading>
    </ItemPane>
  );
}

function Missing({ closed }: { readonly closed: Route }) {
  return (
    <p>
      The project has no item with this id. It may have been deleted. <a href={hrefOf(closed)}>Show all items</a>
    </p>
  );
}

/** When the item was made and changed, in a line. */
function About({ type, item }: { readonly type: StoredType; readonly item: Shown }) {
  const { createdAt, lastModifiedAt, createdBy } = bookkeepingOf(item);
  return (
    <p class="quiet count">
      Version {String(versionOf(type, item) ?? "unknown")}
      {lastModifiedAt !== undefined && [", changed ", <Time key="changed" of={lastModifiedAt} as="full" />]}
      {createdAt !== undefined &&
        createdAt !== lastModifiedAt && [", created ", <Time key="created" of={createdAt} as="full" />]}
      {createdBy !== undefined && ` by ${createdBy}`}
    </p>
  );
}

interface CommandsProps extends ItemProps {
  readonly action: ReturnType<typeof useAction>;
}

function Commands({ id, type, collection, closed, action }: CommandsProps) {
  const session = useSession();
  const { connection } = session;
  const controls = useProject();
  const { key: project } = controls;
  const toasts = useToasts();
  const copy = useCopy();
  const of = { type: collection };
  const remove = async () => {
    // An undo needs the bytes, which the item itself does not have.
    const bytes = type.kind === "files" ? await controls.resources.content(id, of).then(base64Of) : undefined;
    // Another client may have changed it meanwhile.
    const gone = await controls.resources.get<Shown>(id, of).catch(unlessNotFound);
    if (gone) await controls.resources.delete(id, of);
    navigate(closed);
    if (!gone) return;
    const body = { ...gone, ...(bytes !== undefined && { bytes }) };
    const below = path`/projects/${project}/resources`;
    toasts.show(`Deleted ${id.slice(0, 60)}`, () =>
      control(connection, { method: "POST", path: below, query: of, body }),
    );
  };
  const conflict = async () => {
    const changing = (await operationLines(session)).find((line) =>
      /^(updates|replaces|merges)$/.test(roleOn(line, type.name) ?? ""),
    );
    const [, parameter = "id"] = /\{([^{}]+)\}[^{]*$/.exec(changing?.path ?? "") ?? [];
    const when = { path: { [parameter]: id } };
    const rule = { operation: changing?.id, when, conflict: true as const, times: 1 };
    const { id: added } = await controls.rule(rule);
    toasts.show("The next update of this item gets a conflict", () => controls.rules.delete(added));
  };
  return (
    <Menu label="Commands for this item">
      {() => (
        <>
          {type.version !== undefined && (
            <MenuItem onClick={() => action.run(conflict)} title="Another client writes just before the next update">
              Cause a conflict
            </MenuItem>
          )}
          <MenuItem onClick={() => copy(location.href)}>Copy link</MenuItem>
          <hr />
          <MenuItem kind="danger" onClick={() => action.run(remove)}>
            Delete
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

interface EditorProps extends ItemProps {
  readonly stored: Stored | undefined;
  readonly reload: () => Promise<void>;
}

function Editor({ id, type, collection, stored, reload, closed }: EditorProps) {
  const { connection } = useSession();
  const controls = useProject();
  const { key: project } = controls;
  const toasts = useToasts();
  const schema = useItemSchema(type);
  const editing = useEditing(`${project} ${collection} ${id}`, stored);
  const { text, base, isChanged, isOutdated } = editing;
  const of = { type: collection };

  /** Saves the text if the stored item still has this tag. */
  const save = async (expected: Stored | undefined) => {
    const call = { method: "PUT", path: path`/projects/${project}/resources/${id}`, query: of } as const;
    const headers = expected && { "If-Match": expected.tag };
    try {
      const response = await callControl(connection, { ...call, headers, body: asDraft(parsedJson(text), base, type) });
      editing.settle({ value: await response.json(), tag: response.headers.get("ETag") ?? "" });
    } catch (error) {
      // The notice says so.
      if (!(error instanceof ControlError && error.status === 412)) throw error;
      return;
    } finally {
      await reload();
    }
    const before = expected?.value;
    toasts.show("Saved", () => (before ? controls.resources.put(id, before, of) : controls.resources.delete(id, of)));
  };
  if (!stored && !isChanged) return <Missing closed={closed} />;
  return (
    <>
      {isOutdated && (
        <p class="notice" role="status">
          Another client has {stored ? "changed" : "deleted"} this item meanwhile. Your text is not saved.
        </p>
      )}
      <ItemText
        {...{ schema: schema.value ?? {}, ofMock: ofMock(type, stored?.value), text, onChange: editing.setText }}
        run={() => save(isOutdated ? stored : base)}
        submit={!isOutdated ? "Save" : stored ? "Overwrite" : "Create again"}
        disabled={!isChanged}
        more={
          <>
            {isChanged && <PlainButton onClick={editing.discard}>Discard changes</PlainButton>}
            <span class="quiet">A save raises the version.</span>
          </>
        }
      />
    </>
  );
}

/**
 * Returns the text of the user as the control API takes it: without the version and time that the mock sets, if the user
 * has left them as they were, and with the id, which may be no member.
 */
function asDraft(draft: unknown, base: Stored | undefined, type: StoredType): object {
  // The mock says what it expects in place of another value.
  if (!isObject(draft)) return draft as object;
  const before = base?.value ?? {};
  const own = before.$mock ? [] : [type.version ?? "", "lastModifiedAt"];
  const kept = Object.entries(draft).filter(([name, value]) => !own.includes(name) || value !== before[name]);
  const { id } = before.$mock ?? {};
  const { $mock = {} } = draft as Shown;
  return { ...Object.fromEntries(kept), ...(id !== undefined && { $mock: { ...$mock, id } }) };
}

/** The versions of an item, also of a deleted one. */
function Versions({ id, collection }: Pick<ItemProps, "id" | "collection">) {
  const controls = useProject();
  const loaded = useLoaded(
    async () => (await controls.resources.history(id, { type: collection }).catch(unlessNotFound)) ?? [],
    ["state", "rewound"],
  );
  return (
    <Loading of={loaded}>
      {(versions) => (
        <ol class="plain versions" aria-label="Versions">
          {versions.length === 0 && <li>No versions.</li>}
          {versions.map((version, index) => {
            const { moment, method, path, request, client, writtenAt } = version;
            const earlier = versions[index + 1];
            return (
              <li key={`${moment} ${version.version}`}>
                <p>
                  <b>{version.version === null ? "Deleted" : `Version ${version.version}`}</b>{" "}
                  <Time of={writtenAt} as="full" /> by{" "}
                  {request === undefined ? (
                    "the control API"
                  ) : (
                    <a href={hrefOf({ project: controls.key, item: request })}>{`${method} ${path}`}</a>
                  )}
                  {client !== undefined && `, client ${client}`}
                </p>
                <Fold title="Difference">
                  {() => <ChangeView before={earlier && changedValue(earlier)} after={changedValue(version)} />}
                </Fold>
              </li>
            );
          })}
        </ol>
      )}
    </Loading>
  );
}

/** Returns the value of a version as the changes of a request have it. */
function changedValue({ resource, cut }: ResourceVersion): unknown {
  return cut === undefined ? (resource ?? null) : { cut, text: "" };
}

/**
 * Returns the text of a stored item for editing. The text of the user stays until it is discarded, also if another client
 * changes the item.
 */
function useEditing(name: string, stored: Stored | undefined) {
  const [draft, setDraft, , settle] = useDraft<{ text: string; base?: Stored } | undefined>(name, undefined);
  const initial = (of: Stored | undefined) => (of ? JSON.stringify(membersOf(of.value), undefined, 2) : "");
  const base = draft ? draft.base : stored;
  return {
    text: draft?.text ?? initial(stored),
    isChanged: draft !== undefined,
    /** The stored item that the text began with; undefined if there was none. */
    base,
    /** Whether another client has changed or deleted the stored item since. */
    isOutdated: draft !== undefined && base?.tag !== stored?.tag,
    setText: (text: string) =>
      setDraft(text === initial(base) && base?.tag === stored?.tag ? undefined : { text, base }),
    discard: () => setDraft(undefined),
    /** Ends the editing of the text that was saved. What the user has typed since is a change of the saved item. */
    settle: (saved: Stored) => settle((typed) => typed && { ...typed, base: saved }),
  };
}
