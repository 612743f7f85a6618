import { useRef, useState } from "preact/hooks";
import type { ProjectSummary } from "../../../control/client/index.ts";
import { type ProjectPage, searchProjects, useLoaded, useSession } from "../live/session.ts";
import { Failure, Form, Loading, PlainButton, useAction, useUndoable } from "../parts/action.tsx";
import { SearchField, TextField } from "../parts/fields.tsx";
import { useOneStop } from "../parts/keyboard.tsx";
import { Dialog } from "../parts/layout.tsx";
import { hrefOf, navigate } from "../route.ts";

/** The largest number of projects in the list. The search field finds the others. */
const MAX_SHOWN = 200;
/** The shortest time between two loads of the list, in milliseconds: every request changes it. */
const PAUSE_MS = 1000;

/**
 * The list of projects, with their sandboxes: those with unexpected failures first, then by activity. A field finds
 * projects by a part of the key, and opens any key, also a new one.
 */
export function ProjectList({ selected, onChosen }: { readonly selected?: string; readonly onChosen?: () => void }) {
  const { connection } = useSession();
  const [text, setText] = useState("");
  const [isHeld, setHeld] = useState(false);
  const wanted = text.trim();
  const find = () => searchProjects(connection, { q: wanted || undefined, sort: "failures", limit: MAX_SHOWN });
  const loaded = useLoaded(find, "any", [wanted], PAUSE_MS);
  const list = { ...loaded, value: useHeldOrder(loaded.value, isHeld) };

  const area = useRef<HTMLElement>(null);
  useOneStop(area, "li a");
  const action = useAction();
  const open = (event: Event) => {
    event.preventDefault();
    if (wanted === "") return;
    // The list may still show the result for an earlier text.
    void action.run(async () => {
      const { projects } = await find();
      navigate({ project: bestMatch(wanted, projects) ?? wanted });
      setText("");
      onChosen?.();
    });
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click too.
    <nav
      ref={area}
      class="projects"
      aria-label="Projects"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusIn={({ currentTarget }) => setHeld(currentTarget.matches(":has(ul :focus-visible)"))}
      onFocusOut={({ currentTarget }) => setHeld(currentTarget.matches(":hover"))}
      onClick={({ target }) => target instanceof Element && target.closest("a") && onChosen?.()}
    >
      <form onSubmit={open}>
        <SearchField label="Find or open a project" value={text} onChange={setText} />
      </form>
      <Failure of={action} />
      <NewProject onCreated={onChosen} />
      <ul>
        <li>
          <a class="option" href={hrefOf({})} aria-current={selected === undefined ? "page" : undefined}>
            All projects
          </a>
        </li>
      </ul>
      <Loading of={list}>
        {({ projects, total }) => (
          <>
            <ul>
              {projects.map((project) => (
                <li key={project.key}>
                  <ProjectLink project={project} isSelected={selected === project.key} />
                </li>
              ))}
            </ul>
            {total > projects.length && (
              <p class="quiet">
                {projects.length} of {total.toLocaleString("en")} projects. Search to find the others.
              </p>
            )}
            {wanted !== "" && total === 0 && <p class="quiet">No matching projects.</p>}
            {wanted !== "" && !projects.some(({ key }) => key === wanted) && (
              <p>
                <a class="cut option" href={hrefOf({ project: wanted })} onClick={() => setText("")}>
                  Open “{wanted}”
                </a>
              </p>
            )}
          </>
        )}
      </Loading>
    </nav>
  );
}

function ProjectLink({ project, isSelected }: { readonly project: ProjectSummary; readonly isSelected: boolean }) {
  const { key, requests, errors, unexpected, scenarios } = project;
  return (
    <a class="option" href={hrefOf({ project: key })} title={key} aria-current={isSelected ? "page" : undefined}>
      <span class="key">{key}</span>
      {scenarios.length > 0 && (
        <span class="badge" title={`Active scenarios: ${scenarios.join(", ")}`}>
          {scenarios.length} active
        </span>
      )}
      {errors > 0 && (
        <span class={unexpected > 0 ? "count bad" : "count"} title={`Failed requests, ${unexpected} unexpected`}>
          {errors}
        </span>
      )}
      <span class="count" title="Requests">
        {requests}
      </span>
    </a>
  );
}

/** Returns the key that Enter opens: this key in any case, or else the first one that was found. */
function bestMatch(wanted: string, projects: readonly ProjectSummary[]): string | undefined {
  const keys = projects.map(({ key }) => key);
  return (
    keys.find((key) => key === wanted) ?? keys.find((key) => key.toLowerCase() === wanted.toLowerCase()) ?? keys[0]
  );
}

/**
 * Returns the projects in the order of the last rendering while the list is held, so that no project moves under the
 * pointer. New projects come last. While another search is loading, its last result stays.
 */
function useHeldOrder(list: ProjectPage | undefined, isHeld: boolean): ProjectPage | undefined {
  const last = useRef<ProjectPage>(undefined);
  if (!list) return last.current;
  const places = new Map(last.current?.projects.map(({ key }, index) => [key, index]));
  const place = ({ key }: ProjectSummary) => places.get(key) ?? places.size;
  last.current = isHeld ? { ...list, projects: list.projects.toSorted((a, b) => place(a) - place(b)) } : list;
  return last.current;
}

interface KeyProps {
  readonly label: string;
  readonly title: string;
  readonly initial: string;
  readonly submit: string;
  readonly about: (key: string) => string;
  readonly run: (key: string) => Promise<unknown>;
}

/** A button with a dialog for the key of a new project, whose state it opens then. */
function KeyDialog({ label, title, initial, submit, about, run }: KeyProps) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState(initial);
  const key = text.trim();
  const create = async () => {
    await run(key);
    setOpen(false);
    navigate({ project: key, view: "state" });
  };
  return (
    <>
      <PlainButton onClick={() => setOpen(true)}>{label}</PlainButton>
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          <Form run={create} submit={submit}>
            <TextField label="Project key" value={text} onChange={setText} />
            <p class="quiet">{about(key)}</p>
          </Form>
        </Dialog>
      )}
    </>
  );
}

function NewProject({ onCreated }: { readonly onCreated?: () => void }) {
  const { client } = useSession();
  return (
    <KeyDialog
      label="New project"
      title="New project"
      initial="demo"
      submit="Create project"
      about={(key) => `The client under test uses the address ${location.origin}/${key}.`}
      run={async (key) => {
        // A call that changes something creates the project, as the first request would.
        await client.project(key).settings.set({});
        onCreated?.();
      }}
    />
  );
}

export function DuplicateProject({ project }: { readonly project: string }) {
  const { client } = useSession();
  const undoable = useUndoable();
  return (
    <KeyDialog
      label="Duplicate"
      title={`Duplicate ${project}`}
      initial={`${project}-copy`}
      submit="Duplicate"
      about={() => "The copy has everything of this project, except its tokens. It replaces a project of its key."}
      run={async (key) => {
        if (key === project) throw new Error("Project key: expected the key of another project");
        await undoable(key, () => client.project(key).fork(project), `Duplicated ${project} as ${key}`);
      }}
    />
  );
}
