import {
  type Contract,
  MAX_CHANGES,
  MAX_CHANGES_SIZE,
  MAX_KEPT_BODY,
  mentionsSecret,
  redactJson,
  redactText,
  ServiceError,
  TimeSlice,
} from "../contract/index.ts";
import {
  type CollectionName,
  type Item,
  itemText,
  type Placed,
  type State,
  type StateChange,
  StateDraft,
  shownItem,
  sizeOfItem,
  textLength,
  typeIn,
} from "../state/index.ts";
import { shownAuthor } from "./decisions.ts";
import { Log, type Sized } from "./journal.ts";
import type { ChangeSummary, Exchange } from "./kept-exchange.ts";

/**
 * Who changes the state: a request to the service, or a call of the control API. The state of a project is at moment `n`
 * after its first `n` sets of changes.
 */
export interface Author {
  readonly by: "request" | "control";
  readonly method?: string;
  readonly path?: string;
  /** The client that the token of the request was issued to. */
  client?: string;
  /** The id of the request, as soon as it has one. */
  request?: string;
  /** The moment before its first change, and the moment after its last one. */
  before?: number;
  after?: number;
}

/** In place of a long value: its start. A state before or after such a value cannot be restored. */
export interface CutValue {
  /** The size of the whole value, in characters of JSON or bytes of a file. */
  readonly cut: number;
  readonly start: string;
  readonly version?: number;
}

/** A change as the history keeps it. */
export type KeptChange = StateChange<CutValue>;

/** The changes that one step has made. */
export interface ChangeSet {
  /** The moment after these changes, from 1. */
  readonly number: number;
  /** By the server's clock, in milliseconds. */
  readonly at: number;
  readonly author: Author;
  readonly changes: readonly KeptChange[];
  /** Why the state before these changes cannot be restored: `changed more than 5000 values or 4 MiB at once`. */
  readonly problem?: string;
}

/** The fewest sets of changes that a history keeps. Otherwise it keeps as many as the journal keeps requests. */
const MIN_KEPT = 100;

/** The memory that a set of changes and a change use without their values, in bytes. */
const SET_BYTES = 300;
const CHANGE_BYTES = 200;

/** The last changes of a project's state, by number. The last number is the moment of the current state. */
export type History = Log<ChangeSet>;

export const emptyHistory: History = new Log();

/** Returns the number of sets that a history keeps beside a journal of this size. */
export function mostSets(journalSize: number): number {
  return Math.max(MIN_KEPT, journalSize);
}

/** Returns the history with the changes of one step as the last set (see `Log.with`). */
export function withChanges(
  history: History,
  changes: readonly StateChange[] | undefined,
  { author, at }: Pick<ChangeSet, "author" | "at">,
  options: { readonly most: number; readonly isOwn: boolean },
): History {
  const number = history.last + 1;
  author.before ??= number - 1;
  author.after = number;
  const { item, size } = sizedSet({ number, at, author, changes });
  return history.with(item, size, options);
}

/** Returns a set of changes as the history keeps it, with its size. Without `changes`, there are too many. */
export function sizedSet(
  given: Omit<ChangeSet, "changes"> & { readonly changes: readonly KeptChange[] | undefined },
): Sized<ChangeSet> {
  const { author } = given;
  const { kept, size, problem } = keptChanges(given.changes);
  const changes = problem === TOO_LONG ? [] : kept;
  const item = { ...given, changes, ...(problem !== undefined && { problem: given.problem ?? problem }) };
  const ofChanges = changes.length > 0 ? CHANGE_BYTES * changes.length + size : 0;
  return { item, size: SET_BYTES + (author.path?.length ?? 0) + ofChanges };
}

/**
 * Returns the state at a moment, from the current state. Works in time slices, after it has found all sets.
 *
 * @throws ServiceError NotRewindable, naming the first change that is not kept whole
 */
export async function stateAt(history: History, state: State, moment: number): Promise<State> {
  const sets: ChangeSet[] = [];
  for (let number = history.last; number > moment; number--) {
    const set = history.at(number);
    if (!set) throw notRewindable(number, "is no longer kept");
    if (set.problem !== undefined) throw notRewindable(number, `(${shownAuthor(set.author)}) ${set.problem}`);
    sets.push(set);
  }
  const slice = new TimeSlice();
  const draft = new StateDraft(state);
  for (const { changes } of sets) {
    for (const { table, in: name, id, before } of changes.toReversed()) {
      draft.set(table, name, id, before as undefined);
      if (slice.isOver) await slice.next();
    }
  }
  return draft.state;
}

/** Returns the set that wrote this version of an item, if it is kept. */
export function writerOf(history: History, name: CollectionName, { id, version }: Item): ChangeSet | undefined {
  return history
    .list()
    .find(({ changes }) => changes.some((change) => isOf(change, name, id) && versionOf(change.after) === version));
}

/** Returns the changes of one author between two moments, as users see them. */
export function summariesOf(history: History, author: Author): ChangeSummary[] {
  const { before = 0, after = 0 } = author;
  const sets = Array.from({ length: after - before }, (_, index) => history.at(before + 1 + index));
  return sets.flatMap((set) => (set?.author === author ? set.changes.filter(isItem).map(summaryOf) : []));
}

/** A change with the whole values before and after, as users see them. */
type ChangeDetails = ChangeSummary & { readonly before?: unknown; readonly after?: unknown };

