import type { ResourceRecord } from "../state/record.ts";
import { member, recordFields, takeField } from "./fields.ts";
import { type ErrorAt, readTexts } from "./texts.ts";
import { openCursor } from "./tokens.ts";
import { compareValues, heldValue, type Value, type ValueType } from "./values.ts";

/** Below, at or above 0, as the first record goes before, beside or after the second. */
export type Compare = (a: ResourceRecord, b: ResourceRecord) => number;

/**
 * Compiles the `sort` texts of operation 12, each `path [asc|desc]`, to one comparison; `undefined` when there are none.
 * The first text sorts first, the next ones what it leaves equal. A path goes into objects by dots and, through arrays
 * of objects, to all their elements: `objectTypeProperty.arrayOfObjectType.integerExample`. An array sorts by its
 * smallest element ascending and by its largest descending. Records without a value come last in both directions.
 *
 * @throws ServiceError InvalidField with `field: "sort"` and `column`, telling what was expected and what was found.
 */
export function compileSort(texts: readonly string[]): Compare | undefined {
  const compares = readTexts("sort", texts, readSort);
  if (compares.length === 0) return undefined;
  return (a, b) => {
    for (const compare of compares) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
}

function readSort(text: string, errorAt: ErrorAt): Compare {
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
  return byPath(path, field.type, descending ? -1 : 1);
}

/** Compares what lies at the path; a direction of -1 turns the order around. */
function byPath(path: readonly string[], type: ValueType, direction: 1 | -1): Compare {
  const order = (a: Value, b: Value) => direction * compareValues(a, b);
  // A sort compares each record many times, and finding what it is compared by is the larger part of the work.
  const keys = new WeakMap<ResourceRecord, Value | undefined>();
  const keyOf = (record: ResourceRecord) => {
    if (!keys.has(record)) keys.set(record, first(valuesAt(record, path, type), order));
    return keys.get(record);
  };
  return (recordA, recordB) => {
    const a = keyOf(recordA);
    const b = keyOf(recordB);
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return order(a, b);
  };
}

function first(values: readonly Value[], order: (a: Value, b: Value) => number): Value | undefined {
  return values.reduce<Value | undefined>(
    (best, value) => (best === undefined || order(value, best) < 0 ? value : best),
    undefined,
  );
}

function valuesAt(record: ResourceRecord, path: readonly string[], type: ValueType): Value[] {
  let held: unknown[] = [record];
  for (const name of path) held = held.flatMap((holder) => member(holder, name));
  return held.map((value) => heldValue(type, value)).filter((value) => value !== undefined);
}
