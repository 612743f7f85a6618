import { TimeSlice } from "../schedule/time-slice.ts";
import type { StoredImage } from "./image.ts";
import type { ResourceRecord } from "./record.ts";
import type { Facts, StateCapture, StateChange, StateContents, Store, WriteResult } from "./store.ts";
import { emptyTree, type Tree } from "./tree.ts";

/**
 * A state: trees that share their nodes between clones, so that seeding 10,000 projects from one seed, and taking
 * or restoring a snapshot of 100,000 resources, copy nothing.
 */
interface MemoryState {
  /** By number of creation, which is the order of listing. */
  records: Tree<number, ResourceRecord>;
  byId: Tree<string, Stored>;
  byKey: Tree<string, Stored>;
  deletedIds: Tree<string, true>;
  deletedKeys: Tree<string, true>;
  /** By number of upload. */
  images: Tree<number, StoredImage>;
  facts: Facts;
  /** The last number given out to a record, and by `nextNumber`. */
  created: number;
  numbered: number;
}

/** A record, and its number of creation. */
interface Stored {
  readonly number: number;
  readonly record: ResourceRecord;
}

/** More records than this added at once are told as one change. */
const TOLD_ONE_BY_ONE = 100;

/** A store in memory. It starts with a captured state or empty, and calls `onChange` after each write. */
export class MemoryStore implements Store {
  #state: MemoryState;
  /** A state that a capture also holds is not written to: the first write after it works on a clone. */
  #isShared: boolean;
  readonly #onChange: ((change: StateChange) => void) | undefined;

  constructor(initial?: StateCapture, onChange?: (change: StateChange) => void) {
    this.#state = (initial as MemoryState | undefined) ?? emptyState();
    this.#isShared = initial !== undefined;
    this.#onChange = onChange;
  }

  get(id: string): ResourceRecord | undefined {
    return this.#state.byId.get(id)?.record;
  }

  getByKey(key: string): ResourceRecord | undefined {
    return this.#state.byKey.get(key)?.record;
  }

  wasDeleted(place: { id: string } | { key: string }): boolean {
    return "id" in place ? this.#state.deletedIds.has(place.id) : this.#state.deletedKeys.has(place.key);
  }

  size(): number {
    return this.#state.records.size;
  }

  list(): Iterable<ResourceRecord> {
    return this.#captured().records.values();
  }

