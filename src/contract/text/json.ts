/** Returns whether a JSON value is an object (not an array, not null). */
export function isObject(value: unknown): value is { [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the JSON pointer of a member or item of the value at `pointer`. */
export function join(pointer: string, member: string | number): string {
  return `${pointer}/${String(member).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
