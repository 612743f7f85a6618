import { homedir } from "node:os";
import { expect } from "vitest";
import { repository } from "./run.ts";

const prototypes = [Object, Function, Array, String, Number, Boolean, RegExp, Map, Set, Promise, Error, Uint8Array].map(
  ({ prototype }) => prototype,
);
const members = (prototype: object) =>
  Reflect.ownKeys(prototype).map((name) => [name, Object.getOwnPropertyDescriptor(prototype, name)] as const);
const before = prototypes.map(members);

/** Expects the built-in prototypes to be unchanged since this module was loaded. */
export function expectPrototypesUntouched(): void {
  for (const [index, prototype] of prototypes.entries()) expect(members(prototype)).toEqual(before[index]);
}

/** Paths of the code and parts of stack traces. */
const internals = [repository, repository.slice(0, -1), homedir(), process.execPath, "node:", "node_modules", "/src/"];

/** Expects no paths and no stack traces in the text of a response. The request must not contain them either. */
export function expectNoInternals(text: string): void {
  for (const internal of internals) if (internal.length > 2) expect(text).not.toContain(internal);
  expect(text).not.toMatch(/\.[cm]?[jt]s:\d+|\bat \S+ \(/);
}
