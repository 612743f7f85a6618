import { TimeSlice } from "./time-slice.ts";

/** The number of items that `Array.prototype.sort` sorts at once. It needs less than a millisecond for them. */
const RUN = 1000;

/**
 * Returns the sorted items (a stable sort, as `Array.prototype.toSorted`). Sorts in time slices: short runs first, which it
 * then merges.
 */
export async function sorted<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Promise<Item[]> {
  const slice = new TimeSlice();
  let runs: Item[][] = [];
  for (let from = 0; from < items.length; from += RUN) {
    runs.push(items.slice(from, from + RUN).sort(compare));
    if (slice.isOver) await slice.next();
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(await merge(runs[index] ?? [], runs[index + 1] ?? [], compare, slice));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<Item>(
  a: readonly Item[],
  b: readonly Item[],
  compare: (a: Item, b: Item) => number,
  slice: TimeSlice,
): Promise<Item[]> {
  const merged: Item[] = [];
  let [left, right] = [0, 0];
  while (left < a.length && right < b.length) {
    merged.push((compare(a[left] as Item, b[right] as Item) <= 0 ? a[left++] : b[right++]) as Item);
    if (merged.length % RUN === 0 && slice.isOver) await slice.next();
  }
  return merged.concat(a.slice(left), b.slice(right));
}
