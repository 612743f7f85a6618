import { useState } from "preact/hooks";
import { useProject } from "../live/session.ts";
import { Failure, useAction } from "../parts/action.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { hrefOf, navigate, type Route, useRoute } from "../route.ts";
import { Images } from "./images.tsx";
import { NamespaceAction } from "./namespace-action.tsx";
import { Resource } from "./resource.tsx";
import { Resources } from "./resources.tsx";
import { Snapshots } from "./snapshots.tsx";
import { importFile, Transfer } from "./transfer.tsx";

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
  const route = useRoute();
  const { item, filter } = route;
  const importing = useAction();
  const importAll = useImport();
  const [isOver, setOver] = useState(false);
  const part = filter.part !== undefined && Object.hasOwn(parts, filter.part) ? (filter.part as Part) : "resources";
  const closed: Route = { ...route, item: undefined, owner: undefined };
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
      {item !== undefined && (
        <Resource key={item} id={item} closeHref={hrefOf(closed)} close={() => navigate(closed)} />
      )}
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
