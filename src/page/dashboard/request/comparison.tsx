import { useState } from "preact/hooks";
import type { RequestEntry } from "../../../control/client/index.ts";
import { useLoaded, useProject, useSession } from "../live/session.ts";
import { isNotFound, Loading } from "../parts/action.tsx";
import { type DifferenceGroup, DifferenceTable, differencesOf } from "../parts/differences.tsx";
import { SearchField } from "../parts/fields.tsx";
import { Fold, Status, Time } from "../parts/text.tsx";
import { hrefOf, navigate, useRoute } from "../route.ts";
import type { Body } from "./copies.ts";

/** The differences between this request and another one of the same project, which the user chooses. */
export function Comparison({ entry }: { readonly entry: RequestEntry }) {
  const controls = useProject();
  const route = useRoute();
  const other = route.filter.compare || undefined;
  const loaded = useLoaded(async () => (other === undefined ? undefined : controls.requests.get(other)), [], [other]);
  const compare = (id: string) => navigate({ ...route, filter: { ...route.filter, tab: "compare", compare: id } });
  if (other === undefined) return <Picker entry={entry} onPick={compare} />;
  return (
    <section class="request-comparison" aria-label="Differences">
      {isNotFound(loaded.error) ? (
        <p class="quiet">The journal no longer has the request {other}.</p>
      ) : (
        <Loading of={loaded} lines={3}>
          {(value) => value && <Differences before={value} after={entry} />}
        </Loading>
      )}
      <button type="button" onClick={() => compare("")}>
        Compare with another
      </button>
    </section>
  );
}

/** The number of requests in the list. */
const MAX_SHOWN = 50;

/** Requests of the same project: the newest ones to the same path, or those that a search finds. */
function Picker({ entry, onPick }: { readonly entry: RequestEntry; readonly onPick: (id: string) => void }) {
  const controls = useProject();
  const [text, setText] = useState("");
  const q = text.trim() || undefined;
  const path = q === undefined ? entry.request.path : undefined;
  const found = useLoaded(() => controls.requests.page({ q, path, limit: MAX_SHOWN, brief: true }), [], [q, path]);
  return (
    <section class="request-picker" aria-label="Compare with">
      <div class="bar">
        <SearchField label="Search other requests to compare with" value={text} onChange={setText} />
      </div>
      <Loading of={found}>
        {({ requests }) => {
          const others = requests.filter(({ id }) => id !== entry.id);
          if (others.length === 0) return <p class="quiet">No other requests.</p>;
          return (
            <ul class="plain">
              {others.map(({ id, method, path, query, status, serverTime }) => (
                <li key={id}>
                  <button type="button" class="quiet option" onClick={() => onPick(id)}>
                    <Status of={status} />
                    <span class="key">
                      {method} {path}
                      {query && `?${query}`}
                    </span>
                    <Time of={serverTime} />
                  </button>
                </li>
              ))}
            </ul>
          );
        }}
      </Loading>
    </section>
  );
}

const changing =
  /^(date|content-length|etag|last-modified|traceparent|tracestate|x-ratelimit-.*|mock-request-id|.*(correlation|request|trace)-id)$/i;

function Differences({ before, after }: { readonly before: RequestEntry; readonly after: RequestEntry }) {
  const { project } = useSession();
  if (before.id === after.id) return <p class="quiet">This is the request that others are compared with.</p>;
  const groups = differencesOfEntries(before, after);
  const [shown = [], folded = []] = [false, true].map((isFolded) =>
    groups.flatMap(({ title = "", differences }) => {
      const some = differences.filter((each) => isChanging(title, each.pointer) === isFolded);
      return some.length > 0 ? [{ title, differences: some }] : [];
    }),
  );
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
      {shown.length === 0 ? (
        <p>No differences.</p>
      ) : (
        <DifferenceTable before="Other" after="This request" groups={shown} />
      )}
      {folded.length > 0 && (
        <Fold title="Headers that differ between any two requests">
          {() => <DifferenceTable before="Other" after="This request" groups={folded} />}
        </Fold>
      )}
    </>
  );
}

function isChanging(title: string, pointer: string): boolean {
  return /headers$/.test(title) && changing.test(pointer.slice(1));
}

/** Returns the differences between two requests and their responses, without the times. Leaves out equal parts. */
function differencesOfEntries(before: RequestEntry, after: RequestEntry): DifferenceGroup[] {
  const others: Readonly<Record<string, unknown>> = partsOf(after);
  return Object.entries(partsOf(before))
    .map(([title, part]) => ({ title, differences: differencesOf(part, others[title]) }))
    .filter(({ differences }) => differences.length > 0);
}

function partsOf({ request, response, operation, source, offContract, decisions }: RequestEntry) {
  const { method, path, query } = request;
  return {
    Request: { method, path, operation, query },
    "Request headers": request.headers,
    "Request body": contentOf(request.body),
    Response: { status: response.status, source, offContract, decisions },
    "Response headers": response.headers,
    "Response body": contentOf(response.body),
  };
}

function contentOf(body: Body | undefined): unknown {
  return body?.json === undefined ? (body?.text ?? body?.base64) : body.json;
}
