import type { RequestEntry } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { isNotFound } from "../parts/action.tsx";
import { type DifferenceGroup, DifferenceTable } from "../parts/difference-table.tsx";
import { differencesOf } from "../parts/differences.ts";
import { Loading } from "../parts/loading.tsx";
import { Time } from "../parts/time.tsx";
import { hrefOf, useRoute } from "../route.ts";
import type { Body } from "./parts-of.ts";

interface ComparisonProps {
  readonly project: string;
  readonly entry: RequestEntry;
  /** The id of the other request. */
  readonly other: string;
}

/** The differences between this request and another one of the same project. */
export function Comparison({ project, entry, other }: ComparisonProps) {
  const controls = useProject(project);
  const route = useRoute();
  const loaded = useLoaded(
    () => controls.requests.get(other),
    () => false,
    [project, other],
  );
  const stop = hrefOf({ ...route, filter: { ...route.filter, compare: "" } });
  return (
    <section class="request-comparison" aria-label="Differences">
      <div class="bar">
        <h3>Differences</h3>
        <a href={stop}>Stop comparing</a>
      </div>
      {isNotFound(loaded.error) ? (
        <p class="quiet">The journal no longer has the request {other}.</p>
      ) : (
        <Loading of={loaded} lines={3}>
          {(value) => <Differences project={project} before={value} after={entry} />}
        </Loading>
      )}
    </section>
  );
}

interface DifferencesProps {
  readonly project: string;
  readonly before: RequestEntry;
  readonly after: RequestEntry;
}

function Differences({ project, before, after }: DifferencesProps) {
  if (before.id === after.id) return <p class="quiet">This is the request that others are compared with.</p>;
  const groups = differencesOfEntries(before, after);
  const { request, response, timings } = before;
  return (
    <>
      <p>
        Compared with{" "}
        <a href={hrefOf({ project, item: before.id })}>
          {response.status || "broken"} {request.method} {request.path}
        </a>{" "}
        at <Time of={timings.serverTime} />
      </p>
      {groups.length === 0 ? (
        <p>No differences.</p>
      ) : (
        <DifferenceTable before="Other" after="This request" groups={groups} />
      )}
    </>
  );
}

/** Returns the differences between two requests and their responses, without the times. Leaves out equal parts. */
export function differencesOfEntries(before: RequestEntry, after: RequestEntry): DifferenceGroup[] {
  const groups = [
    ["Request", lineOf(before), lineOf(after)],
    ["Request headers", before.request.headers, after.request.headers],
    ["Request body", contentOf(before.request.body), contentOf(after.request.body)],
    ["Response", resultOf(before), resultOf(after)],
    ["Response headers", before.response.headers, after.response.headers],
    ["Response body", contentOf(before.response.body), contentOf(after.response.body)],
  ] as const;
  return groups
    .map(([title, one, other]) => ({ title, differences: differencesOf(one, other) }))
    .filter(({ differences }) => differences.length > 0);
}

function lineOf({ request: { method, path, query }, operation }: RequestEntry) {
  return { method, path, operation, query };
}

function resultOf({ response: { status }, source, offContract, decisions }: RequestEntry) {
  return { status, source, offContract, decisions };
}

/** Returns the content of a body: JSON, text, or base64. */
function contentOf(body: Body | undefined): unknown {
  return body?.json === undefined ? (body?.text ?? body?.base64) : body.json;
}
