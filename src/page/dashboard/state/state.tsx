import { useRef, useState } from "preact/hooks";
import { type Image, type ProjectControl, path } from "../../../control/client/index.ts";
import { useContract, useLoaded, useProject, useSession } from "../live/session.ts";
import { Button, Failure, Form, Loading, useAction, useToasts, useUndoable } from "../parts/action.tsx";
import { TextField, useDraft } from "../parts/fields.tsx";
import { base64Of, FileButton, Picture, saveFrom } from "../parts/files.tsx";
import { Item } from "../parts/layout.tsx";
import { counted, JsonView, parsedLines, Time } from "../parts/text.tsx";
import { hrefOf, useRoute } from "../route.ts";
import { DuplicateProject } from "../shell/project-list.tsx";
import { Resource } from "./resource.tsx";
import { isState, Resources, resourcesIn } from "./resources.tsx";

const parts = {
  resources: "Resources",
  images: "Images",
  snapshots: "Snapshots",
  action: "Namespace action",
} as const;
type Part = keyof typeof parts;

/** The state of a project, in parts, next to the open resource. Files that are dropped on it are imported. */
export function State() {
  const { key: project } = useProject();
  const { item, filter } = useRoute();
  const importing = useAction();
  const importAll = useImport();
  const [isOver, setOver] = useState(false);
  const part = filter.part !== undefined && Object.hasOwn(parts, filter.part) ? (filter.part as Part) : "resources";
  const onFiles = (files: readonly File[]) => void importing.run(() => importAll(files));
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button "Import" does the same by key.
    <div
      class={["panes state", item !== undefined && "open", isOver && "drop"].filter(Boolean).join(" ")}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <div class="pane">
        <div class="bar">
          <nav class="group" aria-label="Parts of the state">
            {(Object.keys(parts) as Part[]).map((each) => (
              <a
                key={each}
                class="option"
                href={hrefOf({ project, view: "state", filter: each === "resources" ? {} : { part: each } })}
                aria-current={each === part ? "page" : undefined}
              >
                {parts[each]}
              </a>
            ))}
          </nav>
          <span class="spacer" />
          <Transfer isImporting={importing.isInProgress} onFiles={onFiles} />
        </div>
        <Failure of={importing} />
        {part === "resources" && <Resources />}
        {part === "images" && <Images onFiles={onFiles} isUploading={importing.isInProgress} />}
        {part === "snapshots" && <Snapshots />}
        {part === "action" && <StoredAction />}
      </div>
      {item !== undefined && <Resource key={item} id={item} />}
    </div>
  );
}

/** Returns a function that imports files, and offers to undo that with an archive from before. */
function useImport() {
  const controls = useProject();
  const toasts = useToasts();
  return async (files: readonly File[]) => {
    for (const file of files) {
      const before = await controls.archive();
      try {
        toasts.show(await importFile(controls, file), () => controls.restoreArchive(before));
      } catch (error) {
        if (files.length === 1 || !(error instanceof Error)) throw error;
        throw new Error(`${file.name}: ${error.message}`, { cause: error });
      }
    }
  };
}

/** Exports the whole project, imports files into it, and duplicates it. */
function Transfer({ onFiles, isImporting }: { onFiles: (files: readonly File[]) => void; isImporting: boolean }) {
  const { connection } = useSession();
  const { key } = useProject();
  const save = () => saveFrom(connection, path`/projects/${key}/archive`, `${key}.archive.ndjson`);
  return (
    <div class="group">
      <Button run={save} kind="quiet" done="Exported the project">
        Export
      </Button>
      <FileButton
        kind="quiet"
        accept=".json,.ndjson,.jsonl,application/json,image/png,image/jpeg,image/gif"
        title="A project, a state, resources (JSON or NDJSON) or images. Files can also be dropped on this view."
        isBusy={isImporting}
        onFiles={onFiles}
      >
        Import
      </FileButton>
      <DuplicateProject project={key} />
    </div>
  );
}

/**
 * Imports a file: an archive replaces the project, a state replaces its state, resources (JSON or NDJSON) and images are
 * added. The mock validates the file. Returns what it did, for the user.
 */
