import sortedBtree from "sorted-btree";

/** A sorted B+ tree. A clone costs the same whatever the size: it shares all nodes until one of the two writes. */
export type Tree<Key extends number | string, Value> = sortedBtree.default<Key, Value>;

/** Numbers in ascending order, strings by code unit. */
export function emptyTree<Key extends number | string, Value>(): Tree<Key, Value> {
  // The package is CommonJS: Node's default import is its whole `exports`.
  return new sortedBtree.default<Key, Value>(undefined, compare);
}

function compare<Key extends number | string>(a: Key, b: Key): number {
  return a < b ? -1 : a === b ? 0 : 1;
}
