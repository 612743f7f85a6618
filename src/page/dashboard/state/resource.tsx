/* A resource: its form, its deletion and its history. */

import { useState } from "preact/hooks";
import { isObject, jsonValue, type Schema } from "../../../contract/index.ts";
import {
  ControlError,
  type ProjectControl,
  type RecordDraft,
  type ResourceRecord,
  type ResourceVersion,
} from "../../../control/client/index.ts";
import { type ApiOperation, JSON_TYPE } from "../api/document.ts";
import { contractOf, useContract, useLoaded, useProject, useSession } from "../live/session.ts";
import { Button, Failure, Form, Loading, PlainButton, unlessNotFound, useAction, useToasts } from "../parts/action.tsx";
import { ChangeView } from "../parts/differences.tsx";
import { TextArea, useDraft } from "../parts/fields.tsx";
import { CopyButton } from "../parts/files.tsx";
import { ItemPane, Menu, MenuItem } from "../parts/layout.tsx";
import { SchemaField } from "../parts/schema-field.tsx";
import { Fold, parsedJson, Time } from "../parts/text.tsx";
import { hrefOf, navigate, type Route, useRoute } from "../route.ts";

/** A stored resource, with controls to edit and delete it, and to cause a conflict. */
export function Resource({ id }: { readonly id: string }) {
  const controls = useProject();
  const closed: Route = { ...useRoute(), item: undefined, owner: undefined };
  const loaded = useLoaded(
    async () => {
      const found = await controls.resources.getTagged(id).catch(unlessNotFound);
      return { stored: found && { value: found.resource, tag: found.tag } };
    },
    ["state", "rewound"],
    [id],
  );
  return (
    <ItemPane noun="Resource" name={id} closeHref={hrefOf(closed)}>
      <Loading of={loaded} lines={8}>
        {({ stored }) => <Editor {...{ id, stored, closed }} reload={loaded.reload} />}
      </Loading>
      <Fold title="History">{() => <Versions id={id} />}</Fold>
    </ItemPane>
  );
}

interface EditorProps {
  readonly id: string;
  readonly closed: Route;
  readonly stored: Stored | undefined;
  readonly reload: () => Promise<void>;
}

function Editor({ id, stored, reload, closed }: EditorProps) {
  const controls = useProject();
  const session = useSession();
  const { key: project } = controls;
  const toasts = useToasts();
  const saving = useAction();
  const deleting = useAction();
  const editing = useEditing(`${project} resource ${id}`, stored);
  const { text, base, isChanged, isOutdated } = editing;
  const resource = stored?.value as ResourceRecord | undefined;

  /** Saves the text if the stored resource still has this tag. */
  const save = async (expected: Stored | undefined) => {
    const draft = parsedJson(text) as RecordDraft;
    let saved: ResourceRecord;
    try {
      saved = expected
        ? await controls.resources.put(id, withoutKept(draft, base), { ifMatch: expected.tag })
        : await controls.seed({ ...draft, id });
    } catch (error) {
      await reload();
      // The notice says so.
      if (hasChanged(error)) return;
      throw error;
    }
    const now = await controls.resources.getTagged(id).catch(() => undefined);
    await reload();
    // Without the tag, a change by another client since then is noticed.
    const isLast = JSON.stringify(now?.resource) === JSON.stringify(saved);
    editing.settle({ value: saved, tag: (isLast && now?.tag) || "" });
    const before = expected?.value as ResourceRecord | undefined;
    toasts.show("Saved", () => (before ? controls.resources.put(id, before) : controls.resources.delete(id)));
  };
  const remove = async () => {
    const gone = await removeResource(controls, id);
    navigate(closed);
    toasts.show(`Deleted ${id.slice(0, 60)}`, () => controls.seed(gone));
  };
  const conflict = async () => {
    const operations = await contractOf(session);
    const operation = operations.find(({ responses }) => responses.some(([status]) => status === "409"))?.id;
    const { id: rule } = await controls.rule({ operation, when: { path: { id } }, conflict: true, times: 1 });
    toasts.show("The next update of this resource gets 409", () => controls.rules.delete(rule));
  };

  const discard = () => {
    editing.discard();
    saving.clear();
  };

  if (!stored && !isChanged) {
    return (
      <p>
        The project has no resource with this id. It may have been deleted.{" "}
        <a href={hrefOf(closed)}>Show all resources</a>
      </p>
    );
  }
  return (
    <>
      {resource && (
        <>
          <p class="quiet">
            Version {resource.version}, modified <Time of={resource.lastModifiedAt} as="full" />, created{" "}
            <Time of={resource.createdAt} as="full" />
            {resource.createdBy !== undefined && ` by ${resource.createdBy}`}
          </p>
          <div class="bar">
            <Button run={conflict} kind="quiet">
              Cause a conflict
            </Button>
            <CopyButton text={() => location.href} kind="quiet">
              Copy link
            </CopyButton>
            <Menu label="Commands for this resource">
              {() => (
                <>
                  <MenuItem href={hrefOf({ project, view: "scenarios", filter: { resource: id } })}>
                    Make a rule
                  </MenuItem>
                  <MenuItem kind="danger" onClick={() => deleting.run(remove)}>
                    Delete resource
                  </MenuItem>
                </>
              )}
            </Menu>
            <Failure of={deleting} />
          </div>
        </>
      )}
      <Form
        run={() => save(isOutdated ? stored : base)}
        action={saving}
        submit={!isOutdated ? "Save" : stored ? "Overwrite" : "Create again"}
        disabled={!isChanged}
        more={
          <>
            {isChanged && <PlainButton onClick={discard}>Discard changes</PlainButton>}
            <span class="quiet">Saving increases the version, unless you change it.</span>
          </>
        }
      >
        {isOutdated && !saving.isInProgress && (
          <p class="notice" role="status">
            Another client has {stored ? "changed" : "deleted"} this resource meanwhile. Your text is not saved.
          </p>
        )}
        <ResourceForm text={text} onChange={editing.setText} />
      </Form>
    </>
  );
}

