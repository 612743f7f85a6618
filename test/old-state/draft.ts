import { type ResourceRecord, sizeOfRecord } from "./resource-record.ts";
import {
  changeOf,
  factsOf,
  imageById,
  type NamespaceAction,
  type Placed,
  resourceById,
  type State,
  type StateChange,
  type StateFacts,
  type StoredImage,
  type TableValues,
  valueIn,
} from "./state-value.ts";

type PlacedRecord = Placed<ResourceRecord> | undefined;
type PlacedImage = Placed<StoredImage> | undefined;
type TreeName = "resources" | "ids" | "keys" | "deletedIds" | "deletedKeys" | "images" | "imageIds";

/**
 * The next value of a state, for one step. The step reads the state with its own writes, and each write is noted once.
 * The state that the draft starts from stays as it is, so a step is undone by forgetting its draft.
 */
export class StateDraft {
  #state: { -readonly [Name in keyof State]: State[Name] };
  readonly #own = new Set<TreeName>();
  /** The index of the change of the facts. */
  #facts: number | undefined;
  /** The changes since the start, oldest first. */
  readonly changes: StateChange[] = [];

  constructor(start: State) {
    this.#state = { ...start };
  }

  /** The state with all changes so far. Reading it is allowed until the next write. */
  get state(): State {
    return this.#state;
  }

  /** Creates a resource, or replaces the one with its id, which keeps its place in the order of creation. */
  put(record: ResourceRecord): void {
    const { id, key } = record;
    const before = valueIn(this.#state, "resource", id);
    const oldKey = before?.[1].key;
    if (!before) this.setFacts({ created: this.#state.created + 1 });
    this.set("resource", id, [before?.[0] ?? this.#state.created, record]);
    if (!before) this.set("deletedId", id, undefined);
    if (key === oldKey) return;
    // No resource is created from the fixture for a key that a resource has lost.
    if (oldKey !== undefined) this.set("deletedKey", oldKey, true);
    if (key !== undefined) this.set("deletedKey", key, undefined);
  }

  /** Deletes a resource. */
  remove(id: string): void {
    const key = resourceById(this.#state, id)?.key;
    this.set("resource", id, undefined);
    this.set("deletedId", id, true);
    if (key !== undefined) this.set("deletedKey", key, true);
  }

  addImage(image: StoredImage): void {
    const number = (this.#state.images.maxKey() ?? 0) + 1;
    this.set("image", image.id, [number, { ...image, bytes: ownBytes(image.bytes) }]);
  }

  /** Deletes an image. Returns whether it existed. */
  removeImage(id: string): boolean {
    const existed = imageById(this.#state, id) !== undefined;
    this.set("image", id, undefined);
    return existed;
  }

  /** Changes the given facts. `undefined` removes a fact. */
  setFacts(change: Partial<StateFacts>): void {
    const names = Object.keys(change) as (keyof StateFacts)[];
    if (names.some((name) => change[name] !== this.#state[name])) {
      this.set("facts", "", { ...factsOf(this.#state), ...change });
    }
  }

  /** Sets the body of the namespace action; `undefined` deletes it. */
  setAction(action: NamespaceAction | undefined): void {
    this.set("action", "", action);
  }

  /** Returns 1, 2, 3, … for new ids. */
  nextNumber(): number {
    const numbered = this.#state.numbered + 1;
    this.setFacts({ numbered });
    return numbered;
  }

  /** Sets one value of a table; `undefined` removes it. */
  set<Table extends keyof TableValues>(table: Table, id: string, after: TableValues[Table] | undefined): void {
    const before = valueIn(this.#state, table, id);
    if (before === after) return;
    this.#write(table, id, before, after);
    // A step can change the facts with each resource. They count as one change.
    if (table === "facts" && this.#facts !== undefined) {
      this.changes[this.#facts] = { ...this.changes[this.#facts], after } as StateChange;
      return;
    }
    if (table === "facts") this.#facts = this.changes.length;
    this.changes.push(changeOf(table, id, before, after));
  }

  #write(
    table: keyof TableValues,
    id: string,
    before: TableValues[keyof TableValues] | undefined,
    after: TableValues[keyof TableValues] | undefined,
  ): void {
    if (table === "resource") this.#writeResource(id, before as PlacedRecord, after as PlacedRecord);
    else if (table === "image") this.#writeImage(id, before as PlacedImage, after as PlacedImage);
    else if (table === "action") this.#writeAction(after as NamespaceAction | undefined);
    else if (table === "facts") Object.assign(this.#state, { lastWritten: undefined, ...(after as StateFacts) });
    else if (after) this.#tree(table === "deletedId" ? "deletedIds" : "deletedKeys").set(id, true);
    else this.#tree(table === "deletedId" ? "deletedIds" : "deletedKeys").delete(id);
  }

  #writeResource(id: string, before: PlacedRecord, after: PlacedRecord): void {
    const resources = this.#tree("resources");
    if (before) {
      const [number, { key }] = before;
      this.#state.size -= sizeOfRecord(before[1]);
      if (number !== after?.[0] && resources.get(number)?.id === id) resources.delete(number);
      // Another resource may have taken the key, as the changes of another process come in any order.
      if (key !== undefined && key !== after?.[1].key && this.#state.keys.get(key) === id)
        this.#tree("keys").delete(key);
    }
    if (!after) {
      if (before) this.#tree("ids").delete(id);
      return;
    }
    const [number, record] = after;
    this.#state.size += sizeOfRecord(record);
    resources.set(number, record);
    if (before?.[0] !== number) this.#tree("ids").set(id, number);
    if (record.key !== undefined && this.#state.keys.get(record.key) !== id) this.#tree("keys").set(record.key, id);
  }

  #writeImage(id: string, before: PlacedImage, after: PlacedImage): void {
    const images = this.#tree("images");
    if (before) {
      this.#state.size -= sizeOfImage(before[1]);
      if (images.get(before[0])?.id === id) images.delete(before[0]);
      this.#tree("imageIds").delete(id);
    }
    if (!after) return;
    const [number, image] = after;
    this.#state.size += sizeOfImage(image);
    images.set(number, image);
    this.#tree("imageIds").set(id, number);
  }

  #writeAction(action: NamespaceAction | undefined): void {
    this.#state.size += sizeOfAction(action) - sizeOfAction(this.#state.namespaceAction);
    this.#state.namespaceAction = action;
  }

  /** Returns a tree that belongs to this draft: a clone before its first write. */
  #tree<Name extends TreeName>(name: Name): State[Name] {
    if (!this.#own.has(name)) {
      this.#own.add(name);
      (this.#state as Record<TreeName, unknown>)[name] = this.#state[name].clone();
    }
    return this.#state[name];
  }
}

/** The size of an image without its bytes. */
const IMAGE = 400;

function sizeOfImage({ bytes }: StoredImage): number {
  return IMAGE + bytes.byteLength;
}

function sizeOfAction(action: NamespaceAction | undefined): number {
  return action ? JSON.stringify(action.body).length : 0;
}

/** Returns bytes that do not keep a larger buffer in memory, such as the read buffer of the socket. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength < bytes.buffer.byteLength ? new Uint8Array(bytes) : bytes;
}