  compareAndSet(id: string, expected: number, next: ResourceRecord | undefined): WriteResult {
    const stored = this.#state.byId.get(id);
    const current = stored?.record;
    if ((current?.version ?? 0) !== expected) return "stale";
    if (next?.key !== undefined && next.key !== current?.key && this.#state.byKey.has(next.key)) return "key-taken";
    const state = this.#writable();
    if (current?.key !== undefined && current.key !== next?.key) state.byKey.delete(current.key);
    if (next) write(state, next, stored);
    else if (stored) remove(state, stored);
    if (this.#onChange && next) this.#onChange({ change: current ? "updated" : "created", record: next });
    else if (this.#onChange && current) this.#onChange({ change: "deleted", record: current });
    return "done";
  }

  async addAll(records: readonly ResourceRecord[]): Promise<boolean> {
    const next = await this.#withAll(records);
    if (!next) return false;
    this.#state = next;
    this.#isShared = false;
    if (this.#onChange && records.length > TOLD_ONE_BY_ONE) this.#onChange({ change: "all" });
    else if (this.#onChange) for (const record of records) this.#onChange({ change: "created", record });
    return true;
  }

  /** The state with these records added, or nothing if an id or key is taken. Other requests are answered in between. */
  async #withAll(records: readonly ResourceRecord[]): Promise<MemoryState | undefined> {
    const slice = new TimeSlice();
    // Whoever writes in between makes this start again; fewer and longer turns let it come to an end.
    for (let turn = 1000; ; turn *= 4) {
      const base = this.#captured();
      const next = cloneState(base);
      for (let index = 0; index < records.length && this.#state === base; index++) {
        const record = records[index] as ResourceRecord;
        if (next.byId.has(record.id) || (record.key !== undefined && next.byKey.has(record.key))) return undefined;
        write(next, record);
        if (index % turn === turn - 1 && slice.isOver) await slice.next();
      }
      if (this.#state === base) return next;
    }
  }

  facts(): Facts {
    return this.#state.facts;
  }

  setFacts(change: Facts): void {
    const state = this.#writable();
    state.facts = { ...state.facts, ...change };
  }

  nextNumber(): number {
    return ++this.#writable().numbered;
  }

  addImage(image: StoredImage): void {
    const { images } = this.#writable();
    images.set(images.size, image);
    this.#onChange?.({ change: "uploaded", image });
  }

  getImage(id: string): StoredImage | undefined {
    for (const image of this.#state.images.values()) if (image.id === id) return image;
    return undefined;
  }

  listImages(): Iterable<StoredImage> {
    return this.#captured().images.values();
  }

  capture(): StateCapture {
    return this.#captured() as StateCapture;
  }

  restore(capture: StateCapture): void {
    this.#state = capture as MemoryState;
    this.#isShared = true;
    this.#onChange?.({ change: "all" });
  }

  contents(): StateContents {
    const { records, deletedIds, deletedKeys, facts, images, numbered } = this.#captured();
    return {
      records: records.values(),
      deleted: { ids: deletedIds.keys(), keys: deletedKeys.keys() },
      facts,
      images: images.values(),
      numbered,
    };
  }

  async replace({ records, deleted, facts, images, numbered }: StateContents): Promise<void> {
    const next = emptyState();
    await inSlices(deleted.ids, (id) => next.deletedIds.set(id, true));
    await inSlices(deleted.keys, (key) => next.deletedKeys.set(key, true));
    await inSlices(records, (record) => write(next, record));
    for (const image of images) next.images.set(next.images.size, image);
    next.facts = facts;
    next.numbered = numbered;
    this.#state = next;
    this.#isShared = false;
    this.#onChange?.({ change: "all" });
  }

  /** The state as it is now, for good: later writes work on a clone. */
  #captured(): MemoryState {
    this.#isShared = true;
    return this.#state;
  }

  #writable(): MemoryState {
    if (this.#isShared) {
      this.#state = cloneState(this.#state);
      this.#isShared = false;
    }
    return this.#state;
  }
}

/** Puts a record in: in the place of `replaced`, or as the newest; a key that it had before is gone already. */
function write(state: MemoryState, record: ResourceRecord, replaced?: Stored): void {
  const { id, key } = record;
  const stored = { number: replaced?.number ?? ++state.created, record };
  state.records.set(stored.number, record);
  state.byId.set(id, stored);
  if (!replaced) state.deletedIds.delete(id);
  if (key === undefined) return;
  state.byKey.set(key, stored);
  if (key !== replaced?.record.key) state.deletedKeys.delete(key);
}

function remove(state: MemoryState, { number, record: { id, key } }: Stored): void {
  state.records.delete(number);
  state.byId.delete(id);
  state.deletedIds.set(id, true);
  if (key !== undefined) state.deletedKeys.set(key, true);
}

async function inSlices<Item>(items: Iterable<Item>, each: (item: Item) => void): Promise<void> {
  const slice = new TimeSlice();
  for (const item of items) {
    each(item);
    if (slice.isOver) await slice.next();
  }
}

function emptyState(): MemoryState {
  return {
    records: emptyTree(),
    byId: emptyTree(),
    byKey: emptyTree(),
    deletedIds: emptyTree(),
    deletedKeys: emptyTree(),
    images: emptyTree(),
    facts: {},
    created: 0,
    numbered: 0,
  };
}

function cloneState(state: MemoryState): MemoryState {
  return {
    ...state,
    records: state.records.clone(),
    byId: state.byId.clone(),
    byKey: state.byKey.clone(),
    deletedIds: state.deletedIds.clone(),
    deletedKeys: state.deletedKeys.clone(),
    images: state.images.clone(),
  };
}
