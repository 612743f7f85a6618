import { TimeSlice } from "../schedule/time-slice.ts";
import type { StateAccount } from "./budget.ts";
import type { StoredImage } from "./image.ts";
import { Layer, type Part } from "./layer.ts";
import {
  addImage,
  addTombstone,
  cloneState,
  emptyState,
  type MemoryState,
  remove,
  removeImage,
  setBody,
  write,
} from "./memory-state.ts";
import { partsOf, restorePart, type StateNumbers, savedPart } from "./parts.ts";
import type { ResourceRecord } from "./record.ts";
import { bytesAfterChange, bytesOfImage, bytesOfRecord, bytesOfTombstone, bytesOfValue } from "./size.ts";
import type { Facts, StateCapture, StateChange, StateContents, Store, WriteResult } from "./store.ts";

/** If more records are added at once, `onChange` reports them as one change. */
const MAX_SEPARATE_CHANGES = 100;

/** The options of a store in memory. */
export interface MemoryStoreOptions {
  /** The initial state; empty by default. */
  readonly initial?: StateCapture;
  /** The account that counts the bytes. Without an account, nothing is counted. */
  readonly account?: StateAccount;
  /** Called with the name of each part that a write has changed (see ChangeLog). */
  readonly note?: (part: string) => void;
  /** Called after each write. */
  readonly onChange?: (change: StateChange) => void;
}

/** A store in memory. */
export class MemoryStore implements Store {
  #state: MemoryState;
  /** Whether a capture also holds the state. Then the next write works on a clone. */
  #isShared: boolean;
  readonly #account: StateAccount | undefined;
  #hasEnded = false;
  readonly #note: ((part: string) => void) | undefined;
  readonly #onChange: ((change: StateChange) => void) | undefined;

  constructor({ initial, account, note, onChange }: MemoryStoreOptions = {}) {
    this.#state = (initial as MemoryState | undefined) ?? emptyState(new Layer(account));
    this.#isShared = initial !== undefined;
    this.#account = account;
    this.#note = note;
    this.#onChange = onChange;
  }

  get(id: string): ResourceRecord | undefined {
    return this.#state.byId.get(id)?.record;
  }

  getByKey(key: string): ResourceRecord | undefined {
    return this.#state.byKey.get(key)?.record;
  }

