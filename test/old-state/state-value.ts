import { isDeepStrictEqual } from "node:util";
import sortedBtree from "sorted-btree";
import diff from "sorted-btree/extended/diffAgainst.js";
import type { ResourceRecord } from "./resource-record.ts";

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

/** The resources, images and other facts of a project. */
export interface State extends StateFacts {
  /** Resources by their number of creation, the order of lists. */
  readonly resources: Tree<number, ResourceRecord>;
  /** The numbers of the resources, by id. */
  readonly ids: Tree<string, number>;
  /** The ids of the resources, by key. */
  readonly keys: Tree<string, string>;
  /** Ids of deleted resources. No resource with such an id is created from the fixture. */
  readonly deletedIds: Tree<string, true>;
  /** Keys of deleted resources, and keys that a resource has lost. */
  readonly deletedKeys: Tree<string, true>;
  /** Images by their number of upload. */
  readonly images: Tree<number, StoredImage>;
  /** The numbers of the images, by id. */
  readonly imageIds: Tree<string, number>;
  /** The last JSON body of `writeNamespaceAction`. In an object, as the body can be `null`. */
  readonly namespaceAction?: NamespaceAction;
  /** The length of all resources and of the action's body as JSON, in characters, and of all images in bytes. */
  readonly size: number;
}

/** An image that a client uploaded with `uploadImage`. */
export interface StoredImage {
  readonly id: string;
  readonly filename?: string;
  /** The number of the product variant, as sent. */
  readonly variant?: number;
  readonly sku?: string;
  readonly staged?: boolean;
  readonly contentType: string;
  /** RFC 3339, from the project's clock. */
  readonly uploadedAt: string;
  readonly bytes: Uint8Array;
}

/** The small values of a state. */
export interface StateFacts {
  /** The id of the resource that clients last created or overwrote. */
  readonly lastWritten?: string;
  /** The number of the last created resource. */
  readonly created: number;
  /** The number of the last generated id. It is part of the state, so that a restored state generates the same ids. */
  readonly numbered: number;
}

export interface NamespaceAction {
  readonly body: unknown;
}

/** A resource or image with its number in the order of creation. */
export type Placed<Value> = readonly [number: number, value: Value];

/** The values of each table of a state, by the name of the table in a `Change`. */
export interface TableValues {
  readonly resource: Placed<ResourceRecord>;
  readonly image: Placed<StoredImage>;
  readonly deletedId: true;
  readonly deletedKey: true;
  readonly action: NamespaceAction;
  readonly facts: StateFacts;
}

/**
 * A change of one value of a state. `before` is absent for a new value, `after` for a removed one. The tables
 * `action` and `facts` have one value each, with an empty id.
 */
export type StateChange = {
  [Table in keyof TableValues]: {
    readonly table: Table;
    readonly id: string;
    readonly before?: TableValues[Table];
    readonly after?: TableValues[Table];
  };
}[keyof TableValues];

/** Returns a change. A value that is undefined becomes an absent member. */
export function changeOf(table: keyof TableValues, id: string, before: unknown, after: unknown): StateChange {
  return {
    table,
    id,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  } as StateChange;
}

export const emptyState: State = {
  resources: emptyTree(),
  ids: emptyTree(),
  keys: emptyTree(),
  deletedIds: emptyTree(),
  deletedKeys: emptyTree(),
  images: emptyTree(),
  imageIds: emptyTree(),
  created: 0,
  numbered: 0,
  size: 0,
};

/** Returns the resource with this id. */
export function resourceById(state: State, id: string): ResourceRecord | undefined {
  const number = state.ids.get(id);
  return number === undefined ? undefined : state.resources.get(number);
}

/** Returns the resource with this key. */
export function resourceByKey(state: State, key: string): ResourceRecord | undefined {
  const id = state.keys.get(key);
  return id === undefined ? undefined : resourceById(state, id);
}

/** Returns the image with this id. */
export function imageById(state: State, id: string): StoredImage | undefined {
  const number = state.imageIds.get(id);
  return number === undefined ? undefined : state.images.get(number);
}

/** Returns the value with this id in a table. */
export function valueIn<Table extends keyof TableValues>(
  state: State,
  table: Table,
  id: string,
): TableValues[Table] | undefined {
  return readers[table](state, id);
}

const readers: { readonly [Table in keyof TableValues]: (state: State, id: string) => TableValues[Table] | undefined } =
  {
    resource: ({ resources, ids }, id) => placed(resources, ids.get(id)),
    image: ({ images, imageIds }, id) => placed(images, imageIds.get(id)),
    deletedId: ({ deletedIds }, id) => deletedIds.get(id),
    deletedKey: ({ deletedKeys }, id) => deletedKeys.get(id),
    action: ({ namespaceAction }) => namespaceAction,
    facts: factsOf,
  };

export function factsOf({ lastWritten, created, numbered }: State): StateFacts {
  return { ...(lastWritten !== undefined && { lastWritten }), created, numbered };
}

function placed<Value>(values: Tree<number, Value>, number: number | undefined): Placed<Value> | undefined {
  const value = number === undefined ? undefined : values.get(number);
  return value === undefined || number === undefined ? undefined : [number, value];
}

/**
 * Returns the changes that lead from one state to another, or undefined if there are more than `most`. Nodes that both
 * states share are skipped.
 */
export function differences(before: State, after: State, most: number): StateChange[] | undefined {
  const changes: StateChange[] = [];
  const ids = {
    resource: changedIn(before.resources, after.resources, (_number, { id }) => id, most),
    image: changedIn(before.images, after.images, (_number, { id }) => id, most),
    deletedId: changedIn(before.deletedIds, after.deletedIds, (id) => id, most),
    deletedKey: changedIn(before.deletedKeys, after.deletedKeys, (key) => key, most),
    action: new Set(before.namespaceAction === after.namespaceAction ? [] : [""]),
    facts: new Set([""]),
  };
  for (const table of Object.keys(ids) as (keyof TableValues)[]) {
    const changed = ids[table];
    if (!changed || changes.length + changed.size > most) return undefined;
    for (const id of changed) {
      const [old, next] = [valueIn(before, table, id), valueIn(after, table, id)];
      // Values from the store or a file are equal copies of those in memory.
      if (!isDeepStrictEqual(old, next)) changes.push(changeOf(table, id, old, next));
    }
  }
  return changes;
}

/** Returns the ids of the values that differ; undefined if there are more than `most`. */
function changedIn<Key extends number | string, Value>(
  before: Tree<Key, Value>,
  after: Tree<Key, Value>,
  idOf: (key: Key, value: Value) => string,
  most: number,
): Set<string> | undefined {
  const ids = new Set<string>();
  const isWhole = visitDifferences(before, after, (key, value) => ids.add(idOf(key, value)).size > most);
  return isWhole ? ids : undefined;
}

/** Returns an empty tree. It sorts numbers in ascending order, and strings by code unit. */
export function emptyTree<Key extends number | string, Value>(): Tree<Key, Value> {
  // The package is CommonJS, so the default import in Node is `module.exports`.
  return new sortedBtree.default<Key, Value>(undefined, compare);
}

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
