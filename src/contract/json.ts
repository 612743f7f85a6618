/** Whether a JSON value is an object (not an array, not null). */
export function isObject(value: unknown): value is { [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON nested deeper than this is refused: nothing in the interface is, and walking it could exhaust the stack. */
export const MAX_JSON_DEPTH = 200;

/** Whether a text that may be JSON is nested deeper than `MAX_JSON_DEPTH`; told without parsing it. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (inString) {
      if (unit === 0x5c /* \ */) index++;
      else if (unit === 0x22 /* " */) inString = false;
    } else if (unit === 0x22) inString = true;
    else if (unit === 0x5b /* [ */ || unit === 0x7b /* { */) {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (unit === 0x5d /* ] */ || unit === 0x7d /* } */) depth--;
  }
  return false;
}
