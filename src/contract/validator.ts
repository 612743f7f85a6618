import { compiled, type Validate } from "./compiled.ts";
import { matches, type Problem, problemsOf } from "./explain.ts";
import type { Schema } from "./json-schema.ts";
import { lazily } from "./schedule.ts";

/** Validates a value against one schema. Returns no problems if the value is valid. */
export type SchemaCheck = (value: unknown) => Problem[];

const checks = new WeakMap<Schema, SchemaCheck>();
const loaders = new WeakMap<Schema, () => Promise<Validate>>();

/** Sets how the validator of a schema is loaded, for schemas that contain themselves. */
export function registerValidator(schema: Schema, load: () => Promise<Validate>): void {
  loaders.set(schema, load);
}

/**
 * Returns the schema, whose values are valid as far as `matches` can tell: for a schema around parts of a document, which can
 * contain themselves.
 */
export function interpreted<S extends Schema>(schema: S): S {
  registerValidator(schema, async () => (value) => matches(schema, value));
  return schema;
}

/** Returns the check of a schema if it is already loaded, so that hot paths do not wait for a promise. */
export function loadedCheck(schema: Schema): SchemaCheck | undefined {
  return checks.get(schema);
}

/**
 * Returns the check of a schema. It uses the registered validator, or the compiled validator of the build. In the
 * sources, and for schemas that the build does not know, it loads Ajv and compiles the schema.
 */
export async function loadCheck(schema: Schema): Promise<SchemaCheck> {
  const known = checks.get(schema);
  if (known) return known;
  const registered = await loaders.get(schema)?.();
  const validate = registered ?? (await loadCompiled(schema)) ?? (await ajv()).compile(schema);
  const check: SchemaCheck = (value) => (validate(value) ? [] : problemsOf(schema, value));
  checks.set(schema, check);
  return check;
}

/** Returns the problems of a value; none if it is valid. */
export async function findProblems(schema: Schema, value: unknown): Promise<Problem[]> {
  return (await loadCheck(schema))(value);
}

async function loadCompiled(schema: Schema): Promise<Validate | undefined> {
  const key = keyOf(schema);
  return (await compiled[key]?.())?.[key];
}

/**
 * Returns the name of the validator of a schema: a checksum and the length of the schema, so that schemas need no registry.
 * The build refuses two schemas of one name. `node:crypto` would take a twentieth of the time of a start.
 */
export function keyOf(schema: Schema): string {
  const text = JSON.stringify(schema);
  return `v${process.getBuiltinModule("node:zlib").crc32(text).toString(16)}_${text.length}`;
}

const ajv = lazily(async () => {
  const { createAjv } = await import("./ajv.ts");
  // Schemas of other contracts can have formats and keywords that the mock does not know. The build refuses such schemas.
  return createAjv({ strictSchema: false, logger: false });
});
