import type { Awaitable } from "../schedule/awaitable.ts";
import type { ResourceRecord } from "../state/record.ts";
import { member, recordFields, takeField } from "./fields.ts";
import { type Slice, Steps } from "./steps.ts";
import { type ErrorAt, readTexts } from "./texts.ts";
import { openCursor } from "./tokens.ts";
import { compareValues, heldValue, type Value, type ValueType } from "./values.ts";

/** The maximum number of different sort keys in a query. */
export const MAX_SORT_KEYS = 10;

/** The sort keys. Each key orders the records that are equal by the keys before it. */
export type Order = readonly SortKey[];

interface SortKey {
  /** Field names, from the record to the value. */
  readonly path: readonly string[];
  readonly type: ValueType;
  /** 1 is ascending, -1 descending. */
  readonly direction: 1 | -1;
}

/**
 * Compiles the `sort` parameters of `queryWithSortedParameters`, each `path [asc|desc]`. Returns `undefined` if `texts`
 * is empty.
 *
 * Dots separate the fields of a path, also through arrays of objects:
 * `objectTypeProperty.arrayOfObjectType.integerExample`. Of several values, the smallest decides in ascending order and
 * the largest in descending order. Records without a value come last in both directions. Repeated keys have no effect.
 *
 * @throws ServiceError InvalidField with `field: "sort"` and `column`: what was expected and what was found.
 */
export function compileSort(texts: readonly string[]): Order | undefined {
  const keys = new Map<string, SortKey>();
  readTexts("sort", texts, (text, errorAt) => {
    const key = readKey(text, errorAt);
    keys.set(`${key.path.join(".")} ${key.direction}`, key);
    if (keys.size > MAX_SORT_KEYS) throw errorAt(1, `expected at most ${MAX_SORT_KEYS} different keys, found more`);
  });
  return keys.size === 0 ? undefined : [...keys.values()];
}

function readKey(text: string, errorAt: ErrorAt): SortKey {
  const cursor = openCursor(text, errorAt);
  let { name, field } = takeField(cursor, recordFields);
  const path = [name];
  while ("fields" in field) {
    cursor.expect(".", `"." and a field of "${name}"`);
    ({ name, field } = takeField(cursor, field.fields));
    path.push(name);
  }
  const descending = cursor.accept("desc");
  const directed = descending || cursor.accept("asc");
  if (cursor.token.kind !== "end") throw cursor.unexpected(directed ? "the end" : '"asc", "desc" or the end');
  return { path, type: field.type, direction: descending ? -1 : 1 };
}

/** A record with one value for each sort key. */
interface Entry {
  readonly record: ResourceRecord;
  readonly values: readonly (Value | undefined)[];
  /** The cost of a comparison, in steps. Long texts cost more. */
  readonly steps: number;
}

/** Returns the sorted records (a stable sort). With a slice, the server handles other requests in between. */
export async function sortRecords(
  records: readonly ResourceRecord[],
  order: Order,
  slice?: Slice,
): Promise<ResourceRecord[]> {
  const steps = new Steps(slice);
  const entries: Entry[] = [];
  for (const record of records) {
    const values: (Value | undefined)[] = [];
    for (const key of order) {
      if (steps.isOver()) await steps.pause();
      const value = valueAt(record, key, steps);
      values.push(value instanceof Promise ? await value : value);
    }
    entries.push({ record, values, steps: stepsToCompare(values) });
  }
  return (await mergeSort(entries, order, steps)).map(({ record }) => record);
}

/** Returns the record's value for a sort key: of several values at the path, the first in the key's direction. */
function valueAt(record: ResourceRecord, key: SortKey, steps: Steps): Awaitable<Value | undefined> {
  const { path, type, direction } = key;
  let first: Value | undefined;
  const visit = (holder: unknown, depth: number): Awaitable<boolean> => {
    const name = path[depth];
    if (name !== undefined) {
      const held = member(holder, name);
      return Array.isArray(held) ? steps.any(held, (item) => visit(item, depth + 1)) : visit(held, depth + 1);
    }
    const value = heldValue(type, holder);
    if (value !== undefined && (first === undefined || direction * compareValues(value, first) < 0)) first = value;
    return false;
  };
  const visited = visit(record, 0);
  return typeof visited === "boolean" ? first : visited.then(() => first);
}

/** The number of characters that are compared in the time of one step. */
const CHARACTERS_PER_STEP = 64;

function stepsToCompare(values: Entry["values"]): number {
  return values.reduce<number>((sum, value) => {
    return sum + (typeof value === "string" ? 1 + Math.floor(value.length / CHARACTERS_PER_STEP) : 1);
  }, 0);
}

/** Sorts by merging runs of doubling length: `Array.prototype.sort` cannot pause. */
async function mergeSort(entries: Entry[], order: Order, steps: Steps): Promise<Entry[]> {
  const { length } = entries;
  let sorted = entries;
  let next: Entry[] = new Array(length);
  for (let run = 1; run < length; run *= 2) {
    for (let start = 0; start < length; start += 2 * run) {
      let left = start;
      let right = Math.min(start + run, length);
      const middle = right;
      const end = Math.min(middle + run, length);
      for (let index = start; index < end; index++) {
        const a = left < middle ? sorted[left] : undefined;
        const b = right < end ? sorted[right] : undefined;
        if (a && b && steps.isOver(a.steps)) await steps.pause();
        const taken = a && !(b && compare(a, b, order) > 0) ? a : b;
        if (taken === a) left++;
        else right++;
        if (taken) next[index] = taken;
      }
    }
    [sorted, next] = [next, sorted];
  }
  return sorted;
}

/** Returns a negative number, 0 or a positive number, as for `Array.prototype.sort`. */
function compare(a: Entry, b: Entry, order: Order): number {
  let index = 0;
  for (const { direction } of order) {
    const valueA = a.values[index];
    const valueB = b.values[index++];
    if (valueA === undefined || valueB === undefined) {
      const absent = Number(valueA === undefined) - Number(valueB === undefined);
      if (absent !== 0) return absent;
    } else {
      const result = direction * compareValues(valueA, valueB);
      if (result !== 0) return result;
    }
  }
  return 0;
}
