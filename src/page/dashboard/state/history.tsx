import type { ResourceVersion } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Loading, unlessNotFound } from "../parts/action.tsx";
import { ChangeView } from "../parts/differences.tsx";
import { Fold } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { hrefOf } from "../route.ts";

/** The versions of a resource, also of a deleted one. They are loaded when the user opens the part. */
export function ResourceHistory({ id }: { readonly id: string }) {
  return <Fold title="History">{() => <Versions id={id} />}</Fold>;
}

function Versions({ id }: { readonly id: string }) {
  const controls = useProject();
  const loaded = useLoaded(
    async () => (await controls.resources.history(id).catch(unlessNotFound)) ?? [],
    ["state", "rewound"],
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
                    <a href={hrefOf({ project: controls.key, item: request })}>{`${method} ${path}`}</a>
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
