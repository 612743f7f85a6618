import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RecordDraft, ResourceRecord } from "../../../control/client/index.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Button, Failure, isNotFound, useAction } from "../parts/action.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { parsedIn } from "../parts/json-form.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Loading } from "../parts/loading.tsx";
import { useNarrow } from "../parts/narrow.ts";
import { Time } from "../parts/time.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { Deletion } from "./deletion.ts";
import { hasChanged, type Stored, useEditing } from "./editing.ts";
import { ResourceHistory } from "./history.tsx";
import { Locations } from "./locations.tsx";
import { Outdated } from "./outdated.tsx";

/** Longer texts make a text field slow, so they are shown first. In UTF-16 units. */
const MAX_EDITED = 1_000_000;

interface ResourceProps {
  readonly project: string;
  readonly id: string;
  /** The location without this resource. */
  readonly closeHref: string;
  readonly close: () => void;
}

/** A stored resource, with controls to edit and delete it. */
export function Resource({ project, id, closeHref, close }: ResourceProps) {
  const controls = useProject(project);
  const isNarrow = useNarrow();
  const heading = useRef<HTMLHeadingElement>(null);
  const loaded = useLoaded(
    async (): Promise<{ stored?: Stored }> => {
      try {
        const { resource, tag } = await controls.resources.getTagged(id);
        return { stored: { value: resource, tag } };
      } catch (error) {
        if (isNotFound(error)) return {};
        throw error;
      }
    },
    on(project, "state", "rewound"),
    [id],
  );
  // On a narrow page, the resource covers the list that had the focus.
  useLayoutEffect(() => {
    if (isNarrow) heading.current?.focus();
  }, [isNarrow]);
  return (
    <section class="pane item" aria-label={`Resource ${id}`}>
      <div class="title">
        <h2 ref={heading} tabIndex={-1}>
          <span class="id" title={id}>
            {id}
          </span>
        </h2>
        <CopyButton text={() => id}>Copy id</CopyButton>
        <a class="button icon" href={closeHref} aria-label="Close this resource">
          ✕
        </a>
      </div>
      <Loading of={loaded} lines={8}>
        {({ stored }) => (
          <Editor
            project={project}
            id={id}
            stored={stored}
            reload={loaded.reload}
            close={close}
            closeHref={closeHref}
          />
        )}
      </Loading>
      <ResourceHistory project={project} id={id} />
    </section>
  );
}

interface EditorProps extends ResourceProps {
  /** Undefined if the resource does not exist. */
  readonly stored: Stored | undefined;
  readonly reload: () => Promise<void>;
}

function Editor({ project, id, stored, reload, close, closeHref }: EditorProps) {
  const controls = useProject(project);
  const toasts = useToasts();
  const saving = useAction();
  const area = useRef<HTMLTextAreaElement>(null);
  const editing = useEditing(`${project} resource ${id}`, stored);
  const [isAnySize, setAnySize] = useState(false);
  const { text, isChanged, isOutdated, base } = editing;
  const resource = stored?.value as ResourceRecord | undefined;

  /** Saves the text if the stored resource still has this tag. */
  const save = async (expected: Stored | undefined) => {
    const draft = parsedIn(area.current, text) as RecordDraft;
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
    toasts.show("Saved");
  };
  const remove = async () => {
    const deletion = new Deletion(controls);
    await deletion.run([id]);
    close();
    toasts.show(`Deleted ${id.slice(0, 60)}`, () => deletion.undo());
  };

  if (!stored && !isChanged) {
    return (
      <p>
        The project has no resource with this id. It may have been deleted. <a href={closeHref}>Show all resources</a>
      </p>
    );
  }
  const isLarge = text.length > MAX_EDITED && !isAnySize;
  return (
    <>
      {resource && (
        <dl class="facts">
          <Fact name="Key">{resource.key !== undefined && <span class="id">{resource.key}</span>}</Fact>
          <Fact name="Version">{resource.version}</Fact>
          <Fact name="Created">
            <Time of={resource.createdAt} as="full" />
            {resource.createdBy !== undefined && ` by ${resource.createdBy}`}
          </Fact>
          <Fact name="Last modified">
            <Time of={resource.lastModifiedAt} as="full" />
          </Fact>
        </dl>
      )}
      {isOutdated && !saving.isInProgress && (
        <Outdated
          noun="resource"
          editing={editing}
          stored={stored}
          overwrite={() => save(stored)}
          onDone={() => area.current?.focus()}
        />
      )}
      {isLarge ? (
        <>
          <JsonView value={resource} label="Resource" />
          <button type="button" onClick={() => setAnySize(true)}>
            Edit {text.length.toLocaleString("en")} characters
          </button>
        </>
      ) : (
        <form
          class="json-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isOutdated) void saving.run(() => save(base));
          }}
        >
          <textarea
            ref={area}
            aria-label="Resource as JSON"
            spellcheck={false}
            rows={Math.min(Math.max(text.split("\n").length + 1, 10), 28)}
            value={text}
            onInput={(event) => editing.setText(event.currentTarget.value)}
          />
          <Failure of={saving} />
          <Locations of={saving} area={area} />
          <div class="bar">
            <button type="submit" class="primary" aria-disabled={saving.isInProgress || isOutdated || undefined}>
              Save
            </button>
            {isChanged && !isOutdated && (
              <button
                type="button"
                onClick={() => {
                  editing.discard();
                  saving.clear();
                  area.current?.focus();
                }}
              >
                Discard changes
              </button>
            )}
            <span class="spacer" />
            {stored && (
              <Button run={remove} kind="danger">
                Delete resource
              </Button>
            )}
          </div>
          <p class="quiet">
            If you leave <code>version</code> as it is, saving increases it by 1.
          </p>
        </form>
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children || "–"}</dd>
    </div>
  );
}

/**
 * Returns the draft without the version and the time of change, if the user has left them as they were: the mock then
 * sets both, as for any change.
 */
function withoutKept(draft: RecordDraft, base: Stored | undefined): RecordDraft {
  if (typeof draft !== "object" || draft === null) return draft;
  const before = base?.value as ResourceRecord | undefined;
  const { version, lastModifiedAt, ...rest } = draft;
  return {
    ...rest,
    ...(version !== before?.version && { version }),
    ...(lastModifiedAt !== before?.lastModifiedAt && { lastModifiedAt }),
  } as RecordDraft;
}
