import { useState } from "preact/hooks";
import { control } from "../../client/connection.ts";
import type { ProjectSummary } from "../../client/types.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { Loading } from "../parts/loading.tsx";
import { hrefOf, navigate } from "../route.ts";

/** The largest number of projects in the list. The search field finds the others. */
const MAX_SHOWN = 200;

/**
 * The list of projects: those with failed requests first, then by activity. A field finds projects by a part of the
 * key, and opens any key, also a new one.
 */
export function ProjectList({ selected }: { selected?: string }) {
  const { connection } = useSession();
  const [text, setText] = useState("");
  const wanted = text.trim();
  const list = useLoaded(
    () =>
      control<{ projects: ProjectSummary[]; total: number }>(connection, {
        method: "GET",
        path: "/projects",
        query: { q: wanted || undefined, sort: "failures", limit: MAX_SHOWN },
      }),
    () => true,
    [wanted],
  );
  const open = (event: Event) => {
    event.preventDefault();
    if (wanted !== "") navigate({ project: wanted });
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
      <ul>
        <li>
          <a href={hrefOf({})} aria-current={selected === undefined ? "page" : undefined}>
            All projects
          </a>
        </li>
      </ul>
      <Loading of={list}>
        {({ projects, total }) => (
          <>
            <ul>
              {projects.map(({ key, requests, errors, scenarios }) => (
                <li key={key}>
                  <a href={hrefOf({ project: key })} aria-current={selected === key ? "page" : undefined}>
                    <span class="key">{key}</span>
                    {scenarios.length > 0 && (
                      <span class="badge" title={scenarios.join(", ")}>{`${scenarios.length} active`}</span>
                    )}
                    {errors > 0 && (
                      <span class="count bad" title="Failed requests">
                        {errors}
                      </span>
                    )}
                    <span class="count" title="Requests">
                      {requests}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
            {total > projects.length && (
              <p class="quiet">
                {projects.length} of {total} projects. Search to find the others.
              </p>
            )}
            {wanted !== "" && total === 0 && (
              <p class="quiet">No matching projects. Press Enter to create “{wanted}”.</p>
            )}
          </>
        )}
      </Loading>
    </nav>
  );
}
