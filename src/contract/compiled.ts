/** A function that Ajv compiles from a schema. It returns whether the value is valid. */
export type Validate = (value: unknown) => boolean;

/**
 * The compiled validators, in groups, by the keys of their schemas (`keyOf`). The list is empty in the sources; the
 * build replaces this file (`scripts/validators.ts`).
 */
export const compiled: Readonly<Record<string, () => Promise<Readonly<Record<string, Validate>>>>> = {};
