import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { searchProject } from "../live/search-project.ts";
import { useSession } from "../live/session.ts";
import { Time } from "../parts/time.tsx";

/** Says which archive the project was restored from, and when. Nothing for other projects. */
export function FromArchive({ project }: { project: string }) {
  const { connection } = useSession();
  const { value } = useLoaded(() => searchProject(connection, project), on(project, "project"), [project]);
  const archive = value?.projects.find(({ key }) => key === project)?.archive;
  if (!archive) return null;
  const { test, savedAt, file, restoredAt } = archive;
  // An undo restores an archive that no file and no test has named.
  if (test === undefined && file === undefined && savedAt === undefined) return null;
  return (
    <p class="from-archive">
      <span class="badge">Archive</span>{" "}
      {test === undefined ? (
        "Restored from an archive"
      ) : (
        <>
          Failed test{" "}
          <b>
            <bdi>{test}</bdi>
          </b>
        </>
      )}
      <span class="quiet">
        {savedAt !== undefined && (
          <>
            , saved <Time of={savedAt} as="full" />
          </>
        )}
        {file !== undefined && (
          <>
            , from the file <bdi>{file}</bdi>
          </>
        )}
        {restoredAt !== undefined && (
          <>
            , opened <Time of={restoredAt} as="full" />
          </>
        )}
      </span>
    </p>
  );
}