  wasDeleted(idOrKey: { id: string } | { key: string }): boolean {
    return "id" in idOrKey ? this.#state.deletedIds.has(idOrKey.id) : this.#state.deletedKeys.has(idOrKey.key);
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

  compareAndSet(id: string, expected: number | ResourceRecord, next: ResourceRecord | undefined): WriteResult {
    const stored = this.#state.byId.get(id);
    const current = stored?.record;
    const isExpected = typeof expected === "number" ? (current?.version ?? 0) === expected : current === expected;
    if (!isExpected) return "stale";
    if (next?.key !== undefined && next.key !== current?.key && this.#state.byKey.has(next.key)) return "key-taken";
    if (next) {
      const bytes = stored ? bytesAfterChange(stored.record, stored.bytes, next) : bytesOfRecord(next);
      const droppedKey = current?.key !== undefined && current.key !== next.key ? bytesOfTombstone(current.key) : 0;
      this.requireRoom(bytes + droppedKey - this.#freedBy(stored));
      write(this.#writable(), next, bytes, stored);
    } else if (stored) {
      remove(this.#writable(), stored);
    }
    if (this.#note) for (const part of changedParts(current, next)) this.#note(part);
    if (this.#onChange && next) this.#onChange({ change: current ? "updated" : "created", record: next });
    else if (this.#onChange && current) this.#onChange({ change: "deleted", record: current });
    return "done";
  }

  async addAll(records: readonly ResourceRecord[]): Promise<boolean> {
    if (!(await this.#addInSlices(records))) return false;
    if (this.#note) for (const record of records) for (const part of changedParts(undefined, record)) this.#note(part);
    if (this.#onChange && records.length > MAX_SEPARATE_CHANGES) this.#onChange({ change: "all" });
    else if (this.#onChange) for (const record of records) this.#onChange({ change: "created", record });
    return true;
  }

  /**
   * Adds records in one step. Before, it builds the new state in time slices, so that the server handles other requests in
   * between. Returns false if an id or key exists already or is repeated. Throws InsufficientStorage.
   */
  async #addInSlices(records: readonly ResourceRecord[]): Promise<boolean> {
    const slice = new TimeSlice();
    // A write by another request restarts the build. The turns become longer, so that the build ends.
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
    this.#note?.(Object.hasOwn(change, "namespaceAction") ? "action" : "core");
    if (!Object.hasOwn(change, "namespaceAction")) return;
    setBody(state, bytes);
    this.#onChange?.({ change: "action" });
  }

  nextNumber(): number {
    const number = ++this.#writable().numbered;
    this.#note?.("core");
    return number;
  }

  addImage(image: StoredImage): boolean {
    if (this.#state.imagesById.has(image.id)) return false;
    const bytes = bytesOfImage(image);
    this.requireRoom(bytes);
    addImage(this.#writable(), image, bytes);
    this.#note?.(`image/${image.id}`);
    this.#onChange?.({ change: "uploaded", image });
    return true;
  }

  getImage(id: string): StoredImage | undefined {
    return this.#state.imagesById.get(id)?.image;
  }

  deleteImage(id: string): boolean {
    const stored = this.#state.imagesById.get(id);
    if (!stored) return false;
    removeImage(this.#writable(), stored);
    this.#note?.(`image/${id}`);
    this.#onChange?.({ change: "removed", image: stored.image });
    return true;
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
    this.#note?.("state");
    this.#onChange?.({ change: "all" });
  }

  contents(capture?: StateCapture): StateContents {
    const state = (capture as MemoryState | undefined) ?? this.#captured();
    const { records, deletedIds, deletedKeys, facts, images, numbered } = state;
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
      // After success, the store itself holds the layer; after an error, the layer is not needed.
      layer.release(this.#account);
    }
    this.#note?.("state");
    this.#onChange?.({ change: "all" });
  }

  /** Returns a part of the state (see `savedPart`), for the parts that `note` names. */
  saved(part: string): unknown {
    return savedPart(this.#state, part);
  }

  /** Returns the names of all parts. */
  parts(): Iterable<string> {
    return partsOf(this.#state);
  }

  get numbers(): StateNumbers {
    const { created, numbered, facts } = this.#state;
    return { created, numbered, ...(facts.lastWritten !== undefined && { lastWritten: facts.lastWritten }) };
  }

  /**
   * Takes over parts that another process has changed, and its numbers. With `replaces`, the state has only these parts.
   * Reports no change, and accepts parts beyond the memory budget.
   */
  restoreParts(
    parts: Iterable<readonly [part: string, saved: unknown]>,
    numbers: StateNumbers | undefined,
    { replaces = false } = {},
  ): void {
    if (replaces) {
      const layer = this.#newLayer();
      this.#exchange(emptyState(layer));
      layer.release(this.#account);
    }
    const state = this.#writable();
    for (const [part, saved] of parts) restorePart(state, part, saved);
    if (!numbers) return;
    const { created, numbered, lastWritten } = numbers;
    const { lastWritten: _before, ...facts } = state.facts;
    Object.assign(state, { created, numbered, facts: lastWritten === undefined ? facts : { ...facts, lastWritten } });
  }

  end(): void {
    const { layer } = this.#state;
    this.#hasEnded = true;
    this.#state = { ...cloneState(this.#state), layer: new Layer() };
    this.#isShared = false;
    layer.release(this.#account);
  }

  /** Builds a state from contents, and counts its bytes in `layer`. Throws InsufficientStorage. */
  async #build({ records, deleted, facts, images, numbered }: StateContents, layer: Layer): Promise<MemoryState> {
    const state = emptyState(layer);
    const { deletedIds, deletedKeys } = state;
    await inSlices(deleted.ids, (id) => addTombstone(state, deletedIds, id, this.#roomFor(bytesOfTombstone(id))));
    await inSlices(deleted.keys, (key) => addTombstone(state, deletedKeys, key, this.#roomFor(bytesOfTombstone(key))));
    await inSlices(records, (record) => write(state, record, this.#roomFor(bytesOfRecord(record))));
    await inSlices(images, (image) => addImage(state, image, this.#roomFor(bytesOfImage(image))));
    if (facts.namespaceAction) setBody(state, this.#roomFor(bytesOfValue(facts.namespaceAction.body)));
    state.facts = facts;
    state.numbered = numbered;
    return state;
  }

  /** Returns `bytes`. Throws InsufficientStorage if they do not fit. */
  #roomFor(bytes: number): number {
    this.requireRoom(bytes);
    return bytes;
  }

  /** Replaces the current state. */
  #exchange(state: MemoryState): void {
    const { layer } = this.#state;
    this.#state = this.#hasEnded ? { ...state, layer: new Layer() } : state;
    this.#isShared = true;
    this.#state.layer.hold(this.#account);
    layer.release(this.#account);
  }

  /** Returns a new layer. After the end of the project, late writes do not count. */
  #newLayer(below?: Layer): Layer {
    return new Layer(this.#hasEnded ? undefined : this.#account, below);
  }

  /** Returns the bytes that the next write frees if it replaces this part. */
  #freedBy(part: Part | undefined): number {
    const { layer } = this.#state;
    return part && !layer.isShared ? layer.freedBy(part) : 0;
  }

  /** Returns the current state, which never changes from now on: later writes work on a clone. */
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

/** Returns the names of the parts that change when `next` replaces `current` (see ChangeLog). */
function* changedParts(current: ResourceRecord | undefined, next: ResourceRecord | undefined): Iterable<string> {
  const id = (next ?? current)?.id;
  yield `resource/${id}`;
  if (!current || !next) yield `deletedId/${id}`;
  if (current?.key === next?.key) return;
  if (current?.key !== undefined) yield `deletedKey/${current.key}`;
  if (next?.key !== undefined) yield `deletedKey/${next.key}`;
}

async function inSlices<Item>(items: Iterable<Item>, each: (item: Item) => void): Promise<void> {
  const slice = new TimeSlice();
  for (const item of items) {
    each(item);
    if (slice.isOver) await slice.next();
  }
}
