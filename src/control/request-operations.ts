import { count, lazily, object, type Schema, shown } from "../contract/index.ts";
import {
  detailsOf,
  entryOf,
  evolvedIn,
  Har,
  PendingRequest,
  pendingRequestOf,
  RequestEntry,
  RequestSummary,
  summaryOf,
} from "../journal/index.ts";
import type { Project } from "../project/index.ts";
import type { Effort } from "../rules/index.ts";
import { type ControlResponse, invalid, ok } from "./control-response.ts";
import { type ControlCall, type FromQuery, inProject, json, onServer } from "./define-operation.ts";
import { effortOf, entriesOf, type Found, filterOf, type SearchCall, visitRequests } from "./journal-search.ts";
import { projectsNamed } from "./named-projects.ts";
import {
  projectSelection,
  REQUEST_PAGE,
  type RequestSelection,
  requestPaging,
  selection,
} from "./request-selection.ts";
import { momentsOf, notRewindable, RewindRequest, Rewound, requestOf, rewind } from "./rewind.ts";

const RequestPage = object(["requests", "total", "searched", "dropped"], {
  requests: { type: "array", items: { anyOf: [RequestEntry, RequestSummary] } },
  total: { ...count, description: "The number of matching requests, in all pages." },
  searched: { ...count, description: "The number of requests in the journal." },
  dropped: {
    ...count,
    description: "The number of older requests that the journal has dropped, as it was full.",
  },
  pending: {
    type: "array",
    items: PendingRequest,
    description:
      "The requests that have arrived at this process and have no response yet, whatever the filters. Absent without such requests.",
  },
  next: {
    type: "string",
    description: "The value of `before` for the next page. Absent on the last page.",
  },
} as const satisfies Record<string, Schema>);

const page = json(
  "The requests, up to `limit` and up to 8 MiB; with format=har, an HTTP archive without the limit of 8 MiB.",
  {
    anyOf: [RequestPage, Har],
  },
);

const pathParameters = {
  id: { description: "The id of the request, from the header Mock-Request-Id.", example: "5f0c2a9e-1" },
};

export const operations = {
  listRequests: inProject("GET", "/requests", {
    summary: "List the requests in the journal, newest first",
    query: { ...selection, ...requestPaging },
    responses: { 200: page },
    handle: (call) => list(call, () => [call.project]),
  }),

  listAllRequests: onServer("GET", "/requests", {
    reach: "all projects",
    summary: "List the requests of all projects, newest first",
    query: { ...projectSelection, ...selection, ...requestPaging },
    responses: { 200: page },
    handle: (call) => list(call, () => projectsNamed(call.engine, call.query.project)),
  }),

  clearRequests: inProject("DELETE", "/requests", {
    summary: "Delete the requests from the journal",
    handle: ({ project }) => project.clearJournal(),
  }),

  readRequest: inProject("GET", "/requests/{id}", {
    summary: "Return a request and its response",
    pathParameters,
    responses: { 200: json("The request with its response.", RequestEntry) },
    handle({ project, path: { id } }) {
      const exchange = requestOf(project, id);
      const { history } = project;
      return ok({
        ...entryOf(exchange),
        evolved: evolvedIn(exchange.decisions) as string[] | undefined,
        changes: detailsOf(history, exchange),
      });
    },
  }),

  rewindRequest: inProject("POST", "/requests/{id}/rewind", {
    summary: "Restore the state before or after a request",
    description:
      "Changes only the state: settings, scenarios, rules, clock and journal stay. The moment in `undo` restores the state before this call.",
    pathParameters,
    body: RewindRequest,
    bodyIsOptional: true,
    example: { to: "before" },
    responses: { 200: json("The moment of the restored state.", Rewound), 409: notRewindable },
    handle({ project, path: { id }, body: { to = "before" } }) {
      const [before, after] = momentsOf(requestOf(project, id));
      return ok(rewind(project, to === "before" ? before : after, { request: id, to }));
    },
  }),
};

interface Page {
  /** The requests of the page, newest first. */
  readonly newest: readonly Found[];
  /** The number of matching requests that are older than the start of the page. */
  readonly older: number;
  readonly total: number;
  readonly searched: number;
}

type ListCall = SearchCall<RequestSelection & FromQuery<typeof requestPaging>> & Pick<ControlCall, "control">;

