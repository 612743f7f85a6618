import sortedBtree from "sorted-btree";

/** A B+ tree by number. A clone costs the same whatever the size: it shares all nodes until one of the two writes. */
export type Tree<Value> = sortedBtree.default<number, Value>;

export function emptyTree<Value>(): Tree<Value> {
  // The package is CommonJS: Node's default import is its whole `exports`.
  return new sortedBtree.default<number, Value>(undefined, ascending);
}

function ascending(a: number, b: number): number {
  return a - b;
}
