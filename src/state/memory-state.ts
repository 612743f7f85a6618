import type { StoredImage } from "./image.ts";
import type { Layer, Part } from "./layer.ts";
import type { ResourceRecord } from "./record.ts";
import { bytesOfTombstone } from "./size.ts";
import type { Facts } from "./store.ts";
import { emptyTree, type Tree } from "./tree.ts";

/**
 * A state of trees that share their nodes between clones. So 10,000 projects can share one seed, and a snapshot of 100,000
 * resources copies nothing.
 */
export interface MemoryState {
  /** Records by number of creation, the order of lists. */
  records: Tree<number, ResourceRecord>;
  byId: Tree<string, Stored>;
  byKey: Tree<string, Stored>;
  deletedIds: Tree<string, Part>;
  deletedKeys: Tree<string, Part>;
  /** Images by number of upload. */
  images: Tree<number, StoredImage>;
  imagesById: Tree<string, HeldImage>;
  facts: Facts;
  /** The size of the body in `facts`. */
  body: Part | undefined;
  /** The number of the last created record. */
  created: number;
  /** The last number that `nextNumber` returned. */
  numbered: number;
  /** Counts the bytes of the state. */
  layer: Layer;
}

/** A record with its number of creation. */
interface Stored extends Part {
  readonly number: number;
  readonly record: ResourceRecord;
}

/** An image with its number of upload. */
interface HeldImage extends Part {
  readonly number: number;
  readonly image: StoredImage;
}

/** Writes a record: it replaces `replaced`, or becomes the newest record. */
export function write(state: MemoryState, record: ResourceRecord, bytes: number, replaced?: Stored): void {
  const { id, key } = record;
  const { layer } = state;
  const stored = { number: replaced?.number ?? ++state.created, record, bytes, place: layer.place };
  const oldKey = replaced?.record.key;
  layer.add(bytes);
  state.records.set(stored.number, record);
  if (replaced) layer.remove(replaced);
  else removeTombstone(state, state.deletedIds, id);
  state.byId.set(id, stored);
  if (oldKey !== undefined && oldKey !== key) dropKey(state, oldKey);
  if (key === undefined) return;
  state.byKey.set(key, stored);
  if (key !== oldKey) removeTombstone(state, state.deletedKeys, key);
}

export function remove(state: MemoryState, stored: Stored): void {
  const { id, key } = stored.record;
  state.records.delete(stored.number);
  state.byId.delete(id);
  state.layer.remove(stored);
  addTombstone(state, state.deletedIds, id);
  if (key !== undefined) dropKey(state, key);
}

/** Removes a key and keeps it as a tombstone, so that no resource with this key is created from the fixture. */
function dropKey(state: MemoryState, key: string): void {
  state.byKey.delete(key);
  addTombstone(state, state.deletedKeys, key);
}

/** Stores the id or key of a deleted resource. */
export function addTombstone(
  state: MemoryState,
  tombstones: Tree<string, Part>,
  name: string,
  bytes = bytesOfTombstone(name),
): void {
  tombstones.set(name, { bytes, place: state.layer.place });
  state.layer.add(bytes);
}

function removeTombstone(state: MemoryState, tombstones: Tree<string, Part>, name: string): void {
  const tombstone = tombstones.get(name);
  if (!tombstone) return;
  tombstones.delete(name);
  state.layer.remove(tombstone);
}

export function addImage(state: MemoryState, received: StoredImage, bytes: number): void {
  const image = { ...received, bytes: ownBytes(received.bytes) };
  addImageAs(state, (state.images.maxKey() ?? 0) + 1, image, bytes);
}

/** Adds an image with this number of upload. */
export function addImageAs(state: MemoryState, number: number, image: StoredImage, bytes: number): void {
  state.images.set(number, image);
  state.imagesById.set(image.id, { number, image, bytes, place: state.layer.place });
  state.layer.add(bytes);
}

export function removeImage(state: MemoryState, held: HeldImage): void {
  state.images.delete(held.number);
  state.imagesById.delete(held.image.id);
  state.layer.remove(held);
}

/** Returns bytes that do not keep a larger buffer in memory, such as the read buffer of the socket. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength < bytes.buffer.byteLength ? new Uint8Array(bytes) : bytes;
}

/** Sets the size of the body in `facts`; `undefined` without a body. */
export function setBody(state: MemoryState, bytes: number | undefined): void {
  if (state.body) state.layer.remove(state.body);
  state.body = bytes === undefined ? undefined : { bytes, place: state.layer.place };
  if (bytes !== undefined) state.layer.add(bytes);
}

export function emptyState(layer: Layer): MemoryState {
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

export function cloneState(state: MemoryState): MemoryState {
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
