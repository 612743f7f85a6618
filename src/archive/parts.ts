import { Buffer, isUtf8 } from "node:buffer";
import type { SavedCoverage } from "../journal/coverage.ts";
import type { Exchange } from "../journal/exchange.ts";
import { type ChangeSet, isCut, type KeptChange } from "../journal/history.ts";
import type { Project, ProjectCore } from "../projects/project.ts";
import type { ActivationContext } from "../scenarios/activate.ts";
import type { SavedRules, SavedUses } from "../scenarios/saved-rules.ts";
import * as definitions from "../scenarios/saved-rules.ts";
import type { StoredImage } from "../state/image.ts";
import type { Placed } from "../state/state.ts";

/*
 * The parts of a project as JSON values, and back. An archive has all of them in one document. The state and the
 * settings have JSON forms of their own.
 */

export type { SavedCoverage, SavedRules };

/** The small values of a project that change with nearly every request. */
export interface SavedCore extends ProjectCore {
  /** The uses of the scenarios and rules, including those of scenarios that are active for all projects. */
  readonly uses: readonly SavedUses[];
}

/** A body: text, or bytes that are not UTF-8. */
export type SavedBody = string | { readonly base64: string };

/** A request with its response, without its positions in the engine. */
export interface SavedExchange extends Omit<Exchange, "serial" | "arrival" | "requestBody" | "responseBody"> {
  readonly requestBody?: SavedBody;
  readonly responseBody: SavedBody | null;
}

/** Returns the small values of a project: origin, clock, positions in sequences, counters and uses. */
export function savedCore(project: Project): SavedCore {
  const { core, activeRules, activeForAll } = project;
  return { ...core, uses: definitions.savedUses(activeRules, activeForAll) };
}

/**
 * Replaces the small values of a project in place, and synchronously. Restore the settings and the rules first: a rate
 * window needs the setting `rateLimit`, and uses need their rules.
 */
export function restoreCore(project: Project, saved: SavedCore): void {
  project.core = saved;
  definitions.restoreUses(project.activeRules, saved.uses, project.activeForAll);
}

/** Returns the definitions of the scenarios and rules of a project, without the numbers of their uses. */
export function savedRules(project: Project): SavedRules {
  return definitions.savedRules(project.activeRules);
}

/**
 * Replaces the scenarios and rules of a project in one step, after all of them have been compiled. Unchanged ones keep
 * their uses, and functions stay.
 *
 * @throws ServiceError InvalidField for each contract violation, by JSON pointer into `saved`, and LimitReached.
 */
export function restoreRules(project: Project, saved: SavedRules, context: ActivationContext): Promise<void> {
  return definitions.restoreRules(project.activeRules, saved, context, project.activeForAll);
}

/** Returns the counts of a project's coverage. */
export function savedCoverage(project: Project): SavedCoverage {
  return project.coverage.saved;
}

/** Replaces the counts of a project's coverage. */
export function restoreCoverage(project: Project, saved: SavedCoverage): void {
  project.coverage.saved = saved;
}

/** Returns a request with its response as JSON. Members can be `undefined`, which `JSON.stringify` leaves out. */
export function savedExchange(exchange: Exchange): SavedExchange {
  const { serial: _serial, arrival: _arrival, requestBody, responseBody, ...facts } = exchange;
  return {
    ...facts,
    ...(requestBody && { requestBody: isUtf8(requestBody) ? textOf(requestBody) : inBase64(requestBody) }),
    // A text stays a text, and bytes stay bytes, as coverage and reports distinguish them.
    responseBody: typeof responseBody === "string" || responseBody === null ? responseBody : inBase64(responseBody),
  };
}

/**
 * Returns the request of `saved`, which must be valid. `positions` are those of the engine that takes it over; add it
 * to the journal with `project.addRecorded`.
 */
export function exchangeOf(saved: SavedExchange, positions: Pick<Exchange, "serial" | "arrival">): Exchange {
  const { requestBody, responseBody, ...facts } = saved;
  return {
    ...facts,
    ...positions,
    requestBody: requestBody === undefined ? undefined : bytesOf(requestBody),
    responseBody: responseBody === null || typeof responseBody === "string" ? responseBody : bytesOf(responseBody),
  };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

function inBase64(bytes: Uint8Array): SavedBody {
  return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64") };
}

/** Returns the bytes of a body, in a buffer of their own: the shared pool of Node would stay in memory. */
function bytesOf(body: SavedBody): Uint8Array {
  return new Uint8Array(typeof body === "string" ? Buffer.from(body) : Buffer.from(body.base64, "base64"));
}

/** A set of changes as JSON. The bytes of images are in base64. */
export type SavedChanges = Omit<ChangeSet, "changes"> & { readonly changes: readonly SavedChange[] };
type SavedChange = Omit<KeptChange, "before" | "after"> & { readonly before?: unknown; readonly after?: unknown };

/** Returns a set of changes as JSON. */
export function savedChanges({ changes, ...facts }: ChangeSet): SavedChanges {
  return {
    ...facts,
    changes: changes.map((change) => (change.table === "image" ? withValues(change, inText) : change)),
  };
}

/** Returns the set of changes of `saved`, which must be valid. */
export function changesOf({ changes, ...facts }: SavedChanges): ChangeSet {
  const restored = changes.map((change) => (change.table === "image" ? withValues(change, inBytes) : change));
  return { ...facts, changes: restored as KeptChange[] };
}

function withValues({ table, id, before, after }: SavedChange, change: (value: unknown) => unknown): SavedChange {
  return {
    table,
    id,
    ...(before !== undefined && { before: change(before) }),
    ...(after !== undefined && { after: change(after) }),
  };
}

function inText(value: unknown): unknown {
  if (isCut(value)) return value;
  const [number, { bytes, ...image }] = value as Placed<StoredImage>;
  return [number, { ...image, base64: Buffer.from(bytes).toString("base64") }];
}

function inBytes(value: unknown): unknown {
  if (isCut(value)) return value;
  const [number, { base64, ...image }] = value as Placed<{ base64: string }>;
  return [number, { ...image, bytes: bytesOf({ base64 }) }];
}
