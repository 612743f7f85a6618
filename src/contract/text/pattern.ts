/** Returns the regular expression for a pattern; undefined for an invalid one. */
export function regExpFor(pattern: string): RegExp | undefined {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Some patterns have escapes that are only valid without the flag.
    }
  }
  return undefined;
}

/** Returns whether a text matches a pattern. No text matches an invalid pattern. */
export function matchesPattern(pattern: string, text: string): boolean {
  return regExpFor(pattern)?.test(text) ?? false;
}
