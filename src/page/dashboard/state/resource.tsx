import type { RecordDraft, ResourceRecord, ResourceVersion } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Button, Failure, Form, Loading, PlainButton, unlessNotFound, useAction } from "../parts/action.tsx";
import { ChangeView } from "../parts/differences.tsx";
import { CopyButton } from "../parts/files.tsx";
import { ItemPane } from "../parts/layout.tsx";
import { Menu, MenuItem } from "../parts/menu.tsx";
import { Fold, parsedJson } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { hrefOf } from "../route.ts";
import { hasChanged, type Stored, useEditing } from "./editing.tsx";
import { ResourceForm } from "./resource-form.tsx";
import { deleteResources } from "./transfer.tsx";

interface ResourceProps {
  readonly id: string;
  readonly closeHref: string;
  readonly close: () => void;
}

/** A stored resource, with controls to edit and delete it, and to cause a conflict. */
export function Resource({ id, closeHref, close }: ResourceProps) {
  const controls = useProject();
  const loaded = useLoaded(
    async () => {
      const found = await controls.resources.getTagged(id).catch(unlessNotFound);
      return { stored: found && { value: found.resource, tag: found.tag } };
    },
    ["state", "rewound"],
    [id],
  );
  return (
    <ItemPane noun="Resource" name={id} closeHref={closeHref}>
      <Loading of={loaded} lines={8}>
        {({ stored }) => <Editor {...{ id, stored, close, closeHref }} reload={loaded.reload} />}
      </Loading>
      <Fold title="History">{() => <Versions id={id} />}</Fold>
    </ItemPane>
  );
}

interface EditorProps extends ResourceProps {
  readonly stored: Stored | undefined;
  readonly reload: () => Promise<void>;
}

function Editor({ id, stored, reload, close, closeHref }: EditorProps) {
  const controls = useProject();
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
    try {
      if (expected) await controls.resources.put(id, withoutKept(draft, base), { ifMatch: expected.tag });
      else await controls.seed({ ...draft, id });
    } catch (error) {
      await reload();
      // The notice says so.
      if (hasChanged(error)) return;
      throw error;
    }
    await reload();
    editing.discard();
    const before = expected?.value as ResourceRecord | undefined;
    toasts.show("Saved", () => (before ? controls.resources.put(id, before) : controls.resources.delete(id)));
  };
  const remove = async () => {
    const gone: ResourceRecord[] = [];
    await deleteResources(controls, [id], (each) => gone.push(each));
    close();
    toasts.show(`Deleted ${id.slice(0, 60)}`, () => controls.seed(gone));
  };
  const conflict = async () => {
    const { id: rule } = await controls.rule({
      operation: "updateResource",
      when: { path: { id } },
      conflict: true,
      times: 1,
    });
    toasts.show("The next update of this resource gets 409", () => controls.rules.remove(rule));
  };

  const discard = () => {
    editing.discard();
    saving.clear();
  };

  if (!stored && !isChanged) {
    return (
      <p>
        The project has no resource with this id. It may have been deleted. <a href={closeHref}>Show all resources</a>
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
