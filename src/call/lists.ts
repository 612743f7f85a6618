import type { Problem } from "../contract/problems.ts";
import type { Schema } from "../contract/schema.ts";
import { MAX_ERROR_DETAILS } from "../contract/service-error.ts";
import { findProblems, loadCheck } from "../contract/validator.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import { isObject, join } from "../text/json.ts";
import { counted } from "../text/shown.ts";

/*
 * The validation of a large value with long lists. Pointers lead to the lists; a `*` in a pointer is any item of an array.
 */

/** The largest body with lists, in bytes. The state of 100,000 resources fits in it. */
export const MAX_LISTS_BYTES = 256 * 1024 * 1024;

/** The most JSON values in a body with lists. They take up to a gigabyte of memory. */
export const MAX_LISTS_VALUES = 10_000_000;

/** Returns the problems of a value. Validates the items of its lists one by one, so that other requests can run in between. */
export async function problemsWithLists(
  schema: Schema,
  value: unknown,
  lists: readonly string[],
): Promise<readonly Problem[]> {
  let outside = value;
  const inLists: Problem[] = [];
  for (const list of lists) {
    const { items: itemSchema, maxItems = Infinity } = listAt(schema, list) ?? {};
    if (!itemSchema) continue;
    const path = list.split("/").slice(1);
    for (const { items, pointer } of listsAt(value, path)) {
      if (items.length > maxItems) {
        return [{ pointer, message: `expected at most ${counted(maxItems, "item")}, found ${items.length}` }];
      }
      await addProblemsOfItems(items, itemSchema, pointer, inLists);
    }
    outside = emptied(outside, path);
  }
  return [...inLists, ...(await findProblems(schema, outside))];
}

/** Returns the schema at a JSON pointer, or undefined if the schema has no such property. */
export function listAt(schema: Schema, pointer: string): Schema | undefined {
  const path = pointer.split("/").slice(1);
  return path.reduce<Schema | undefined>((at, name) => (name === "*" ? at?.items : at?.properties?.[name]), schema);
}

/** Yields the arrays at this path, with their pointers. */
function* listsAt(
  value: unknown,
  [name, ...rest]: readonly string[],
  pointer = "",
): Generator<{ readonly items: readonly unknown[]; readonly pointer: string }> {
  if (name === undefined) {
    if (Array.isArray(value)) yield { items: value, pointer };
  } else if (name !== "*") {
    if (isObject(value)) yield* listsAt(value[name], rest, join(pointer, name));
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* listsAt(item, rest, join(pointer, index));
  }
}

async function addProblemsOfItems(
  items: readonly unknown[],
  schema: Schema,
  pointer: string,
  found: Problem[],
): Promise<void> {
  const slice = new TimeSlice();
  const check = await loadCheck(schema, "first");
  for (const [index, item] of items.entries()) {
    if (found.length >= MAX_ERROR_DETAILS) return;
    if (check(item).length > 0) {
      const problems = await findProblems(schema, item);
      for (const problem of problems) found.push({ ...problem, pointer: join(pointer, index) + problem.pointer });
    }
    if (slice.isOver) await slice.next();
  }
}

/** Returns a copy of the value in which the lists at this path are empty. */
function emptied(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return Array.isArray(value) ? [] : value;
  if (name === "*") return Array.isArray(value) ? value.map((item) => emptied(item, rest)) : value;
  return isObject(value) && Object.hasOwn(value, name) ? { ...value, [name]: emptied(value[name], rest) } : value;
}
