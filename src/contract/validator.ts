import { compiled, type Extent, type Validate } from "./compiled.ts";
import type { Schema } from "./json-schema.ts";
import { MAX_POINTER_TEXT } from "./limits.ts";
import { type Problem, problemsOf } from "./problems.ts";
import { lazily } from "./schedule.ts";

/** Validates a value against one schema. Returns no problems if the value is valid. */
export type SchemaCheck = (value: unknown) => Problem[];

const checks = { all: new WeakMap<Schema, SchemaCheck>(), first: new WeakMap<Schema, SchemaCheck>() };

/** Returns the check of a schema if it is already loaded, so that hot paths do not wait for a promise. */
export function loadedCheck(schema: Schema, extent: Extent = "all"): SchemaCheck | undefined {
  return checks[extent].get(schema);
}

/**
 * Returns the check of a schema. It uses the compiled validator of the build. In the sources, and for schemas that the
 * build does not know, it loads Ajv and compiles the schema.
 */
export async function loadCheck(schema: Schema, extent: Extent = "all"): Promise<SchemaCheck> {
  const known = checks[extent].get(schema);
  if (known) return known;
  const validate = (await loadCompiled(schema, extent)) ?? (await ajvs())[extent].compile(schema);
  const check: SchemaCheck = (value) => (validate(value) ? [] : problemsOf(validate.errors ?? [], schema, value));
  checks[extent].set(schema, check);
  return check;
}

/**
 * Returns all problems of a small value, or the first problem of a large value. Each problem contains its pointer, so
 * the work for all problems grows with the number of values and with the length of their pointers.
 */
export async function findProblems(schema: Schema, value: unknown): Promise<Problem[]> {
  const first = (await loadCheck(schema, "first"))(value);
  if (first.length === 0 || pointersWithin(value, MAX_POINTER_TEXT) < 0) return first;
  return (await loadCheck(schema, "all"))(value);
}

/** Subtracts the total length of all pointers into a value from `most`. Returns less than 0 if they are longer. */
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

/**
 * Returns the name of the validator of a schema: a checksum and the length of the schema, so that schemas need no registry.
 * The build refuses two schemas of one name. `node:crypto` would take a twentieth of the time of a start.
 */
export function keyOf(schema: Schema): string {
  const text = JSON.stringify(schema);
  return `v${process.getBuiltinModule("node:zlib").crc32(text).toString(16)}_${text.length}`;
}

const ajvs = lazily(async () => {
  const { createAjv } = await import("./ajv.ts");
  return { all: createAjv("all"), first: createAjv("first") };
});
