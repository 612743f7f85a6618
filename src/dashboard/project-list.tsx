import { useState } from "preact/hooks";
import { control } from "../client/connection.ts";
import type { ProjectSummary } from "../client/types.ts";
import { Failure } from "./action.tsx";
import { useLoaded } from "./loaded.ts";
import { hrefOf } from "./route.ts";
import { useSession } from "./session.ts";

/** The largest number of projects in the list. The search field opens any other project by its key. */
const MAX_SHOWN = 200;

/** The list of projects, with a field that filters it by a part of the key. Enter opens any key, also a new one. */
export function ProjectList({ selected }: { selected?: string }) {
  const { connection } = useSession();
  const [text, setText] = useState("");
  const list = useLoaded(
    () => control<{ projects: ProjectSummary[]; total: number }>(connection, { method: "GET", path: "/projects" }),
    () => true,
  );
  const { projects = [], total = 0 } = list.value ?? {};
  const found = projects.filter(({ key }) => key.includes(text));
  const shown = found.slice(0, MAX_SHOWN);

  const open = (event: Event) => {
    event.preventDefault();
    if (text !== "") location.hash = hrefOf({ project: text, part: "requests" });
    setText("");
  };
  return (
    <nav class="projects" aria-label="Projects">
      <form onSubmit={open}>
        <input
          type="search"
          aria-label="Find or open a project"
          placeholder="Find or open a project"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </form>
      <Failure of={list} />
      <ul>
        <li>
          <a href={hrefOf({})} aria-current={selected === undefined ? "page" : undefined}>
            All projects <span class="count">{total}</span>
          </a>
        </li>
        {shown.map(({ key, requests, scenarios }) => (
          <li key={key}>
            <a href={hrefOf({ project: key, part: "requests" })} aria-current={selected === key ? "page" : undefined}>
              <span class="key">{key}</span>
              {scenarios.length > 0 && (
                <span class="badge" title={scenarios.join(", ")}>{`${scenarios.length} active`}</span>
              )}
              <span class="count" title="Requests">
                {requests}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {found.length > shown.length || total > projects.length ? (
        <p class="quiet">The list is incomplete. Type a key and press Enter to open its project.</p>
      ) : (
        text !== "" && found.length === 0 && <p class="quiet">No project found. Press Enter to create “{text}”.</p>
      )}
    </nav>
  );
}
