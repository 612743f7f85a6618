/** Returns whether a JSON value is an object (not an array, not null). */
export function isObject(value: unknown): value is { [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Created at its first use: jsdom has no TextDecoder, and Jest loads this file in it. */
let strictUtf8: TextDecoder | undefined;

/** Returns the text of bytes, or `undefined` if they are invalid UTF-8. With `cut`, the last character can be incomplete. */
export function utf8(bytes: Uint8Array, cut = false): string | undefined {
  try {
    strictUtf8 ??= new TextDecoder("utf-8", { fatal: true });
    const decoder = cut ? new TextDecoder("utf-8", { fatal: true }) : strictUtf8;
    return decoder.decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}

/** Returns the JSON pointer of a member or item of the value at `pointer`. */
export function join(pointer: string, member: string | number): string {
  return `${pointer}/${String(member).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
