import { isObject, join } from "../../../contract/index.ts";

/** The path of a value within a JSON value: names of members and indexes of items. */
export type At = readonly (string | number)[];

/** Returns the JSON pointer of a path. */
export function pointerOf(at: At): string {
  return at.reduce<string>(join, "");
}

/** Returns the value at a path, or undefined. */
export function valueAt(value: unknown, at: At): unknown {
  return at.reduce<unknown>((within, step) => {
    if (Array.isArray(within)) return within[Number(step)];
    return isObject(within) && Object.hasOwn(within, step) ? within[step] : undefined;
  }, value);
}

/** Returns the JSON value with another value at a path. Missing objects on the way are added. `undefined` removes. */
export function withValue(value: unknown, at: At, next: unknown): unknown {
  const [step, ...rest] = at;
  if (step === undefined) return next;
  const inner = withValue(valueAt(value, [step]), rest, next);
  if (Array.isArray(value)) return value.toSpliced(Number(step), 1, ...(inner === undefined ? [] : [inner]));
  const members = isObject(value) ? value : {};
  if (inner !== undefined) return { ...members, [step]: inner };
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== step));
}

/** Returns the JSON value without the value at a path. Objects on the way that would be empty are removed too. */
export function without(value: unknown, at: At): unknown {
  const removed = withValue(value, at, undefined);
  const parent = at.slice(0, -1);
  const isEmpty = isObject(valueAt(removed, parent)) && Object.keys(valueAt(removed, parent) as object).length === 0;
  return isEmpty && parent.length > 0 ? without(removed, parent) : removed;
}

/** Returns the text of a value for a field: a string as it is, unless it would be read as another value; else JSON. */
export function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" && readText(value) === value ? value : JSON.stringify(value);
}

/** Returns the value of a text in a field: JSON if the text is JSON, or the text itself. */
export function readText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
