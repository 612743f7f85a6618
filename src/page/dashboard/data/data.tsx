import { control, path, type StateDocument, type StoredType } from "../../../control/client/index.ts";
import { useLoaded, useProject, useSession } from "../live/session.ts";
import { Button, Failure, Loading, useAction, useToasts } from "../parts/action.tsx";
import { FileButton, saveFrom } from "../parts/files.tsx";
import { Menu } from "../parts/layout.tsx";
import { type Choice, Picker, SearchList } from "../parts/search-list.tsx";
import { counted, parsedLines } from "../parts/text.tsx";
import { hrefOf, type Route, useRoute } from "../route.ts";
import { Item } from "./item.tsx";
import { Items } from "./items.tsx";
import { Snapshots } from "./snapshots.tsx";
import { isScoped, shortName, typeAt } from "./types.ts";

/**
 * The stored items of a project by their types, next to the open one. `type` in the filter is the name of a type or the
 * path of a collection; without it, the view shows the first type with items. Files that are dropped are imported.
 */
export function Data() {
  const controls = useProject();
  const route = useRoute();
  const { project, item, filter } = route;
  const types = useLoaded(() => controls.types(), ["state", "rewound"]);
  const importing = useAction();
  const importAll = useImport();
  const onFiles = (files: readonly File[]) => void importing.run(() => importAll(files));
  const known = types.value ?? [];
  const initial = known.find(({ count }) => count) ?? known[0];
  const collection = filter.type || (initial && (initial.collections?.[0]?.path ?? initial.name)) || "";
  const type = typeAt(known, collection);
  const isSnapshots = filter.part === "snapshots";
  const choices = choicesOf(known, project);
  const current = isSnapshots ? "" : collection;
  const title = choices.find(({ value }) => value === current)?.shown ?? collection;
  const routeOf = (id: string | undefined): Route => {
    const kept = { ...filter, type: collection, tab: id === undefined ? "" : (filter.tab ?? "") };
    return { ...route, item: id, owner: id === undefined ? id : project, filter: kept };
  };
  const choose = ({ href = "" }: Choice) => {
    location.hash = href;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button "Import" does the same by key.
    <div
      class={item === undefined ? "panes data" : "panes data open"}
      onDragOver={(event) => event.dataTransfer?.types.includes("Files") && event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <div class="pane data-list">
        <nav class="rail" aria-label="Types">
          <SearchList label="Find a type" {...{ choices, current }} onChoose={choose} />
        </nav>
        <section class="items-area" aria-label={String(title)}>
          <div class="title">
            <h2 class="of-rail">{title}</h2>
            <div class="in-place-of-rail">
              <Picker label="Type" {...{ choices, current }} onChoose={(_, choice) => choose(choice)} />
            </div>
            <span class="spacer" />
            <Transfer action={importing} onFiles={onFiles} />
          </div>
          <Failure of={importing} />
          <Loading of={types} lines={8}>
            {() =>
              isSnapshots ? (
                <Snapshots />
              ) : type ? (
                <Items key={collection} {...{ type, collection, routeOf }} />
              ) : (
                <p class="quiet">{known.length === 0 ? "The contract has no state." : `No type ${collection}.`}</p>
              )
            }
          </Loading>
        </section>
      </div>
      {item !== undefined && type && (
        <Item key={`${collection} ${item}`} id={item} {...{ type, collection, closed: routeOf(undefined) }} />
      )}
    </div>
  );
}

/** Returns what the view can show: types with items first, each collection of a type with several, and the snapshots. */
function choicesOf(types: readonly StoredType[], project: string | undefined): Choice[] {
  const choice = (type: string, shown: string, count: number | undefined, text = type): Choice => {
    const href = hrefOf({ project, view: "data", filter: { type } });
    return { value: type, text, shown, hint: count || undefined, href };
  };
  const all = types.flatMap((type) => {
    const { name, path, count, collections = [] } = type;
    const searched = `${name} ${path}`;
    if (!isScoped(type)) return choice(name, shortName(type), count, searched);
    if (collections.length === 0) return choice(path, shortName(type), undefined, searched);
    return collections.map(({ path, count }) => choice(path, path.slice(1), count));
  });
  const snapshots = hrefOf({ project, view: "data", filter: { part: "snapshots" } });
  return [
    ...all.filter(({ hint }) => hint !== undefined),
    ...all.filter(({ hint }) => hint === undefined),
    { value: "", text: "Snapshots", href: snapshots },
  ];
}

interface TransferProps {
  readonly action: ReturnType<typeof useAction>;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Exports the whole project, and imports files into it. */
function Transfer({ action, onFiles }: TransferProps) {
  const { connection } = useSession();
  const { key } = useProject();
  const save = () => saveFrom(connection, path`/projects/${key}/archive`, `${key}.archive.ndjson`);
  return (
    <div class="group">
      <FileButton
        accept=".json,.ndjson,.jsonl,application/json"
        title="A project, a state, or items as JSON or NDJSON. Files can also be dropped on this view."
        isBusy={action.isInProgress}
        onFiles={onFiles}
      >
        Import
      </FileButton>
      <Button run={save} done="Exported the project">
        Export
      </Button>
      <Menu isForm label="Copy another project" text="Copy from…">
        {(close) => <CopyProject onDone={close} />}
      </Menu>
    </div>
  );
}

/** A choice of another project, whose content replaces that of this project. */
function CopyProject({ onDone }: { readonly onDone: () => void }) {
  const { client } = useSession();
  const controls = useProject();
  const toasts = useToasts();
  const action = useAction();
  const projects = useLoaded(() => client.projects({ sort: "activity" }));
  const copy = (from: string) =>
    action.run(async () => {
      const before = await controls.archive();
      await controls.fork(from);
      onDone();
      toasts.show(`Copied ${from}`, () => controls.restoreArchive(before));
    });
  return (
    <>
      <p class="quiet">Replaces everything in this project by a copy of another project.</p>
      <Failure of={action} />
      <SearchList
        label="Project to copy"
        choices={(projects.value ?? [])
          .filter(({ key }) => key !== controls.key)
          .map(({ key, resources }) => ({ value: key, text: key, hint: counted(resources, "item") }))}
        onChoose={({ value }) => void copy(value)}
      />
    </>
  );
}

/** Returns a function that imports files, and offers to undo that with an archive from before. */
function useImport() {
  const { connection } = useSession();
  const controls = useProject();
  const toasts = useToasts();
  const { type } = useRoute().filter;
  const importFile = async (file: File): Promise<string> => {
    const name = file.name.slice(0, 60);
    const text = await file.text();
    if (/^\s*\{\s*"format"\s*:\s*"resource-mock-archive\//.test(text.slice(0, 1000))) {
      await controls.restoreArchive(text);
      return `Restored the project from ${name}`;
    }
    const values = parsedLines(text);
    const [first] = values;
    if (values.length === 1 && isState(first)) {
      await controls.state.import(first);
      return `Imported the state from ${name}`;
    }
    const body = values.flat();
    const below = path`/projects/${controls.key}/resources`;
    await control(connection, { method: "POST", path: below, query: { type }, body });
    return `Added ${counted(body.length, "item")} from ${name}`;
  };
  return async (files: readonly File[]) => {
    for (const file of files) {
      const before = await controls.archive();
      try {
        toasts.show(await importFile(file), () => controls.restoreArchive(before));
      } catch (error) {
        if (files.length === 1 || !(error instanceof Error)) throw error;
        throw new Error(`${file.name}: ${error.message}`, { cause: error });
      }
    }
  };
}

/** Returns whether a value is an exported state: that of the built-in service, or that of any other contract. */
function isState(value: unknown): value is StateDocument {
  return typeof value === "object" && value !== null && ("collections" in value || "resources" in value);
}