async function list(call: ListCall, projects: () => Iterable<Project>): Promise<ControlResponse> {
  const { project, query } = call;
  if (query.format === "har") return archive(call, projects);
  const effort = effortOf({ project, signal: call.signal });
  const { newest, older, total, searched } = await pageOf(call, projects, REQUEST_PAGE.default, effort);
  const requests = query.brief
    ? await summariesOf(newest, effort)
    : (
        await entriesOf(
          newest.map(({ exchange }) => exchange),
          effort,
        )
      ).map((entry, index) => (project ? entry : { project: newest[index]?.project.key, ...entry }));
  const next = nextPage(newest.slice(0, requests.length), older, project);
  const dropped = await droppedIn(projects(), effort);
  const pending = call.engine.inProgress.of(project?.key).slice(0, REQUEST_PAGE.default).map(pendingRequestOf);
  return ok({ requests, total, searched, dropped, ...(pending.length > 0 && { pending }), next });
}

/** Finds the requests that a query selects, up to its `limit`. */
async function pageOf(
  call: ListCall,
  projects: () => Iterable<Project>,
  defaultLimit: number,
  effort: Effort,
): Promise<Page> {
  const { engine, query } = call;
  const { limit = defaultLimit, before } = query;
  const filter = await filterOf(query, engine);
  const bound = before === undefined ? Infinity : await serialOf(before, call, projects(), effort);
  const older: Found[] = [];
  let [total, searched] = [0, 0];
  await visitRequests(engine, projects(), effort, (found) => {
    searched++;
    if (!filter.matches(found.exchange, effort)) return;
    total++;
    if (found.exchange.serial < bound) older.push(found);
  });
  const newest = older.sort((a, b) => b.exchange.serial - a.exchange.serial).slice(0, limit);
  return { newest, older: older.length, total, searched };
}

async function summariesOf(found: readonly Found[], effort: Effort): Promise<RequestSummary[]> {
  const summaries: RequestSummary[] = [];
  for (const { project, exchange } of found) {
    if (effort.isOver) await effort.next();
    summaries.push(summaryOf(project.key, exchange));
  }
  return summaries;
}

/** Returns the cursor of the page after these requests; undefined if it would be empty. */
function nextPage(shown: readonly Found[], older: number, project: Project | undefined): string | undefined {
  const last = shown.at(-1)?.exchange;
  return last && shown.length < older ? cursorAt(last, project) : undefined;
}

const loadHar = lazily(() => import("../journal/har/index.ts"));

/** Returns the requests as an HTTP archive that browsers save as a file. Throws InvalidField for `brief`. */
async function archive(call: ListCall, projects: () => Iterable<Project>): Promise<ControlResponse> {
  const { control, project, query } = call;
  if (query.brief) throw invalid("brief", "expected false with format=har, found true. An archive has no summaries.");
  const effort = effortOf({ project, signal: call.signal });
  const { newest, older, total } = await pageOf(call, projects, Infinity, effort);
  const byArrival = newest.toSorted((a, b) => a.exchange.arrival - b.exchange.arrival);
  const requests = byArrival.map((found) => ({ exchange: found.exchange, project: found.project.key }));
  const { harPieces } = await loadHar();
  const next = nextPage(newest, older, project);
  return {
    status: 200,
    headers: { "Content-Disposition": attachment(`${project?.key ?? "requests"}.har`) },
    pieces: harPieces(requests, { version: control.version, _total: total, _next: next }),
  };
}

/** Returns the header for a file with this name (RFC 6266), with a plain name for old clients. */
function attachment(name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${name.replaceAll(/[^\w.~-]/g, "_")}"; filename*=UTF-8''${encoded}`;
}

/** Returns the number of requests that the journals of these projects have dropped. */
async function droppedIn(projects: Iterable<Project>, effort: Effort): Promise<number> {
  let dropped = 0;
  for (const { journal } of projects) {
    if (effort.isOver) await effort.next();
    dropped += journal.forgotten;
  }
  return dropped;
}

/** Returns the cursor of the requests before this one. */
function cursorAt({ id, serial }: Found["exchange"], project: Project | undefined): string {
  // Another journal can have older requests, also after this one has dropped the request.
  return project ? id : `${id}@${serial}`;
}

/** Returns the serial number of a cursor. Throws InvalidField for an unknown request. */
async function serialOf(
  before: string,
  { engine, project }: SearchCall<unknown>,
  projects: Iterable<Project>,
  effort: Effort,
): Promise<number> {
  const serial = /^[\da-f]{8}-\d{1,15}@(\d{1,15})$/.exec(before)?.[1];
  if (serial !== undefined) return Number(serial);
  let found: number | undefined;
  await visitRequests(engine, projects, effort, ({ exchange }) => {
    if (exchange.id === before) found = exchange.serial;
  });
  if (found !== undefined) return found;
  // The journal drops the oldest requests first, so it has none before a request that it has dropped.
  if (project?.issued(before)) return 0;
  const hint = project ? "" : " The journal may have dropped it. `next` of a page stays valid.";
  throw invalid("before", `expected the id of a request, or \`next\` of a page, found ${shown(before)}.${hint}`);
}
