import {
  invalidField,
  MAX_SORT_KEYS,
  MAX_SORT_TEXT,
  MAX_SORTED,
  type ResourceType,
  ServiceError,
  type Slice,
} from "../../contract/index.ts";
import type { Item } from "../item.ts";
import { Cursor, type ErrorAt, readTexts } from "./cursor.ts";
import {
  compareValues,
  type Fields,
  fieldsOfType,
  heldValue,
  itemMember,
  member,
  takeField,
  type Value,
  type ValueType,
} from "./fields.ts";

/*
 * The resources that a query returns: the pages, and the order of their resources.
 */

export interface SelectOptions {
  /** The maximum number of results. */
  readonly limit: number;
  /** The number of matches to skip before the first result. */
  readonly offset: number;
  /** Whether the page has the number of all matches. */
  readonly withTotal: boolean;
  /** The number of items, if known. Without `matches`, the function then need not count them. */
  readonly total?: number;
  /** Returns whether an item matches. By default, all items match. */
  readonly matches?: (item: Item) => boolean;
  /** The order of the results; by default the order of the given items. */
  readonly order?: SortOrder;
  /** Lets the server handle other requests in between. */
  readonly slice?: Slice;
}

/**
 * Returns the items of a page, and the number of all matches if `withTotal` is set. Reads all items only to sort them or to
 * count the matches.
 */
export async function selectItems(items: Iterable<Item>, options: SelectOptions) {
  const { limit, offset, withTotal, matches, order, slice } = options;
  const known = matches ? undefined : options.total;
  const counting = withTotal && known === undefined;
  const end = limit === 0 ? 0 : offset + limit;

  const kept: Item[] = [];
  let count = 0;
  if (counting || end > 0) {
    for (const item of items) {
      if (slice?.isOver) await slice.next();
      if (matches && !matches(item)) continue;
      if (order ? end > 0 : count >= offset && count < end) kept.push(item);
      count++;
      if (count >= end && !counting && !order) break;
    }
  }
  const selected = order ? sortItems(kept, order).slice(offset, end) : kept;
  return { selected, total: known ?? count };
}

/** The sort keys. Each key orders the items that are equal by the keys before it. */
type SortOrder = readonly SortKey[];

interface SortKey {
  /** Field names, from the item to the value. */
  readonly path: readonly string[];
  readonly type: ValueType;
  /** 1 is ascending, -1 descending. */
  readonly direction: 1 | -1;
}

/**
 * Compiles the keys that sort the items of a type, each `path [asc|desc]`. Returns `undefined` if `texts` is empty.
 *
 * Dots separate the fields of a path, also through arrays of objects: `address.lines.number`. Of several values, the
 * smallest decides in ascending order and the largest in descending order. Items without a value come last in both directions. Repeated keys have no effect.
 *
 * @throws ServiceError InvalidField with `field: "sort"` and `column`: what was expected and what was found.
 */
export function compileSort(texts: readonly string[], type: ResourceType): SortOrder | undefined {
  const fields = fieldsOfType(type);
  const keys = new Map<string, SortKey>();
  readTexts("sort", texts, (text, errorAt) => {
    const key = readKey(text, fields, errorAt);
    keys.set(`${key.path.join(".")} ${key.direction}`, key);
    if (keys.size > MAX_SORT_KEYS) throw errorAt(1, `expected at most ${MAX_SORT_KEYS} different keys, found more`);
  });
  return keys.size === 0 ? undefined : [...keys.values()];
}

function readKey(text: string, fields: Fields, errorAt: ErrorAt): SortKey {
  const cursor = new Cursor(text, errorAt);
  let { name, field } = takeField(cursor, fields);
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

/**
 * Returns the sorted items (a stable sort).
 *
 * @throws ServiceError InvalidField for more than `MAX_SORTED` items.
 */
export function sortItems(items: readonly Item[], order: SortOrder): Item[] {
  if (items.length > MAX_SORTED) {
    const message = `expected at most ${MAX_SORTED} resources to sort, found ${items.length}`;
    throw new ServiceError(invalidField("sort", `${message}. Select fewer with where.`));
  }
  const entries = items.map((item) => ({ item, values: order.map((key) => valueAt(item, key)) }));
  return entries.sort((a, b) => compare(a.values, b.values, order)).map(({ item }) => item);
}

/** Returns the item's value for a sort key: of several values at the path, the first in the key's direction. */
function valueAt(item: Item, { path, type, direction }: SortKey): Value | undefined {
  let first: Value | undefined;
  const visit = (holder: unknown, depth: number): void => {
    const name = path[depth];
    if (name !== undefined) {
      const held = depth === 0 ? itemMember(item, name) : member(holder, name);
      if (Array.isArray(held)) for (const item of held) visit(item, depth + 1);
      else visit(held, depth + 1);
      return;
    }
    const held = heldValue(type, holder);
    // Of a text, only the start is compared.
    const value = typeof held === "string" ? held.slice(0, MAX_SORT_TEXT) : held;
    if (value !== undefined && (first === undefined || direction * compareValues(value, first) < 0)) first = value;
  };
  visit(item, 0);
  return first;
}

/** The values of an item, one for each sort key. */
type SortValues = readonly (Value | undefined)[];

/** Returns a negative number, 0 or a positive number, as for `Array.prototype.sort`. */
function compare(a: SortValues, b: SortValues, order: SortOrder): number {
  let index = 0;
  for (const { direction } of order) {
    const valueA = a[index];
    const valueB = b[index++];
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
