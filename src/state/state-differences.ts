import { isDeepStrictEqual } from "node:util";
import { type State, type StateChange, type TableValues, valueIn } from "./state-value.ts";
import { type Tree, visitDifferences } from "./tree.ts";

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
      const change = changeOf(before, after, table, id);
      // Values from the store or a file are equal copies of those in memory.
      if (!isDeepStrictEqual(change.before, change.after)) changes.push(change);
    }
  }
  return changes;
}

function changeOf(before: State, after: State, table: keyof TableValues, id: string): StateChange {
  const [old, next] = [valueIn(before, table, id), valueIn(after, table, id)];
  return {
    table,
    id,
    ...(old !== undefined && { before: old }),
    ...(next !== undefined && { after: next }),
  } as StateChange;
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
