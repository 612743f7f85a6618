import type { StoredImage } from "./image.ts";
import { addImageAs, addTombstone, type MemoryState, removeImage, setBody } from "./memory-state.ts";
import type { ResourceRecord } from "./record.ts";
import { bytesOfImage, bytesOfRecord, bytesOfTombstone, bytesOfValue } from "./size.ts";

/*
 * The parts of a state as values, and back, so that processes can exchange single changes. The names of the parts
 * are those of `ChangeLog`.
 */

/** The values of a state that are neither resources nor images. */
export interface StateNumbers {
  readonly created: number;
  readonly numbered: number;
  readonly lastWritten?: string;
}

/** A resource or image with its position in the order of creation. */
type Positioned<Value> = readonly [number: number, value: Value];

/** Returns the names of all parts of a state. */
export function* partsOf(state: MemoryState): Iterable<string> {
  for (const id of state.byId.keys()) yield `resource/${id}`;
  for (const id of state.imagesById.keys()) yield `image/${id}`;
  for (const id of state.deletedIds.keys()) yield `deletedId/${id}`;
  for (const key of state.deletedKeys.keys()) yield `deletedKey/${key}`;
  if (state.facts.namespaceAction) yield "action";
}

/** Returns the value of a part: JSON, except for the bytes of an image. Undefined if the state has no such part. */
export function savedPart(state: MemoryState, part: string): unknown {
  const [kind, name] = kindOf(part);
  switch (kind) {
    case "resource": {
      const stored = state.byId.get(name);
      return stored && [stored.number, stored.record];
    }
    case "image": {
      const held = state.imagesById.get(name);
      return held && [held.number, held.image];
    }
    case "deletedId":
      return state.deletedIds.has(name) ? 1 : undefined;
    case "deletedKey":
      return state.deletedKeys.has(name) ? 1 : undefined;
    default:
      return state.facts.namespaceAction;
  }
}

/** Sets a part to a value of `savedPart`. The order of the parts does not matter. */
export function restorePart(state: MemoryState, part: string, saved: unknown): void {
  const [kind, name] = kindOf(part);
  if (kind === "resource") restoreResource(state, name, saved as Positioned<ResourceRecord> | undefined);
  else if (kind === "image") restoreImage(state, name, saved as Positioned<StoredImage> | undefined);
  else if (kind === "deletedId") restoreTombstone(state, state.deletedIds, name, saved !== undefined);
  else if (kind === "deletedKey") restoreTombstone(state, state.deletedKeys, name, saved !== undefined);
  else restoreAction(state, saved as MemoryState["facts"]["namespaceAction"]);
}

function restoreImage(state: MemoryState, id: string, saved: Positioned<StoredImage> | undefined): void {
  const { images, imagesById } = state;
  const held = imagesById.get(id);
  if (held) {
    // Another image may have taken the number.
    const other = images.get(held.number);
    removeImage(state, held);
    if (other && other.id !== id) images.set(held.number, other);
  }
  if (!saved) return;
  const [number, image] = saved;
  addImageAs(state, number, image, bytesOfImage(image));
}

function restoreTombstone(
  state: MemoryState,
  tombstones: MemoryState["deletedIds"],
  name: string,
  isDeleted: boolean,
): void {
  const tombstone = tombstones.get(name);
  if (isDeleted && !tombstone) addTombstone(state, tombstones, name, bytesOfTombstone(name));
  if (isDeleted || !tombstone) return;
  tombstones.delete(name);
  state.layer.remove(tombstone);
}

function restoreAction(state: MemoryState, namespaceAction: MemoryState["facts"]["namespaceAction"]): void {
  const { namespaceAction: _before, ...facts } = state.facts;
  state.facts = namespaceAction ? { ...facts, namespaceAction } : facts;
  setBody(state, namespaceAction && bytesOfValue(namespaceAction.body));
}

/** Returns the kind and the name in the name of a part. */
function kindOf(part: string): [kind: string, name: string] {
  const slash = part.indexOf("/");
  return slash === -1 ? [part, ""] : [part.slice(0, slash), part.slice(slash + 1)];
}

function restoreResource(state: MemoryState, id: string, saved: Positioned<ResourceRecord> | undefined): void {
  const { records, byId, byKey, layer } = state;
  const replaced = byId.get(id);
  if (replaced) {
    const { key } = replaced.record;
    // Another resource may have taken the number or the key.
    if (records.get(replaced.number)?.id === id) records.delete(replaced.number);
    byId.delete(id);
    if (key !== undefined && byKey.get(key)?.record.id === id) byKey.delete(key);
    layer.remove(replaced);
  }
  if (!saved) return;
  const [number, record] = saved;
  const stored = { number, record, bytes: bytesOfRecord(record), place: layer.place };
  layer.add(stored.bytes);
  records.set(number, record);
  byId.set(id, stored);
  if (record.key !== undefined) byKey.set(record.key, stored);
}
