import { useState } from "preact/hooks";
import { useProject } from "../live/session.ts";
import { Failure, useAction } from "../parts/action.tsx";
import { useConfirm } from "../parts/dialog.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { hrefOf, navigate, type Route } from "../route.ts";
import { type Part, partOf, parts, routeOfPart } from "./filter.ts";
import { Images } from "./images.tsx";
import { importFile } from "./import-file.ts";
import { NamespaceAction } from "./namespace-action.tsx";
import { useProtection } from "./protect.ts";
import { Resource } from "./resource.tsx";
import { Resources } from "./resources.tsx";
import { Snapshots } from "./snapshots.tsx";
import { WholeState } from "./whole-state.tsx";

interface StateProps {
  readonly project: string;
  readonly route: Route;
}

/** The state of a project, in parts, next to the open resource. Files that are dropped on it are imported. */
export function State({ project, route }: StateProps) {
  const { item } = route;
  const controls = useProject(project);
  const toasts = useToasts();
  const protect = useProtection(controls);
  const confirm = useConfirm();
  const importing = useAction();
  const [isOver, setOver] = useState(false);
  const part = partOf(route);
  const closed: Route = { ...route, item: undefined, owner: undefined };

  const importAll = (files: readonly File[]) =>
    importing.run(async () => {
      for (const file of files) {
        try {
          const imported = await importFile(controls, file, protect, confirm);
          if (imported) toasts.show(imported.text, imported.undo);
        } catch (error) {
          throw files.length > 1 && error instanceof Error ? named(error, file.name) : error;
        }
      }
    });
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button "Import…" does the same by key.
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
        void importAll([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <div class="pane">
        <div class="bar state-bar">
          <nav class="state-parts" aria-label="Parts of the state">
            {(Object.keys(parts) as Part[]).map((each) => (
              <a key={each} href={hrefOf(routeOfPart(project, each))} aria-current={each === part ? "page" : undefined}>
                {parts[each]}
              </a>
            ))}
          </nav>
          <span class="spacer" />
          <div class="bar">
            <WholeState
              project={project}
              isImporting={importing.isInProgress}
              onFiles={(files) => void importAll(files)}
            />
          </div>
        </div>
        <Failure of={importing} />
        <PartView
          part={part}
          project={project}
          route={route}
          isImporting={importing.isInProgress}
          onFiles={(files) => void importAll(files)}
        />
      </div>
      {item !== undefined && (
        <Resource key={item} project={project} id={item} closeHref={hrefOf(closed)} close={() => navigate(closed)} />
      )}
      {isOver && <p class="drop">Drop a state, resources (JSON or NDJSON), images or an archive to import them</p>}
    </div>
  );
}

interface PartProps extends StateProps {
  readonly part: Part;
  readonly onFiles: (files: readonly File[]) => void;
  readonly isImporting: boolean;
}

function PartView({ part, project, route, onFiles, isImporting }: PartProps) {
  switch (part) {
    case "resources":
      return <Resources project={project} route={route} />;
    case "images":
      return <Images project={project} route={route} onFiles={onFiles} isUploading={isImporting} />;
    case "snapshots":
      return <Snapshots project={project} />;
    case "action":
      return <NamespaceAction project={project} />;
  }
}

function named(error: Error, file: string): Error {
  return new Error(`${file}: ${error.message}`, { cause: error });
}
