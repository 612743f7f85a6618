import type { SchemaError } from "./validator.ts";

/**
 * The problems that a check returns: all, or only the first. The memory for all problems grows with the value, so a
 * check of a large value from a client returns the first.
 */
export type Extent = "all" | "first";

/** A function that Ajv compiles from a schema. If it returns false, `errors` lists the reasons. */
export interface Validate {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

type ValidatorGroup = () => Promise<Readonly<Record<string, Validate>>>;

/**
 * The compiled validators, in groups, by the keys of their schemas (`keyOf`). The list is empty in the sources; the
 * build replaces this file (`scripts/validators.ts`).
 */
export const compiled: Readonly<Record<Extent, Readonly<Record<string, ValidatorGroup>>>> = { all: {}, first: {} };
