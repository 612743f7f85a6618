import {
  counted,
  cut,
  inProgressText,
  MAX_LISTED,
  MAX_REQUEST_PAGE,
  MAX_SHOWN_REQUESTS,
  MAX_SHOWN_TEXT,
  targetOf,
} from "../../contract/index.ts";
import type { ProjectControl } from "../../control/client/index.ts";
import { dashboardAddress, type RequestEntry, textOf, whyOf } from "../../journal/index.ts";
import { SWEEP_VARIABLE } from "../../tools/index.ts";

export interface FailureReportOptions {
  /** The command that runs the test again. */
  readonly rerunCommand: string;
  /** The address of the mock, if it is a server: the report has a link to each failed request on its dashboard. */
  readonly server?: string;
  /** A line about the archive of the project, if the tests have archives. */
  readonly archive?: string;
}

/**
 * Returns the report of a failed test: the last requests of its project and earlier failed ones, oldest first, the
 * command to run it again, and its archive.
 */
export async function failureReport(
  mock: ProjectControl,
  { rerunCommand, server, archive }: FailureReportOptions,
): Promise<string> {
  const { key } = mock;
  const { requests, total: answered, pending = [] } = await mock.requests.page({ limit: MAX_REQUEST_PAGE });
  const recent = requests.slice(0, MAX_SHOWN_REQUESTS);
  const failed = requests.slice(MAX_SHOWN_REQUESTS).filter(needsReason).slice(0, MAX_SHOWN_REQUESTS);
  const total = answered + pending.length;
  const omitted = answered - recent.length - failed.length;
  const linesOf = (entry: RequestEntry) =>
    entryLines(entry, [...reasonLines(key, entry, server), ...evolvedLines(entry), ...skippedLines(entry)]);
  return [
    `resource-mock: project ${key} received ${counted(total, "request")}`,
    ...failed.reverse().flatMap(linesOf),
    ...(omitted > 0 ? [`  … ${counted(omitted, "earlier request")}${failed.length > 0 ? " not shown" : ""}`] : []),
    ...recent.reverse().flatMap(linesOf),
    ...(pending.length > 0 ? [`  ${inProgressText(pending)}`] : []),
    `Run the test again: ${rerunCommand}`,
    ...(archive === undefined ? [] : [archive]),
  ].join("\n");
}

/**
 * Returns the lines for one request: the request, the reasons for its response, its body, the body of an error or
 * off-contract response, and its violations.
 */
export function entryLines(entry: RequestEntry, reasons: readonly string[] = []): string[] {
  const { operation, request, response, source, offContract, violations, changes, upstream, timings } = entry;
  const target = oneLine(targetOf(request.path, request.query));
  const all = [...violations, ...(upstream?.violations.response ?? [])];
  const sent = bodyText(request.body);
  const returned = response.status >= 400 || offContract ? bodyText(response.body) : undefined;
  const label = offContract ? ", off-contract" : "";
  const violated = all.map(({ message }) => `contract violation: ${message}`);
  return [
    `  ${timings.serverTime.slice(11, 23)} ${request.method} ${target} → ${response.status} (${operation ?? "no operation"}, ${source}${label})`,
    ...reasons,
    ...(changes.length > 0 ? [`      changed: ${oneLine(changesText(changes))}`] : []),
    ...(sent === undefined ? [] : [`      request body: ${sent}`]),
    ...(returned === undefined ? [] : [`      response body: ${returned}`]),
    ...listed(violated, "contract violation"),
  ];
}

/** Returns the first texts as lines, and the number of others. */
function listed(texts: readonly string[], noun: string): string[] {
  const more = texts.length - MAX_LISTED;
  const lines = texts.slice(0, MAX_LISTED).map((text) => `      ${oneLine(text)}`);
  return more > 0 ? [...lines, `      … ${counted(more, `more ${noun}`)}`] : lines;
}

/** Returns the changes of a request: `Resource my-id 1 → 2, Resource new-id created (version 1)`. */
function changesText(changes: RequestEntry["changes"]): string {
  return changes
    .map(({ type, id, from, to }) => {
      const name = id === "" ? type : `${type} ${id}`;
      if (from === null) return `${name} ${id === "" ? "set" : "created"} (version ${to})`;
      return to === null ? `${name} deleted (version ${from})` : `${name} ${from} → ${to}`;
    })
    .join(", ");
}

/** Returns whether the response can be the cause of a failed test: an error, an off-contract or a broken response. */
function needsReason({ response: { status }, offContract, effects, upstream }: RequestEntry): boolean {
  if (status >= 400 || status === 0 || offContract || effects.some(({ fault }) => fault !== undefined)) return true;
  return upstream !== undefined && (upstream.error !== undefined || upstream.violations.response.length > 0);
}

/** Returns the lines about the changes of the effect evolve. The entry has the first of them. */
function evolvedLines({ evolved = [] }: RequestEntry): string[] {
  const lines = evolved.map((change) => `      evolved: ${oneLine(change)}`);
  return lines.length < MAX_LISTED ? lines : [...lines, "      …"];
}

/** Returns the lines about rules of the operation that did not apply: most say what they expected. */
function skippedLines({ decisions, facts }: RequestEntry): string[] {
  const lines = decisions.filter((_, index) => {
    const fact = facts[index];
    return fact?.kind === "skipped" && fact.because !== "operation";
  });
  return listed(lines, "skipped rule");
}

/**
 * Returns the lines that say why the mock responded as it did, and where the dashboard shows the request. For a successful
 * request, only effects of rules and scenarios need reasons.
 */
function reasonLines(project: string, entry: RequestEntry, server: string | undefined): string[] {
  const { reason, more } = whyOf(project, entry);
  if (!needsReason(entry)) {
    return entry.effects.length === 0 ? [] : more.map((sentence) => `      why: ${oneLine(textOf(sentence))}`);
  }
  // The server of a sweep ends with the run.
  const link =
    server === undefined || runOfSweep() !== undefined
      ? undefined
      : dashboardAddress(server, { project, item: entry.id });
  return [
    ...[reason, ...more].map((sentence) => `      why: ${oneLine(textOf(sentence))}`),
    ...(link === undefined ? [] : [`      dashboard, while the mock runs: ${link}`]),
  ];
}

/** Returns the folder of the run, if the tests run in a sweep. */
export function runOfSweep(): string | undefined {
  // A browser has no `process`, and takes no part in a sweep.
  return globalThis.process?.env?.[SWEEP_VARIABLE] || undefined;
}

function bodyText(body: RequestEntry["request"]["body"]): string | undefined {
  if (!body) return undefined;
  return oneLine(body.json === undefined ? (body.text ?? `${body.bytes} bytes`) : JSON.stringify(body.json));
}

/** Returns the text in one short line. Control characters could change the colours or the title of a terminal. */
export function oneLine(text: string): string {
  return cut(text, MAX_SHOWN_TEXT).replaceAll(/\s*\p{Cc}+\s*/gu, " ");
}
