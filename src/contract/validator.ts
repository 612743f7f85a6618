import { createHash } from "node:crypto";
import { compiled, type Extent, type Validate } from "./compiled.ts";
import { lazily } from "./lazily.ts";
import { type Problem, problemsOf } from "./problems.ts";
import type { Schema } from "./schema.ts";

/** Validates a value against one schema. Returns no problem when it fits. */
export type Check = (value: unknown) => Problem[];

const checks = { all: new WeakMap<Schema, Check>(), first: new WeakMap<Schema, Check>() };

/** Returns the schema's check if it has been loaded before: spares hot paths the wait. */
export function loadedCheck(schema: Schema, extent: Extent = "all"): Check | undefined {
  return checks[extent].get(schema);
}

/**
 * Returns the schema's check. Its validator is one that the build has compiled; from the sources, and for a schema that
 * the build does not know, Ajv is loaded and compiles it.
 */
export async function loadCheck(schema: Schema, extent: Extent = "all"): Promise<Check> {
  const known = checks[extent].get(schema);
  if (known) return known;
  const validate = (await loadCompiled(schema, extent)) ?? (await ajvs())[extent].compile(schema);
  const check: Check = (value) => (validate(value) ? [] : problemsOf(validate.errors ?? [], schema, value));
  checks[extent].set(schema, check);
  return check;
}

/**
 * Returns the problems of a value: all of a small one, and of a large one the first. An error names its place, so the
 * work for all of them grows with the number of places and with the length of their pointers.
 */
export async function findProblems(schema: Schema, value: unknown): Promise<Problem[]> {
  const first = (await loadCheck(schema, "first"))(value);
  if (first.length === 0 || pointersWithin(value, MAX_POINTERS) < 0) return first;
  return (await loadCheck(schema, "all"))(value);
}

/** How long the pointers to all places in a small value are together, in UTF-16 units. */
const MAX_POINTERS = 1024 * 1024;

/** Returns what the pointers to all places in a value leave of `most` units: less than 0 if they are longer. */
function pointersWithin(value: unknown, most: number, length = 0): number {
  let left = most - length;
  if (typeof value !== "object" || value === null) return left;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) {
      left = pointersWithin(value[index], left, length + 1 + String(index).length);
    }
  } else {
    for (const name in value) {
      if (left < 0) break;
      left = pointersWithin((value as Record<string, unknown>)[name], left, length + 1 + name.length);
    }
  }
  return left;
}

async function loadCompiled(schema: Schema, extent: Extent): Promise<Validate | undefined> {
  const key = keyOf(schema);
  const group = await compiled[extent][key]?.();
  return group?.[key];
}

/** Returns the name of the schema's validator: a hash of what the schema says, so that no list of schemas is kept. */
export function keyOf(schema: Schema): string {
  return `v${createHash("sha256").update(JSON.stringify(schema)).digest("hex").slice(0, 16)}`;
}

const ajvs = lazily(async () => {
  const { createAjv } = await import("./ajv.ts");
  return { all: createAjv("all"), first: createAjv("first") };
});
