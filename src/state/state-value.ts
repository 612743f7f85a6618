import { isDeepStrictEqual } from "node:util";
import sortedBtree from "sorted-btree";
import diff from "sorted-btree/extended/diffAgainst.js";
import { splitAt } from "../contract/index.ts";
import { alternatesOf, type Item, identity, type Placed } from "./item.ts";

/*
 * The state of a project is a value that never changes. A change creates a new value with a `StateDraft`. Both values
 * share all nodes of their trees but the changed ones. So a snapshot, a fork and a restored state copy nothing.
 */

/** A sorted B+ tree. Cloning takes constant time: a clone shares all nodes until one of the two trees changes. */
export interface Tree<Key extends number | string, Value> {
  readonly size: number;
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): unknown;
  delete(key: Key): boolean;
  keys(): IterableIterator<Key>;
  values(): IterableIterator<Value>;
  entries(): IterableIterator<[Key, Value]>;
  minKey(): Key | undefined;
  maxKey(): Key | undefined;
  clone(): Tree<Key, Value>;
}

/** The name of a type, and the values of the path parameters before its items, percent-encoded: `Pet`, `Post/ann`. */
export type CollectionName = string;

/** Returns the name of the type in the name of a collection. */
export function typeIn(name: CollectionName): string {
  const [encoded] = splitAt(name);
  // Most names have no such character, and the summary of each change needs the type.
  return encoded.includes("%") ? decodeURIComponent(encoded) : encoded;
}

/** The items of one type in one scope. */
export interface Collection {
  /** By number of creation, the order of lists. */
  readonly items: Tree<number, Item>;
  /** The numbers of the items, by id. */
  readonly ids: Tree<string, number>;
  /** The ids of the items, by the other identities: `key=summer`. */
  readonly alternates: Tree<string, string>;
  /** The identities of deleted items, and those that an item has lost. No item is created from the fixture for them. */
  readonly gone: Tree<string, true>;
  readonly facts: CollectionFacts;
  /** The size of the items beside the initial ones, which all projects share (see `sizeOfItem`). */
  readonly size: number;
}

/** The small values of a collection. */
export interface CollectionFacts {
  /** The number of the last created item. */
  readonly created: number;
  /** The id of the item that clients last created or overwrote. */
  readonly lastWritten?: string;
}

/** What the collections of a state contain until something changes them. It depends on no project and on no time. */
export interface InitialItems {
  readonly start: "sample" | "empty";
  /** The names of the collections that are not empty. */
  readonly names: readonly CollectionName[];
  of(name: CollectionName): Collection;
}

/** Everything that the clients of a project have created and changed. */
export interface State {
  /** The collections that something has changed. */
  readonly collections: Tree<CollectionName, Collection>;
  readonly initial: InitialItems;
  /** The number of the last generated id. It is part of the state, so that a restored state generates the same ids. */
  readonly numbered: number;
  /** The size of the changed collections. */
  readonly size: number;
}

/** The small values of a state that belong to no collection. */
export interface StateFacts {
  readonly start: InitialItems["start"];
  readonly numbered: number;
}

/** The values of each table of a state, by the name of the table in a `StateChange`. */
export interface TableValues {
  readonly item: Placed;
  readonly gone: true;
  readonly facts: CollectionFacts;
  readonly numbered: number;
}

/**
 * A change of one value of a state. `before` is absent for a new value, `after` for a removed one. `id` is the id of an item,
 * an identity that is gone, or empty; `in` is empty for `numbered`. `Other` can be in place of a value.
 */
export type StateChange<Other = never> = {
  [Table in keyof TableValues]: {
    readonly table: Table;
    readonly in: CollectionName;
    readonly id: string;
    readonly before?: TableValues[Table] | Other;
    readonly after?: TableValues[Table] | Other;
  };
}[keyof TableValues];

/** Returns a change. A value that is undefined becomes an absent member. */
export function changeOf(
  table: keyof TableValues,
  collection: CollectionName,
  id: string,
  before: unknown,
  after: unknown,
): StateChange {
  return {
    table,
    in: collection,
    id,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  } as StateChange;
}

export const emptyCollection: Collection = {
  items: emptyTree(),
  ids: emptyTree(),
  alternates: emptyTree(),
  gone: emptyTree(),
  facts: { created: 0 },
  size: 0,
};

export const emptyState: State = {
  collections: emptyTree(),
  initial: { start: "empty", names: [], of: () => emptyCollection },
  numbered: 0,
  size: 0,
};

/** Returns the state of a project that nothing has changed. */
export function initialState(initial: InitialItems): State {
  return { ...emptyState, initial };
}