/**
 * Returns the draft without the members that the mock sets, if the user has left them as they were: the mock then sets
 * them, as for any change.
 */
function withoutKept(draft: RecordDraft, base: Stored | undefined): RecordDraft {
  if (typeof draft !== "object" || draft === null) return draft;
  const before = base?.value as ResourceRecord | undefined;
  const kept: Record<string, unknown> = { ...draft };
  for (const name of ["version", "lastModifiedAt"] as const) if (draft[name] === before?.[name]) delete kept[name];
  return kept as RecordDraft;
}

/** The versions of a resource, also of a deleted one. */
function Versions({ id }: { readonly id: string }) {
  const controls = useProject();
  const loaded = useLoaded(
    async () => (await controls.resources.history(id).catch(unlessNotFound)) ?? [],
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

/** Longer texts make a form slow. In UTF-16 units. */
const MAX_FORM = 50_000;

/** The fields of a resource by the schema of the contract, or its JSON. Each follows the other. */
export function ResourceForm({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  const contract = useContract("control");
  const [isJson, setJson] = useState(text.length > MAX_FORM);
  const value = jsonValue(text);
  return (
    <>
      <div class="bar">
        {[false, true].map((each) => (
          <button key={`${each}`} type="button" aria-pressed={isJson === each} onClick={() => setJson(each)}>
            {each ? "JSON" : "Form"}
          </button>
        ))}
      </div>
      {isJson || !isObject(value) ? (
        <>
          <TextArea label="Resource as JSON" isBare rows={[10, 28]} value={text} onChange={onChange} />
          {!isJson && <p class="quiet">The form follows when the JSON is valid.</p>}
        </>
      ) : (
        <Loading of={contract}>
          {(operations) => (
            <SchemaField
              label=""
              schema={formSchema(operations)}
              value={value}
              onChange={(next) => onChange(JSON.stringify(next, undefined, 2))}
            />
          )}
        </Loading>
      )}
    </>
  );
}

/** Returns the schema of a resource without the members that the mock sets. */
function formSchema(operations: readonly ApiOperation[]): Schema {
  const { requestBody } = operations.find(({ id }) => id === "writeResource") ?? {};
  const schema = requestBody?.content[JSON_TYPE]?.schema ?? {};
  const { version, createdAt, lastModifiedAt, createdBy, ...properties } = schema.properties ?? {};
  return { ...schema, properties };
}

/** A stored JSON value. The tag differs if the value differs. */
interface Stored {
  readonly value: unknown;
  readonly tag: string;
}

/**
 * Returns the text of a stored JSON value for editing. The text of the user stays until it is discarded, also if another
 * client changes the value.
 */
function useEditing(name: string, stored: Stored | undefined) {
  const [draft, setDraft, , settle] = useDraft<{ text: string; base?: Stored } | undefined>(name, undefined);
  const initial = (of: Stored | undefined) => (of ? JSON.stringify(of.value, undefined, 2) : "");
  const base = draft ? draft.base : stored;
  return {
    text: draft?.text ?? initial(stored),
    isChanged: draft !== undefined,
    /** The stored value that the text began with; undefined if there was none. */
    base,
    /** Whether another client has changed or deleted the stored value since. */
    isOutdated: draft !== undefined && base?.tag !== stored?.tag,
    setText: (text: string) =>
      setDraft(text === initial(base) && base?.tag === stored?.tag ? undefined : { text, base }),
    discard: () => setDraft(undefined),
    /** Ends the editing of the text that was saved. What the user has typed since is a change of the saved value. */
    settle: (saved: Stored) => settle((typed) => typed && { ...typed, base: saved }),
  };
}

/** Deletes a resource, also if other clients change it meanwhile. Returns it as it was; nothing if it did not exist. */
export async function removeResource(controls: ProjectControl, id: string): Promise<ResourceRecord[]> {
  try {
    const { resource, tag } = await controls.resources.getTagged(id);
    await controls.resources.delete(id, { ifMatch: tag });
    return [resource];
  } catch (error) {
    // An undo would restore an older content.
    if (hasChanged(error)) return removeResource(controls, id);
    return unlessNotFound(error) ?? [];
  }
}

/** Returns whether a call failed because another client has changed the value since it was read. */
function hasChanged(error: unknown): boolean {
  return error instanceof ControlError && error.status === 412;
}
