import type { RequestEntry } from "../../../control/client/index.ts";
import { textOf, whyOf } from "../../../journal/index.ts";
import { useLoaded, useProject, useSession } from "../live/session.ts";
import { Loading } from "../parts/action.tsx";
import { Differences } from "../parts/differences.tsx";
import { Menu, MenuItem } from "../parts/layout.tsx";
import { Status, Time, timeOf } from "../parts/text.tsx";
import { pathInProject } from "../requests/row-list.tsx";
import { hrefOf, useRoute } from "../route.ts";
import type { Body, Headers } from "./copies.ts";
import type { PartProps } from "./request-parts.tsx";

/** The most earlier requests in the menu. */
const MAX_OTHERS = 20;

/** The differences between this request and the previous one of the same operation, or another one from a menu. */
export function Comparison({ entry }: PartProps) {
  const controls = useProject();
  const { project = "" } = useSession();
  const route = useRoute();
  const { id, operation, request } = entry;
  const { compare } = route.filter;
  const load = async () => {
    const alike = operation === undefined ? { path: request.path } : { operation };
    const { requests } = await controls.requests.page({ ...alike, before: id, limit: MAX_OTHERS, brief: true });
    const chosen = compare || requests[0]?.id;
    return { requests, other: chosen === undefined ? undefined : await controls.requests.get(chosen) };
  };
  const loaded = useLoaded(load, [], [compare, id]);
  return (
    <section aria-label="Differences">
      <Loading of={loaded} lines={3}>
        {({ requests, other }) =>
          other === undefined ? (
            <p class="quiet">No earlier request {operation === undefined ? "to this path" : `of ${operation}`}.</p>
          ) : (
            <>
              <div class="bar">
                <p class="key">
                  Compared with{" "}
                  <a href={hrefOf({ project, item: other.id })}>
                    {other.response.status || "broken"} {other.request.method}{" "}
                    {pathInProject(other.request.path, controls.key)}
                  </a>{" "}
                  at <Time of={other.timings.serverTime} />
                </p>
                <Menu label="Compare with another request" text="Another request">
                  {() =>
                    requests.map(({ id, status, path, serverTime }) => (
                      <MenuItem key={id} href={hrefOf({ ...route, filter: { ...route.filter, compare: id } })}>
                        <Status of={status} /> {timeOf(new Date(serverTime))} {pathInProject(path, controls.key)}
                      </MenuItem>
                    ))
                  }
                </Menu>
              </div>
              <DifferentParts before={partsOf(project, other)} after={partsOf(project, entry)} />
            </>
          )
        }
      </Loading>
    </section>
  );
}

/** Headers that differ between any two requests. */
const changing =
  /^(date|content-length|etag|last-modified|traceparent|tracestate|x-ratelimit-.*|mock-request-id|.*(correlation|request|trace)-id)$/i;

function DifferentParts({ before, after }: Readonly<Record<"before" | "after", Parts>>) {
  const titles = (Object.keys(before) as (keyof Parts)[]).filter(
    (title) => JSON.stringify(before[title]) !== JSON.stringify(after[title]),
  );
  if (titles.length === 0) return <p>No differences.</p>;
  return (
    <>
      {titles.map((title) => (
        <div key={title}>
          <h3>{title}</h3>
          <Differences before={before[title]} after={after[title]} label={`Differences of ${title}`} />
        </div>
      ))}
    </>
  );
}

type Parts = ReturnType<typeof partsOf>;

/** Returns the parts of a request and its response, without the times: what matters most comes first. */
function partsOf(project: string, entry: RequestEntry) {
  const { request, response, operation, source, decisions } = entry;
  const { method, path, query } = request;
  const withoutChanging = (headers: Headers) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !changing.test(name)));
  return {
    Status: `${response.status || "broken"}`,
    Reason: textOf(whyOf(project, entry).reason).replace(/^\d{3}: /, ""),
    Source: source,
    "Response body": contentOf(response.body),
    Request: { method, path, operation, query },
    "Request body": contentOf(request.body),
    "Request headers": withoutChanging(request.headers),
    "Response headers": withoutChanging(response.headers),
    Decisions: decisions.join("\n"),
  };
}

function contentOf(body: Body | undefined): unknown {
  return body?.json === undefined ? (body?.text ?? body?.base64) : body.json;
}
