import { TimeSlice } from "../schedule/time-slice.ts";
import type { StateAccount } from "./budget.ts";
import type { StoredImage } from "./image.ts";
import { Layer, type Part } from "./layer.ts";
import type { ResourceRecord } from "./record.ts";
import { bytesAfterChange, bytesOfImage, bytesOfRecord, bytesOfTombstone, bytesOfValue } from "./size.ts";
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
  deletedIds: Tree<string, Part>;
  deletedKeys: Tree<string, Part>;
  /** By number of upload. */
  images: Tree<number, StoredImage>;
  imagesById: Tree<string, Part & { readonly image: StoredImage }>;
  facts: Facts;
  /** The size of the body in `facts`. */
  body: Part | undefined;
  /** The last number given out to a record, and by `nextNumber`. */
  created: number;
  numbered: number;
  /** Counts the bytes of all of these. */
  layer: Layer;
}

/** A record, and its number of creation. */
interface Stored extends Part {
  readonly number: number;
  readonly record: ResourceRecord;
}

/** More records than this added at once are told as one change. */
const TOLD_ONE_BY_ONE = 100;

/** How a store begins, and whom it tells what. */
export interface MemoryStoreOptions {
  /** The state that it begins with; empty by default. */
  readonly initial?: StateCapture;
  /** Pays for what is written. Without an account, nothing is counted. */
  readonly account?: StateAccount;
  /** Called after each write. */
  readonly onChange?: (change: StateChange) => void;
}

/** A store in memory. */
export class MemoryStore implements Store {
  #state: MemoryState;
  /** A state that a capture also holds is not written to: the first write after it works on a clone. */
  #isShared: boolean;
  readonly #account: StateAccount | undefined;
  #hasEnded = false;
  readonly #onChange: ((change: StateChange) => void) | undefined;

