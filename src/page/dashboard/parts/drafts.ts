import { useState } from "preact/hooks";

/** The texts of forms that were not sent yet, by name. They stay when the user opens another view. */
const drafts = new Map<string, unknown>();

/**
 * Returns a value that survives a change of the view, like `useState` otherwise. Set it to `undefined` to return to the
 * initial value. Names must be unique on the page, and name the project.
 */
export function useDraft<T>(
  name: string,
  initial: T,
): [value: T, set: (value: T | undefined) => void, isChanged: boolean] {
  const [, render] = useState({});
  const set = (value: T | undefined) => {
    if (value === undefined) drafts.delete(name);
    else drafts.set(name, value);
    render({});
  };
  const isChanged = drafts.has(name);
  return [isChanged ? (drafts.get(name) as T) : initial, set, isChanged];
}