async function importFile(controls: ProjectControl, file: File): Promise<string> {
  const name = file.name.slice(0, 60);
  if (file.type.startsWith("image/")) {
    await controls.images.add({ contentType: file.type, filename: file.name, base64: await base64Of(file) });
    return `Added the image ${name}`;
  }
  const text = await file.text();
  if (/^\s*\{\s*"format"\s*:\s*"resource-mock-archive\//.test(text.slice(0, 1000))) {
    await controls.restoreArchive(text);
    return `Restored the project from ${name}`;
  }
  const values = parsedLines(text);
  const [first] = values;
  if (values.length === 1 && isState(first)) {
    await controls.state.import(first);
    return `Imported ${counted(first.resources.length)} from ${name}`;
  }
  return `Added ${counted((await controls.seed(resourcesIn(values))).length)} from ${name}`;
}

function Images({ onFiles, isUploading }: { onFiles: (files: readonly File[]) => void; isUploading: boolean }) {
  const controls = useProject();
  const toasts = useToasts();
  const section = useRef<HTMLElement>(null);
  const images = useLoaded(() => controls.images.list(), ["state", "rewound"]);
  const remove = async ({ id, bytes: _bytes, ...image }: Image) => {
    const base64 = await base64Of(await controls.images.get(id));
    await controls.images.delete(id);
    await images.reload();
    section.current?.focus();
    toasts.show("Deleted the image", () => controls.images.add({ ...image, id, base64 }));
  };
  return (
    <section ref={section} tabIndex={-1} aria-label="Images">
      <div class="bar">
        <FileButton kind="primary" accept="image/png,image/jpeg,image/gif" onFiles={onFiles} isBusy={isUploading}>
          Upload images
        </FileButton>
        <span class="spacer" />
        {images.value && (
          <span class="quiet" role="status">
            {counted(images.value.length, "image")}
          </span>
        )}
      </div>
      <Loading of={images} none={<p>No images.</p>}>
        {(list) => (
          <ul class="plain items">
            {list.map((image) => (
              <Item
                key={image.id}
                lead={<Picture alt={nameOf(image)} bytes={() => controls.images.get(image.id)} />}
                title={<b>{nameOf(image)}</b>}
                about={
                  <>
                    {factsOf(image)}, <Time of={image.uploadedAt} as="full" />
                  </>
                }
              >
                <Button run={() => remove(image)} label={`Delete ${nameOf(image)}`} kind="quiet">
                  Delete
                </Button>
              </Item>
            ))}
          </ul>
        )}
      </Loading>
    </section>
  );
}

function nameOf({ filename, id }: Image): string {
  return filename ?? id;
}

function factsOf({ contentType, bytes, sku, variant, staged }: Image): string {
  const facts = [contentType, `${bytes.toLocaleString("en")} bytes`, sku !== undefined && `SKU ${sku}`];
  return [...facts, variant !== undefined && `variant ${variant}`, staged && "staged"].filter(Boolean).join(" · ");
}

function Snapshots() {
  const controls = useProject();
  const { key } = controls;
  const undoable = useUndoable();
  const section = useRef<HTMLElement>(null);
  const [name, setName, , settle] = useDraft(`${key} snapshot`, "");
  const snapshots = useLoaded(() => controls.snapshots.list(), ["snapshots"]);

  const take = async () => {
    await controls.snapshot(name.trim());
    settle();
    await snapshots.reload();
  };
  const restore = (name: string) => undoable(key, () => controls.restore(name), `Restored ${name.slice(0, 60)}`);
  const remove = async (name: string) => {
    await undoable(key, () => controls.snapshots.delete(name), "Deleted the snapshot");
    await snapshots.reload();
    section.current?.focus();
  };
  return (
    <section ref={section} tabIndex={-1} aria-label="Snapshots">
      <p class="quiet">
        A snapshot keeps the resources and images of the project. It copies nothing, and a reset keeps it.
      </p>
      <Form isLine run={take} submit="Take a snapshot" done={`Took the snapshot ${name.trim().slice(0, 60)}`}>
        <TextField
          label="Name of a new snapshot"
          isBare
          placeholder="Name of a new snapshot"
          value={name}
          onChange={setName}
        />
      </Form>
      <Loading of={snapshots} none={<p>No snapshots.</p>}>
        {(list) => (
          <ul class="plain items">
            {[...list].reverse().map(({ name, resources, takenAt }) => (
              <Item
                key={name}
                title={<b>{name}</b>}
                about={
                  <>
                    {counted(resources)}, <Time of={takenAt} as="full" />
                  </>
                }
              >
                <Button run={() => restore(name)} label={`Restore ${name}`}>
                  Restore
                </Button>
                <Button run={() => remove(name)} label={`Delete ${name}`} kind="quiet">
                  Delete
                </Button>
              </Item>
            ))}
          </ul>
        )}
      </Loading>
    </section>
  );
}

/** The body of the custom action. The API view sets and deletes it. */
function StoredAction() {
  const { key: project, namespaceAction } = useProject();
  const loaded = useLoaded(() => namespaceAction.get(), ["state", "rewound"]);
  const { value: operations = [] } = useContract("control");
  const changes = operations.filter(({ method, path }) => method !== "GET" && path.endsWith("/namespace-action"));
  return (
    <section aria-label="Namespace action">
      <p class="quiet">
        <code>GET …/namespace-action</code> returns the last body that a client has sent to{" "}
        <code>POST …/namespace-action</code>. Without such a body, it returns its fixture.
      </p>
      <Loading of={loaded}>
        {({ body }) => (body === undefined ? <p>No stored value.</p> : <JsonView value={body} label="Stored value" />)}
      </Loading>
      <div class="bar">
        {changes.map(({ id, method }) => (
          <a key={id} class="button" href={hrefOf({ project, view: "api", item: id })}>
            {method === "PUT" ? "Set the value" : "Delete the value"}
          </a>
        ))}
      </div>
    </section>
  );
}
