import { homedir } from "node:os";
import { expect } from "vitest";
import { repository } from "./run.ts";

const prototypes = [Object, Function, Array, String, Number, Boolean, RegExp, Map, Set, Promise, Error, Uint8Array].map(
  ({ prototype }) => prototype,
);
const members = (prototype: object) =>
  Reflect.ownKeys(prototype).map((name) => [name, Object.getOwnPropertyDescriptor(prototype, name)] as const);
const before = prototypes.map(members);

/** What every object has by itself is as it was when the tests began. */
export function expectPrototypesUntouched(): void {
  for (const [index, prototype] of prototypes.entries()) expect(members(prototype)).toEqual(before[index]);
}

/** Where the code lies, and what a stack trace is made of. */
const machine = [repository, repository.slice(0, -1), homedir(), process.execPath, "node:", "node_modules", "/src/"];

/** An answer says nothing of the machine, nor of the code. What was sent must not say it either. */
export function expectNothingOfTheMachine(text: string): void {
  for (const told of machine) if (told.length > 2) expect(text).not.toContain(told);
  expect(text).not.toMatch(/\.[cm]?[jt]s:\d+|\bat \S+ \(/);
}
