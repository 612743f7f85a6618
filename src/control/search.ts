import {
  didYouMean,
  instantOf,
  MAX_PATTERN_STEPS,
  MAX_REQUEST_PAGE_BYTES,
  ServiceError,
  shown,
} from "../contract/index.ts";
import type { Engine } from "../engine/index.ts";
import {
  compileFilter,
  type Exchange,
  entryOf,
  type Filter,
  type RequestEntry,
  type Selected,
  sizeOf,
} from "../journal/index.ts";
import { type Project, projectEnded } from "../project/index.ts";
import { Effort } from "../rules/index.ts";
import { invalid } from "./control-response.ts";
import type { ControlCall } from "./define-operation.ts";
import type { RequestSelection } from "./request-selection.ts";

/* What calls search: projects by a part of their key, and requests in the journals. */

/** A call that searches the journal of its project, or those of all projects with the text `query.project` in their key. */
export interface SearchCall<Query> extends Pick<ControlCall, "control" | "engine" | "signal"> {
  readonly query: Query & { readonly project?: string };
  readonly project: Project | undefined;
}

/** Returns the filter of the query parameters. Throws InvalidField. */
export function filterOf({ query, engine, project }: SearchCall<RequestSelection>): Promise<Filter> {
  const { since, from, to, ...conditions } = query;
  const times = { since: instant("since", since), from: instant("from", from), to: instant("to", to) };
  return compileFilter({ ...conditions, ...times }, selectedBy({ engine, project }));
}

/** Returns the requests that the matches of a call select. */
export function selectedBy({ engine: { contract }, project }: Pick<ControlCall, "engine" | "project">): Selected {
  return { contract, projectKey: project?.key, requests: () => project?.journal.list() ?? [] };
}

/** Returns the instant of a query parameter, in milliseconds since 1970. Throws InvalidField. */
export function instant(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const instant = /^\d{1,15}$/.test(text) ? Number(text) : instantOf(text);
  if (instant !== undefined) return instant;
  throw invalid(name, `expected a date-time (RFC 3339) or milliseconds since 1970, found ${shown(text)}`);
}

/** Returns a time in milliseconds since 1970 in the format of RFC 3339. */
export function timeOf(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
}

/** Returns the effort of a call. It ends when the project is reset or deleted, or when the client disconnects. */
export function effortOf({ project, signal }: Pick<ControlCall, "project" | "signal">): Effort {
  const gone = signal();
  return new Effort({
    maxSteps: MAX_PATTERN_STEPS,
    check() {
      if (project?.hasEnded) throw projectEnded(project);
      if (gone.aborted)
        throw new ServiceError({ code: "ServiceUnavailable", message: "The client closed the connection" });
    },
  });
}

/** A request in the journal of a project. */
export interface Found {
  readonly project: Project;
  readonly exchange: Exchange;
}

/** Returns the projects with this text in their key, ignoring case; all projects without a text. */
export function* projectsNamed({ projects }: Engine, text = ""): Generator<Project> {
  const searched = text.toLowerCase();
  for (const project of projects.all()) if (project.key.toLowerCase().includes(searched)) yield project;
}

/** Returns the message for an unknown project, with the most similar project key. */
export function unknownProject({ projects }: Engine, projectKey: string): string {
  return `Project "${projectKey.slice(0, 100)}" not found.${didYouMean(projectKey, projects.keys())}`;
}

/** Returns the projects whose journals the call searches. */
export function projectsOf({ engine, project, query }: SearchCall<unknown>): Iterable<Project> {
  return project ? [project] : projectsNamed(engine, query.project);
}

/**
 * Calls `visit` for each request in the journals, newest first in each project. Leaves out requests that arrive during the
 * search: the result is the same for the first and the last project.
 */
export async function visitRequests(call: SearchCall<unknown>, effort: Effort, visit: (found: Found) => void) {
  const { last: lastSerial } = call.engine.sequence;
  for (const project of projectsOf(call)) {
    if (effort.isOver) await effort.next();
    for (const exchange of project.journal.list()) {
      if (effort.isOver) await effort.next();
      if (exchange.serial <= lastSerial) visit({ project, exchange });
    }
  }
}

/** Returns the entries of these exchanges, up to `MAX_REQUEST_PAGE_BYTES`, but at least one entry. */
export async function entriesOf(exchanges: readonly Exchange[], effort: Effort): Promise<RequestEntry[]> {
  const entries: RequestEntry[] = [];
  let bytes = 0;
  for (const exchange of exchanges) {
    if (effort.isOver) await effort.next();
    bytes += sizeOf(exchange);
    if (bytes > MAX_REQUEST_PAGE_BYTES && entries.length > 0) break;
    entries.push(entryOf(exchange));
  }
  return entries;
}