/** Returns a collection with these initial items, in the order of creation. */
export function collectionOf(items: Iterable<Item>): Collection {
  const [placed, ids, alternates] = [
    emptyTree<number, Item>(),
    emptyTree<string, number>(),
    emptyTree<string, string>(),
  ];
  let created = 0;
  for (const item of items) {
    placed.set(++created, item);
    ids.set(item.id, created);
    for (const name of alternatesOf(item)) alternates.set(name, item.id);
  }
  return { items: placed, ids, alternates, gone: emptyTree(), facts: { created }, size: 0 };
}

export function collectionIn({ collections, initial }: State, name: CollectionName): Collection {
  return collections.get(name) ?? initial.of(name);
}

export function itemById({ ids, items }: Collection, id: string): Item | undefined {
  const number = ids.get(id);
  return number === undefined ? undefined : items.get(number);
}

/** Returns the item with this value in the member, which is the id or one that identifies items too. */
export function itemBy(collection: Collection, member: string, value: string): Item | undefined {
  if (member === "id") return itemById(collection, value);
  const id = collection.alternates.get(identity(member, value));
  return id === undefined ? undefined : itemById(collection, id);
}

export function placedIn({ ids, items }: Collection, id: string): Placed | undefined {
  const number = ids.get(id);
  const item = number === undefined ? undefined : items.get(number);
  return number === undefined || item === undefined ? undefined : [number, item];
}

/** Returns the small values of a state that belong to no collection. */
export function factsOf({ numbered, initial: { start } }: State): StateFacts {
  return { start, numbered };
}

export function valueIn<Table extends keyof TableValues>(
  state: State,
  table: Table,
  collection: CollectionName,
  id: string,
): TableValues[Table] | undefined {
  return readers[table](state, collection, id);
}

const readers: {
  readonly [Table in keyof TableValues]: (
    state: State,
    collection: CollectionName,
    id: string,
  ) => TableValues[Table] | undefined;
} = {
  item: (state, name, id) => placedIn(collectionIn(state, name), id),
  gone: (state, name, id) => collectionIn(state, name).gone.get(id),
  facts: (state, name) => collectionIn(state, name).facts,
  numbered: ({ numbered }) => numbered,
};

/**
 * Returns the changes that lead from one state to another, or undefined if there are more than `most`. Nodes that both
 * states share are skipped.
 */
export function differences(before: State, after: State, most: number): StateChange[] | undefined {
  const changes: StateChange[] = [];
  const add = (table: keyof TableValues, name: CollectionName, id: string) => {
    const [old, next] = [valueIn(before, table, name, id), valueIn(after, table, name, id)];
    // Values from the store or a file are equal copies of those in memory.
    if (!isDeepStrictEqual(old, next)) changes.push(changeOf(table, name, id, old, next));
    return changes.length > most;
  };
  add("numbered", "", "");
  for (const name of changedCollections(before, after)) {
    const [old, next] = [collectionIn(before, name), collectionIn(after, name)];
    const ids = new Set<string>();
    const isWhole =
      visitDifferences(old.items, next.items, (_number, { id }) => ids.add(id).size > most) &&
      ids.values().every((id) => !add("item", name, id)) &&
      visitDifferences(old.gone, next.gone, (id) => add("gone", name, id));
    if (!isWhole || add("facts", name, "")) return undefined;
  }
  return changes;
}

/** Returns the names of the collections that can differ between two states. */
export function changedCollections(before: State, after: State): Set<CollectionName> {
  // A fork has the initial items of the other project.
  const names = new Set(before.initial === after.initial ? [] : [...before.initial.names, ...after.initial.names]);
  visitDifferences(before.collections, after.collections, (name) => {
    names.add(name);
    return false;
  });
  return names;
}

/** Returns an empty tree. It sorts numbers in ascending order, and strings by code unit. */
export function emptyTree<Key extends number | string, Value>(): Tree<Key, Value> {
  // The package is CommonJS, so the default import in Node is `module.exports`.
  return new sortedBtree.default<Key, Value>(undefined, compare);
}

/** One function for all trees: the package compares no trees with different ones. */
function compare<Key extends number | string>(a: Key, b: Key): number {
  return a < b ? -1 : a === b ? 0 : 1;
}

/**
 * Calls `visit` with each key whose value differs, and the value of one of the trees. Skips the nodes that both trees
 * share. Stops when `visit` returns true, and then returns false.
 */
export function visitDifferences<Key extends number | string, Value>(
  before: Tree<Key, Value>,
  after: Tree<Key, Value>,
  visit: (key: Key, value: Value) => boolean,
): boolean {
  type Btree = sortedBtree.default<Key, Value>;
  const visited = (key: Key, value: Value) => (visit(key, value) ? { break: true as const } : undefined);
  const stopped = diff.default(
    before as Btree,
    after as Btree,
    visited,
    visited,
    (key, old, next) => visited(key, old) ?? visited(key, next),
  );
  return stopped === undefined;
}
