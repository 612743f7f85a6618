import sortedBtree from "sorted-btree";
import diff from "sorted-btree/extended/diffAgainst.js";

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
