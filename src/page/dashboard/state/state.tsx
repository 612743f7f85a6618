import { useState } from "preact/hooks";
import { type ProjectControl, path } from "../../../control/client/index.ts";
import { useLoaded, useProject, useSession } from "../live/session.ts";
import { Button, Failure, Loading, useAction, useToasts } from "../parts/action.tsx";
import { base64Of, FileButton, saveFrom } from "../parts/files.tsx";
import { counted, JsonView, parsedLines } from "../parts/text.tsx";
import { hrefOf, useRoute } from "../route.ts";
import { DuplicateProject } from "../shell/project-list.tsx";
import { Images } from "./images.tsx";
import { Resource } from "./resource.tsx";
import { isState, Resources, resourcesIn } from "./resources.tsx";
import { Snapshots } from "./snapshots.tsx";

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
      class={item === undefined ? "panes state" : "panes state open"}
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
          <nav class="parts" aria-label="Parts of the state">
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
        {part === "action" && <NamespaceAction />}
      </div>
      {item !== undefined && <Resource key={item} id={item} />}
      {isOver && <p class="drop">Drop a project, a state, resources (JSON or NDJSON) or images to import them</p>}
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

/** The body of the custom action. The API view sets and deletes it. */
function NamespaceAction() {
  const { key: project, namespaceAction } = useProject();
  const loaded = useLoaded(() => namespaceAction.get(), ["state", "rewound"]);
  const link = (item: string, text: string) => (
    <a class="button" href={hrefOf({ project, view: "api", item })}>
      {text}
    </a>
  );
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
        {link("setNamespaceAction", "Set the value")}
        {link("clearNamespaceAction", "Delete the value")}
      </div>
    </section>
  );
}
