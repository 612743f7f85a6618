import sortedBtree from "sorted-btree";

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
