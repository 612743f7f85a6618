import { readJsonBody, refusedBody } from "../call/body.ts";
import { MAX_LISTS_VALUES, problemsWithLists } from "../call/lists.ts";
import type { Schema } from "../contract/schema.ts";
import { type ErrorDetail, invalidField, ServiceError } from "../contract/service-error.ts";
import type { Engine } from "../engine/engine.ts";
import type { Exchange } from "../journal/exchange.ts";
import { withoutSecretValues } from "../journal/history.ts";
import { withoutSecrets } from "../journal/without-secrets.ts";
import type { RestoredArchive } from "../projects/archive-source.ts";
import type { Project } from "../projects/project.ts";
import { savedForAll } from "../scenarios/saved-rules.ts";
import { fromBase64 } from "../schedule/base64.ts";
import { sorted } from "../schedule/sort.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import { duplicates, type NumberedState, numberedStateOf, numberedStatePieces } from "../state/document.ts";
import { isObject, join } from "../text/json.ts";
import { arrayPieces, objectPieces, valuePieces } from "../text/json-pieces.ts";
import { shown } from "../text/shown.ts";
import { ARCHIVE_FORMAT, ArchiveDocument, type ArchivedRequest, type ArchivedState, archiveLists } from "./document.ts";
import {
  changesOf,
  exchangeOf,
  restoreCore,
  restoreCoverage,
  restoreRules,
  type SavedChanges,
  type SavedExchange,
  savedChanges,
  savedCore,
  savedCoverage,
  savedExchange,
  savedRules,
} from "./parts.ts";

/**
 * Returns a whole project as the JSON text of an `ArchiveDocument`, in pieces that can be iterated once. The text shows
 * the project at one moment: later changes of the project do not change it. It contains no tokens, and credentials in the
 * journal are redacted.
 */
export async function archivePieces(project: Project): Promise<Iterable<string>> {
  const { state, settings, activeForAll } = project;
  // All parts are read before the first `await`, so that no request changes the project in between.
  const { archive, ...core } = savedCore(project);
  const { scenarios, ...rules } = savedRules(project);
  const forAll = activeForAll ? savedForAll(activeForAll) : [];
  const coverage = savedCoverage(project);
  const snapshots = [...project.snapshots.values()];
  const changes = project.history.list().reverse();
  const exchanges = project.exchanges().reverse();
  const positions = await positionsOf(exchanges);
  return objectPieces({
    format: valuePieces(ARCHIVE_FORMAT),
    ...(archive?.source && { source: valuePieces(archive.source) }),
    core: valuePieces(core),
    settings: valuePieces(settings),
    rules: objectPieces({
      // Scenarios of all projects have lower precedence, so they come first.
      scenarios: arrayPieces([...forAll, ...scenarios]),
      rules: arrayPieces(rules.rules),
      added: valuePieces(rules.added),
      periods: valuePieces(rules.periods),
    }),
    coverage: valuePieces(coverage),
    state: numberedStatePieces(state),
    snapshots: arrayPieces(snapshots, ({ name, takenAt, state }) =>
      objectPieces({ name: valuePieces(name), takenAt: valuePieces(takenAt), state: numberedStatePieces(state) }),
    ),
    history: arrayPieces(changes, (set) => valuePieces(savedChanges(withoutSecretValues(set)))),
    journal: arrayPieces(exchanges, (exchange) => {
      const request = savedExchange(withoutSecrets(exchange));
      return valuePieces({ ...request, arrival: positions.get(exchange), ...shownViolations(request) });
    }),
  });
}

/** Returns the violations of a request and of its forwarding with the members that the journal shows. */
function shownViolations({ violations, upstream }: SavedExchange): Partial<SavedExchange> {
  const shown = (all: readonly ErrorDetail[]) => all.map(({ code, message, field }) => ({ code, message, field }));
  return {
    violations: shown(violations),
    ...(upstream && { upstream: { ...upstream, violations: shown(upstream.violations) } }),
  };
}

/** Returns the position of each exchange in the order of arrival, from 1. */
async function positionsOf(exchanges: readonly Exchange[]): Promise<ReadonlyMap<Exchange, number>> {
  const byArrival = await sorted(exchanges, (a, b) => a.arrival - b.arrival);
  return new Map(byArrival.map((exchange, index) => [exchange, index + 1]));
}

/**
 * Returns the archive in a JSON text, which may have as many JSON values as `values` says. Reads and validates in time
 * slices.
 *
 * @throws ServiceError InvalidJsonInput, InvalidInput for a text that is too large, and InvalidField for each invalid
 * value, by JSON pointer.
 */
export async function readArchive(bytes: Uint8Array, values = MAX_LISTS_VALUES): Promise<ArchiveDocument> {
  const reading = await readJsonBody(bytes, { itemBytes: archiveLists, values });
  if ("refusal" in reading) throw refusedBody(reading.refusal, "The archive");
  const problems = await problemsWithLists(schemaFor(reading.value), reading.value, Object.keys(archiveLists));
  if (problems.length > 0) {
    throw new ServiceError(problems.map(({ pointer, message }) => invalidField(pointer, message)));
  }
  return reading.value as ArchiveDocument;
}

/** Returns the schema of archives. Throws InvalidField for an archive in another format. */
export function schemaFor(value: unknown): Schema {
  if (isObject(value) && typeof value.format === "string" && value.format !== ARCHIVE_FORMAT) {
    const message = `expected "${ARCHIVE_FORMAT}", found ${shown(value.format)}. Use the version of resource-mock that wrote the archive.`;
    throw new ServiceError(invalidField("/format", message));
  }
  return ArchiveDocument;
}

