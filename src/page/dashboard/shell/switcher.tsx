import { useRef, useState } from "preact/hooks";
import type { ProjectSummary } from "../../../control/client/index.ts";
import { searchProjects, useLoaded, useSession } from "../live/session.ts";
import { Menu } from "../parts/layout.tsx";
import { type Choice, MAX_CHOICES, SearchList } from "../parts/search-list.tsx";
import { counted } from "../parts/text.tsx";
import { hrefOf, useRoute } from "../route.ts";

/** The shortest time between two loads of the list, in milliseconds: every request changes it. */
const PAUSE_MS = 1000;

/** The name of the project, which opens the list of all projects: to find one, and to open a new one by its key. */
export function Switcher() {
  const { project } = useRoute();
  return (
    <Menu isForm label="Project" kind="switcher" text={project ?? "All projects"}>
      {(close) => <Projects current={project ?? ""} onOpen={close} />}
    </Menu>
  );
}

/** Projects with their sandboxes: those with unexpected failures first, then by activity. */
function Projects({ current, onOpen }: { readonly current: string; readonly onOpen: () => void }) {
  const { connection } = useSession();
  const [text, setText] = useState("");
  const wanted = text.trim();
  const find = () => searchProjects(connection, { q: wanted || undefined, sort: "failures", limit: MAX_CHOICES });
  const { value } = useLoaded(find, "any", [wanted], PAUSE_MS);
  const projects = useHeldOrder(value?.projects ?? [], wanted);
  const isNew = value && wanted !== "" && projects.every(({ key }) => key !== wanted);
  // The first use of a key creates its project. This choice comes last, so that Enter opens what was found.
  const other = {
    value: `new ${wanted}`,
    text: wanted,
    shown: `New project “${wanted}”`,
    href: hrefOf({ project: wanted }),
  };
  const all = { value: "", text: "All projects", href: hrefOf({}) };
  return (
    <SearchList
      label="Find or open a project"
      placeholder="Find a project, or type a new key"
      choices={[...(wanted === "" ? [all] : []), ...projects.map(choiceOf), ...(isNew ? [other] : [])]}
      current={current}
      onText={setText}
      onChoose={({ href = "" }) => {
        onOpen();
        location.hash = href;
      }}
    >
      <span class="quiet count">{counted(value?.total ?? 0, "project")}, failing first</span>
    </SearchList>
  );
}

/** Returns the projects in the order of the first load for a text, so that no project moves under the pointer. */
function useHeldOrder(projects: readonly ProjectSummary[], text: string): readonly ProjectSummary[] {
  const held = useRef<{ readonly text: string; readonly keys: readonly string[] }>({ text, keys: [] });
  const before = held.current.text === text ? held.current.keys : [];
  const keys = [...new Set([...before, ...projects.map(({ key }) => key)])];
  held.current = { text, keys };
  return projects.toSorted((a, b) => keys.indexOf(a.key) - keys.indexOf(b.key));
}

function choiceOf({ key, requests, errors, unexpected, scenarios }: ProjectSummary): Choice {
  return {
    value: key,
    text: key,
    href: hrefOf({ project: key }),
    hint: (
      <>
        {scenarios.length > 0 && <span class="badge">{counted(scenarios.length, "scenario")}</span>}{" "}
        {errors > 0 && <span class={unexpected > 0 ? "bad" : undefined}>{`${errors} failed of `}</span>}
        {counted(requests, "request")}
      </>
    ),
  };
}