/** Returns the changes of a request with their values. Without values, if the history has dropped them. */
export function detailsOf(contract: Contract, history: History, exchange: Exchange): readonly ChangeDetails[] {
  const { id, changes: summaries = [], momentBefore: before = 0, momentAfter: after = 0 } = exchange;
  const details: ChangeDetails[] = [];
  for (const { number, author, changes } of history.list().reverse()) {
    if (number <= before || number > after || author.request !== id) continue;
    for (const change of changes.filter(isItem)) {
      const [was, is] = [change.before, change.after].map((value) => shownValue(contract, change, value));
      details.push({ ...summaryOf(change), before: was, after: is });
    }
  }
  return details.length === summaries.length ? details : summaries;
}

function shownValue(contract: Contract, { in: name }: ItemChange, value: ItemChange["after"]): unknown {
  if (value === undefined) return null;
  if (isCut(value)) return { cut: value.cut, text: redactText(value.start) };
  const type = contract.typeOf(typeIn(name));
  return redactJson(type ? shownItem(type, value[1]) : value[1].content);
}

function summaryOf({ in: name, id, before, after }: ItemChange): ChangeSummary {
  return { type: typeIn(name), id, from: versionOf(before) ?? null, to: versionOf(after) ?? null };
}

/** Returns the changes without credentials. A value with credentials is cut, so that no earlier state can be restored. */
export function withoutSecretValues(set: ChangeSet): ChangeSet {
  const changes = set.changes.map((change) => withValues(change, withoutSecret));
  if (changes.every((change, index) => change === set.changes[index])) return set;
  return { ...set, changes, problem: set.problem ?? "changed values with credentials, which archives leave out" };
}

function withoutSecret(value: ItemChange["after"]): ItemChange["after"] {
  if (value === undefined) return value;
  if (isCut(value)) {
    const start = redactText(value.start).slice(0, MAX_KEPT_BODY);
    return start === value.start ? value : { ...value, start };
  }
  const [, { bytes: _bytes, ...item }] = value;
  const text = JSON.stringify(item);
  if (!mentionsSecret(text)) return value;
  const start = JSON.stringify(redactJson(item)).slice(0, MAX_KEPT_BODY);
  return { cut: text.length, start, version: item.version };
}

/** Returns a change of an item with other values; the same change if none differs. */
function withValues(change: KeptChange, formed: (value: ItemChange["after"]) => ItemChange["after"]): KeptChange {
  if (!isItem(change)) return change;
  const [before, after] = [formed(change.before), formed(change.after)];
  return before === change.before && after === change.after ? change : ({ ...change, before, after } as KeptChange);
}

type ItemChange = Extract<KeptChange, { table: "item" }>;

function isItem(change: KeptChange): change is ItemChange {
  return change.table === "item";
}

/** Returns whether a change is one of the item with this id. */
export function isOf(change: KeptChange, name: CollectionName, id: string): change is ItemChange {
  return isItem(change) && change.in === name && change.id === id;
}

export function isCut(value: unknown): value is CutValue {
  return typeof value === "object" && value !== null && "cut" in value;
}

/** Returns the version of an item in a change; undefined if the item did not exist. */
export function versionOf(value: ItemChange["after"]): number | undefined {
  return value && (isCut(value) ? value.version : value[1].version);
}

/** Returns the changes as the history keeps them, and why the state before them cannot be restored. */
function keptChanges(changes: readonly KeptChange[] | undefined) {
  if (!changes || changes.length > MAX_CHANGES) return { kept: [], size: 0, problem: TOO_LONG };
  const kept = changes.map((change) => withValues(change, keptItem));
  const sizes = kept.map(({ id, before, after }) => id.length + sizeOfKept(before) + sizeOfKept(after));
  const size = sizes.reduce((sum, each) => sum + each, 0);
  return { kept, size, problem: size > MAX_CHANGES_SIZE ? TOO_LONG : cutProblem(kept) };
}

function keptItem(placed: ItemChange["after"]): ItemChange["after"] {
  if (!placed || isCut(placed)) return placed;
  const [, item] = placed;
  const bytes = item.bytes?.byteLength ?? 0;
  if (bytes > MAX_KEPT_BODY) return { cut: bytes, start: "", version: item.version };
  const length = textLength(item);
  if (length <= MAX_KEPT_BODY) return placed;
  return { cut: length, start: itemText(item).slice(0, MAX_KEPT_BODY), version: item.version };
}

const TOO_LONG = `changed more than ${MAX_CHANGES} values or ${MAX_CHANGES_SIZE / 1024 / 1024} MiB at once`;

function cutProblem(changes: readonly KeptChange[]): string | undefined {
  const cut = changes.find(({ before, after }) => isCut(before) || isCut(after));
  if (!cut) return undefined;
  const name = cut.id === "" ? "" : ` "${cut.id.slice(0, 100)}"`;
  return `changed the ${typeIn(cut.in)}${name}, of which only the first ${MAX_KEPT_BODY} characters are kept`;
}

/** Throws NotRewindable if the changes cannot be kept whole, so that they could not be undone. */
export function requireUndoable(changes: readonly StateChange[] | undefined): void {
  const { problem } = keptChanges(changes);
  if (problem === undefined) return;
  const message = `The rewind would have ${problem}, so it could not be undone. Restore a snapshot instead`;
  throw new ServiceError({ code: "NotRewindable", message });
}

function sizeOfKept(value: KeptChange["after"]): number {
  if (isCut(value)) return value.start.length;
  return Array.isArray(value) ? sizeOfItem((value as Placed)[1]) : 0;
}

function notRewindable(number: number, reason: string): ServiceError {
  const message = `Change ${number} ${reason}, so no earlier state can be restored`;
  return new ServiceError({ code: "NotRewindable", message });
}
