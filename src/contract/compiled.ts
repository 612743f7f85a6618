import type { Violation } from "./problems.ts";

/**
 * Which problems a check returns: all of them, or the first. All of them take memory in proportion to the value, so a
 * large value from a client is checked for the first.
 */
export type Extent = "all" | "first";

/** A function that Ajv has made of a schema. After it has returned false, `errors` says why. */
export interface Validate {
  (value: unknown): boolean;
  errors?: readonly Violation[] | null;
}

type Group = () => Promise<Readonly<Record<string, Validate>>>;

/**
 * The validators that the build has compiled, in groups, by the keys of their schemas (`keyOf`). The build replaces this
 * file (`scripts/validators.ts`); the sources have none.
 */
export const compiled: Readonly<Record<Extent, Readonly<Record<string, Group>>>> = { all: {}, first: {} };
