import type { ResourceVersion } from "../../../control/client/index.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { isNotFound } from "../parts/action.tsx";
import { ChangeView } from "../parts/difference-table.tsx";
import { Fold } from "../parts/fold.tsx";
import { Loading } from "../parts/loading.tsx";
import { Time } from "../parts/time.tsx";
import { hrefOf } from "../route.ts";

interface HistoryProps {
  readonly project: string;
  readonly id: string;
}

/** The versions of a resource, also of a deleted one. They are loaded when the user opens the part. */
export function ResourceHistory({ project, id }: HistoryProps) {
  return <Fold title="History">{() => <Versions project={project} id={id} />}</Fold>;
}

function Versions({ project, id }: HistoryProps) {
  const controls = useProject(project);
  const loaded = useLoaded(
    () =>
      controls.resources.history(id).catch((error: unknown) => {
        if (isNotFound(error)) return [];
        throw error;
      }),
    on(project, "state", "rewound"),
  );
  return (
    <Loading of={loaded}>
      {(versions) => (
        <ol class="plain versions" aria-label="Versions">
          {versions.length === 0 && <li>No versions.</li>}
          {versions.map((version, index) => {
            const { moment, method, path, request, client, writtenAt } = version;
            const earlier = versions[index + 1];
            return (
              <li key={`${moment} ${version.version}`}>
                <p>
                  <b>{version.version === null ? "Deleted" : `Version ${version.version}`}</b>{" "}
                  <Time of={writtenAt} as="full" /> by{" "}
                  {request === undefined ? (
                    "the control API"
                  ) : (
                    <a href={hrefOf({ project, item: request })}>{`${method} ${path}`}</a>
                  )}
                  {client !== undefined && `, client ${client}`}
                </p>
                <Fold title="Difference">
                  {() => <ChangeView before={earlier && changedValue(earlier)} after={changedValue(version)} />}
                </Fold>
              </li>
            );
          })}
        </ol>
      )}
    </Loading>
  );
}

/** Returns the value of a version as the changes of a request have it. */
function changedValue({ resource, cut }: ResourceVersion): unknown {
  return cut === undefined ? (resource ?? null) : { cut, text: "" };
}