/**
 * Replaces the project with this key by an archived one, whole or not at all. `archive` must be valid by the schema
 * `ArchiveDocument`. Requests in progress fail, and tokens of the project become invalid, as with a reset. Snapshots are
 * replaced too.
 *
 * @param restored when and from which file, for the summary of the project
 * @throws ServiceError InvalidField for each invalid value, by JSON pointer; LimitReached and InsufficientStorage.
 */
export async function restoreArchive(
  engine: Engine,
  key: string,
  archive: ArchiveDocument,
  restored?: Pick<RestoredArchive, "file" | "restoredAt">,
): Promise<void> {
  const draft = engine.projects.draft(key);
  try {
    draft.settings = Object.freeze({ ...engine.settings, ...archive.settings });
    checkMode(engine, archive);
    await restoreSnapshots(draft, archive.snapshots);
    draft.replaceState(await restoredState(draft, archive.state, "/state"), { isShared: false });
    await within("/rules", () => restoreRules(draft, archive.rules, engine));
    checkOperations(engine, archive.coverage.operations, "operation", "/coverage/operations");
    restoreCoverage(draft, archive.coverage);
    await restoreJournal(engine, draft, archive.journal);
    await restoreHistory(draft, archive.history ?? [], archive.core.moment ?? 0);
    const { core, source } = archive;
    const from = source || restored ? { archive: { ...restored, ...(source && { source }) } } : {};
    // From here on, everything happens at once: request ids continue those of the archive.
    restoreCore(draft, { ...core, ...from, forgotten: core.forgotten + draft.droppedRequests });
    engine.replaceProject(draft);
  } catch (error) {
    draft.discard();
    throw error;
  }
}

/** Throws InvalidField if the server cannot record, as the archived project does. Without an upstream, the mode has no effect. */
function checkMode({ upstream }: Engine, { settings }: ArchiveDocument): void {
  if (settings.upstreamMode !== "record" || !upstream || upstream.canRecord) return;
  const message = 'expected off or spy, found "record". Start the server with --record-to for this mode.';
  throw new ServiceError(invalidField("/settings/upstreamMode", message));
}

async function restoreSnapshots(draft: Project, snapshots: ArchiveDocument["snapshots"]): Promise<void> {
  const repeated = await duplicates(snapshots, "name", "/snapshots");
  if (repeated.length > 0) {
    throw new ServiceError(repeated.map(({ pointer, message }) => invalidField(pointer, message)));
  }
  for (const [index, { name, takenAt, state }] of snapshots.entries()) {
    const pointer = join(join("/snapshots", index), "state");
    draft.addSnapshot({ name, takenAt, state: await restoredState(draft, state, pointer) });
  }
}

function restoredState(draft: Project, state: ArchivedState, pointer: string) {
  const idOf = (number: number) => draft.idOf(number);
  // The content of a resource can violate the contract, as the setting `validation` allows it.
  return within(pointer, () => numberedStateOf(state as NumberedState, { idOf, now: draft.clock.timestamp() }));
}

async function restoreJournal(engine: Engine, draft: Project, requests: readonly ArchivedRequest[]): Promise<void> {
  const slice = new TimeSlice();
  const { sequence } = engine;
  checkOperations(engine, requests, "operationId", "/journal");
  for (const [index, { requestBody, responseBody }] of requests.entries()) {
    const pointer = join("/journal", index);
    await checkBody(requestBody, join(pointer, "requestBody"));
    await checkBody(responseBody, join(pointer, "responseBody"));
    if (slice.isOver) await slice.next();
  }
  const arrivals = new Map<ArchivedRequest, number>();
  for (const request of await sorted(requests, (a, b) => a.arrival - b.arrival))
    arrivals.set(request, sequence.next(0));
  for (const request of requests) {
    const { arrival, ...saved } = request;
    const positions = { serial: sequence.next(0), arrival: arrivals.get(request) ?? arrival };
    draft.addRecorded(exchangeOf(saved as SavedExchange, positions));
    if (slice.isOver) await slice.next();
  }
}

async function restoreHistory(draft: Project, sets: readonly unknown[], moment: number): Promise<void> {
  const slice = new TimeSlice();
  for (const [index, saved] of (sets as readonly SavedChanges[]).entries()) {
    const pointer = join("/history", index);
    const { last } = draft.history;
    if (saved.number <= last || saved.number > moment) {
      const message = `expected a number above ${last} and up to the moment of the project, ${moment}, found ${saved.number}`;
      throw new ServiceError(invalidField(join(pointer, "number"), message));
    }
    draft.history.put(changesOf(saved));
    if (slice.isOver) await slice.next();
  }
}

async function checkBody(body: ArchivedRequest["responseBody"] | undefined, pointer: string): Promise<void> {
  if (body === undefined || body === null || typeof body === "string" || (await fromBase64(body.base64))) return;
  throw new ServiceError(invalidField(join(pointer, "base64"), "expected base64 with padding"));
}

/** Throws InvalidField for the first item whose operation the contract does not have. */
function checkOperations<Name extends string>(
  { contract }: Engine,
  items: readonly { readonly [name in Name]?: string }[],
  name: Name,
  pointer: string,
): void {
  const known = new Set<string>(contract.ids);
  const index = items.findIndex((item) => item[name] !== undefined && !known.has(item[name]));
  if (index < 0) return;
  const message = `expected the id of an operation, found ${shown(items[index]?.[name])}`;
  throw new ServiceError(invalidField(join(join(pointer, index), name), message));
}

/** Runs a step whose errors have pointers into the value at `pointer`. Its errors have pointers into the archive. */
async function within<Result>(pointer: string, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const details = error.details.map((detail) =>
      detail.field?.startsWith("/") ? { ...detail, field: pointer + detail.field } : detail,
    );
    throw new ServiceError(details, error.headers);
  }
}