  constructor({ initial, account, onChange }: MemoryStoreOptions = {}) {
    this.#state = (initial as MemoryState | undefined) ?? emptyState(new Layer(account));
    this.#isShared = initial !== undefined;
    this.#account = account;
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

  requireRoom(bytes: number): void {
    if (!this.#hasEnded) this.#account?.require(bytes);
  }

  compareAndSet(id: string, expected: number, next: ResourceRecord | undefined): WriteResult {
    const stored = this.#state.byId.get(id);
    const current = stored?.record;
    if ((current?.version ?? 0) !== expected) return "stale";
    if (next?.key !== undefined && next.key !== current?.key && this.#state.byKey.has(next.key)) return "key-taken";
    if (next) {
      const bytes = stored ? bytesAfterChange(stored.record, stored.bytes, next) : bytesOfRecord(next);
      const droppedKey = current?.key !== undefined && current.key !== next.key ? bytesOfTombstone(current.key) : 0;
      this.requireRoom(bytes + droppedKey - this.#freedBy(stored));
      write(this.#writable(), next, bytes, stored);
    } else if (stored) {
      remove(this.#writable(), stored);
    }
    if (this.#onChange && next) this.#onChange({ change: current ? "updated" : "created", record: next });
    else if (this.#onChange && current) this.#onChange({ change: "deleted", record: current });
    return "done";
  }

  async addAll(records: readonly ResourceRecord[]): Promise<boolean> {
    if (!(await this.#addInSlices(records))) return false;
    if (this.#onChange && records.length > TOLD_ONE_BY_ONE) this.#onChange({ change: "all" });
    else if (this.#onChange) for (const record of records) this.#onChange({ change: "created", record });
    return true;
  }

  /**
   * Adds these records in one step, after building the state that has them while other requests are answered. Returns
   * false if an id or key is taken. Throws InsufficientStorage.
   */
  async #addInSlices(records: readonly ResourceRecord[]): Promise<boolean> {
    const slice = new TimeSlice();
    // A write by another request starts this again. Fewer, longer turns make sure that it ends.
    for (let turn = 1000; ; turn *= 4) {
      const base = this.#captured();
      const next = { ...cloneState(base), layer: this.#newLayer(base.layer) };
      try {
        for (let index = 0; index < records.length && this.#state === base; index++) {
          const record = records[index] as ResourceRecord;
          if (next.byId.has(record.id) || (record.key !== undefined && next.byKey.has(record.key))) return false;
          write(next, record, this.#roomFor(bytesOfRecord(record)));
          if (index % turn === turn - 1 && slice.isOver) await slice.next();
        }
        if (this.#state === base) {
          this.#state = next;
          this.#isShared = false;
          base.layer.release(this.#account);
          return true;
        }
      } finally {
        if (this.#state !== next) next.layer.release(this.#account);
      }
    }
  }

  facts(): Facts {
    return this.#state.facts;
  }

  setFacts(change: Facts): void {
    const { namespaceAction } = change;
    const bytes = namespaceAction && bytesOfValue(namespaceAction.body);
    if (bytes !== undefined) this.requireRoom(bytes - this.#freedBy(this.#state.body));
    const state = this.#writable();
    state.facts = { ...state.facts, ...change };
    if (bytes !== undefined) setBody(state, bytes);
  }

  nextNumber(): number {
    return ++this.#writable().numbered;
  }

  addImage(image: StoredImage): void {
    const bytes = bytesOfImage(image);
    this.requireRoom(bytes);
    addImage(this.#writable(), image, bytes);
    this.#onChange?.({ change: "uploaded", image });
  }

  getImage(id: string): StoredImage | undefined {
    return this.#state.imagesById.get(id)?.image;
  }

  imageCount(): number {
    return this.#state.images.size;
  }

  listImages(): Iterable<StoredImage> {
    return this.#captured().images.values();
  }

  capture(): StateCapture {
    const state = this.#captured();
    state.layer.hold(this.#account);
    return state as StateCapture;
  }

  release(capture: StateCapture): void {
    (capture as MemoryState).layer.release(this.#account);
  }

  restore(capture: StateCapture): void {
    this.#exchange(capture as MemoryState);
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

  async replace(contents: StateContents): Promise<void> {
    const layer = this.#newLayer();
    try {
      this.#exchange(await this.#build(contents, layer));
    } finally {
      // What has been built belongs to this store now, or to nobody.
      layer.release(this.#account);
    }
    this.#onChange?.({ change: "all" });
  }

  end(): void {
    const { layer } = this.#state;
    this.#hasEnded = true;
    this.#state = { ...cloneState(this.#state), layer: new Layer() };
    this.#isShared = false;
    layer.release(this.#account);
  }

  /** Returns a state of these contents, counted in `layer` as it grows. Throws InsufficientStorage. */
  async #build({ records, deleted, facts, images, numbered }: StateContents, layer: Layer): Promise<MemoryState> {
    const state = emptyState(layer);
    const { deletedIds, deletedKeys } = state;
    await inSlices(deleted.ids, (id) => bury(state, deletedIds, id, this.#roomFor(bytesOfTombstone(id))));
    await inSlices(deleted.keys, (key) => bury(state, deletedKeys, key, this.#roomFor(bytesOfTombstone(key))));
    await inSlices(records, (record) => write(state, record, this.#roomFor(bytesOfRecord(record))));
    await inSlices(images, (image) => addImage(state, image, this.#roomFor(bytesOfImage(image))));
    if (facts.namespaceAction) setBody(state, this.#roomFor(bytesOfValue(facts.namespaceAction.body)));
    state.facts = facts;
    state.numbered = numbered;
    return state;
  }

  /** Returns the number of bytes. Throws InsufficientStorage when they do not fit. */
  #roomFor(bytes: number): number {
    this.requireRoom(bytes);
    return bytes;
  }

  /** Puts another state in the place of this one. */
  #exchange(state: MemoryState): void {
    const { layer } = this.#state;
    this.#state = this.#hasEnded ? { ...state, layer: new Layer() } : state;
    this.#isShared = true;
    this.#state.layer.hold(this.#account);
    layer.release(this.#account);
  }

  /** Nobody pays for what late requests write to the store of a project that has ended. */
  #newLayer(below?: Layer): Layer {
    return new Layer(this.#hasEnded ? undefined : this.#account, below);
  }

  /** The bytes that the next write frees when it replaces a part. */
  #freedBy(part: Part | undefined): number {
    const { layer } = this.#state;
    return part && !layer.isShared ? layer.freedBy(part) : 0;
  }

  /** The state as it is now, for good: later writes work on a clone. */
  #captured(): MemoryState {
    this.#isShared = true;
    return this.#state;
  }

  #writable(): MemoryState {
    if (this.#isShared) {
      const { layer } = this.#state;
      this.#state = cloneState(this.#state);
      this.#isShared = false;
      if (layer.isShared) {
        this.#state.layer = this.#newLayer(layer);
        layer.release(this.#account);
      }
    }
    return this.#state;
  }
}

/** Puts a record in: in the place of `replaced`, or as the newest. */
function write(state: MemoryState, record: ResourceRecord, bytes: number, replaced?: Stored): void {
  const { id, key } = record;
  const { layer } = state;
  const stored = { number: replaced?.number ?? ++state.created, record, bytes, place: layer.place };
  const oldKey = replaced?.record.key;
  layer.add(bytes);
  state.records.set(stored.number, record);
  if (replaced) layer.remove(replaced);
  else unbury(state, state.deletedIds, id);
  state.byId.set(id, stored);
  if (oldKey !== undefined && oldKey !== key) dropKey(state, oldKey);
  if (key === undefined) return;
  state.byKey.set(key, stored);
  if (key !== oldKey) unbury(state, state.deletedKeys, key);
}

function remove(state: MemoryState, stored: Stored): void {
  const { id, key } = stored.record;
  state.records.delete(stored.number);
  state.byId.delete(id);
  state.layer.remove(stored);
  bury(state, state.deletedIds, id);
  if (key !== undefined) dropKey(state, key);
}

/** Nothing is created from the fixture under a key that a resource had. */
function dropKey(state: MemoryState, key: string): void {
  state.byKey.delete(key);
  bury(state, state.deletedKeys, key);
}

/** Keeps the id or key of a deleted resource. */
function bury(state: MemoryState, tombstones: Tree<string, Part>, name: string, bytes = bytesOfTombstone(name)): void {
  tombstones.set(name, { bytes, place: state.layer.place });
  state.layer.add(bytes);
}

function unbury(state: MemoryState, tombstones: Tree<string, Part>, name: string): void {
  const tombstone = tombstones.get(name);
  if (!tombstone) return;
  tombstones.delete(name);
  state.layer.remove(tombstone);
}

function addImage(state: MemoryState, received: StoredImage, bytes: number): void {
  const image = { ...received, bytes: ownBytes(received.bytes) };
  state.images.set(state.images.size, image);
  state.imagesById.set(image.id, { image, bytes, place: state.layer.place });
  state.layer.add(bytes);
}

/** Returns bytes that do not keep a larger buffer in memory, such as what the socket read at once. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength < bytes.buffer.byteLength ? new Uint8Array(bytes) : bytes;
}

function setBody(state: MemoryState, bytes: number): void {
  if (state.body) state.layer.remove(state.body);
  state.body = { bytes, place: state.layer.place };
  state.layer.add(bytes);
}

async function inSlices<Item>(items: Iterable<Item>, each: (item: Item) => void): Promise<void> {
  const slice = new TimeSlice();
  for (const item of items) {
    each(item);
    if (slice.isOver) await slice.next();
  }
}

function emptyState(layer: Layer): MemoryState {
  return {
    records: emptyTree(),
    byId: emptyTree(),
    byKey: emptyTree(),
    deletedIds: emptyTree(),
    deletedKeys: emptyTree(),
    images: emptyTree(),
    imagesById: emptyTree(),
    facts: {},
    body: undefined,
    created: 0,
    numbered: 0,
    layer,
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
    imagesById: state.imagesById.clone(),
  };
}
