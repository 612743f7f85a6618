import sortedBtree from "sorted-btree";
import type { StoredImage } from "./image.ts";
import type { ResourceRecord } from "./record.ts";
import type { Facts, StateCapture, Store, WriteResult } from "./store.ts";

// The package is CommonJS: Node's default import is its whole `exports`.
const BTree = sortedBtree.default;
type Tree<Key, Value> = sortedBtree.default<Key, Value>;

/**
 * A state: B+ trees that share their nodes between clones, so that seeding 10,000 projects from one seed, and taking
 * or restoring a snapshot of 100,000 resources, copy nothing.
 */
interface MemoryState {
  /** By number of creation, which is the order of listing. */
  records: Tree<number, ResourceRecord>;
  numberById: Tree<string, number>;
  idByKey: Tree<string, string>;
  /** `id:…` and `key:…` of deleted resources. */
  deleted: Tree<string, true>;
  images: Tree<number, StoredImage>;
  facts: Facts;
  /** The last number given out to a record, and by `nextNumber`. */
  created: number;
  numbered: number;
}

/** A store in this process's memory, beginning with a captured state or empty. */
export function createMemoryStore(beginning?: StateCapture): Store {
  let state: MemoryState = (beginning as MemoryState | undefined) ?? emptyState();
  // A state that a capture also holds is not written to: the first write after it works on a clone.
  let shared = beginning !== undefined;

  function own(): MemoryState {
    if (shared) {
      state = cloneState(state);
      shared = false;
    }
    return state;
  }

  function get(id: string): ResourceRecord | undefined {
    const number = state.numberById.get(id);
    return number === undefined ? undefined : state.records.get(number);
  }

  function compareAndSet(id: string, expected: number, next: ResourceRecord | undefined): WriteResult {
    const current = get(id);
    if ((current?.version ?? 0) !== expected) return "stale";
    if (next?.key !== undefined) {
      const holder = state.idByKey.get(next.key);
      if (holder !== undefined && holder !== id) return "key-taken";
    }
    const writable = own();
    if (current?.key !== undefined && current.key !== next?.key) writable.idByKey.delete(current.key);
    if (next) {
      const number = writable.numberById.get(id) ?? ++writable.created;
      writable.numberById.set(id, number);
      writable.records.set(number, next);
      writable.deleted.delete(`id:${id}`);
      if (next.key !== undefined) {
        writable.idByKey.set(next.key, id);
        writable.deleted.delete(`key:${next.key}`);
      }
    } else if (current) {
      const number = writable.numberById.get(id);
      if (number !== undefined) writable.records.delete(number);
      writable.numberById.delete(id);
      writable.deleted.set(`id:${id}`, true);
      if (current.key !== undefined) writable.deleted.set(`key:${current.key}`, true);
    }
    return "done";
  }

  return {
    get,
    getByKey(key) {
      const id = state.idByKey.get(key);
      return id === undefined ? undefined : get(id);
    },
    wasDeleted: (place) => state.deleted.has("id" in place ? `id:${place.id}` : `key:${place.key}`),
    size: () => state.records.size,
    list() {
      shared = true;
      return state.records.values();
    },
    compareAndSet,
    facts: () => state.facts,
    setFacts(change) {
      const writable = own();
      writable.facts = { ...writable.facts, ...change };
    },
    nextNumber: () => ++own().numbered,
    addImage(image) {
      const writable = own();
      writable.images.set(writable.images.size, image);
    },
    getImage(id) {
      for (const image of state.images.values()) if (image.id === id) return image;
      return undefined;
    },
    listImages() {
      shared = true;
      return state.images.values();
    },
    capture() {
      shared = true;
      return state as StateCapture;
    },
    restore(capture) {
      state = capture as MemoryState;
      shared = true;
    },
  };
}

function emptyState(): MemoryState {
  return {
    records: new BTree<number, ResourceRecord>(undefined, sortedBtree.simpleComparator),
    numberById: new BTree<string, number>(undefined, sortedBtree.simpleComparator),
    idByKey: new BTree<string, string>(undefined, sortedBtree.simpleComparator),
    deleted: new BTree<string, true>(undefined, sortedBtree.simpleComparator),
    images: new BTree<number, StoredImage>(undefined, sortedBtree.simpleComparator),
    facts: {},
    created: 0,
    numbered: 0,
  };
}

function cloneState(state: MemoryState): MemoryState {
  return {
    ...state,
    records: state.records.clone(),
    numberById: state.numberById.clone(),
    idByKey: state.idByKey.clone(),
    deleted: state.deleted.clone(),
    images: state.images.clone(),
  };
}
