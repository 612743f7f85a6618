/** What a request asks of the mock with `Prefer` (RFC 7240). Preferences that are not known here are ignored. */
export interface Preferences {
  /** The status to answer. */
  readonly code?: string;
  /** The fixture's variant to answer. */
  readonly example?: string;
  /** The scenario that is on for this request alone. */
  readonly scenario?: string;
  /** Whether to make the answer up. */
  readonly dynamic?: string;
  /** The seed of what is made up. */
  readonly seed?: string;
}

const names: ReadonlySet<string> = new Set<keyof Preferences>(["code", "example", "scenario", "dynamic", "seed"]);

/**
 * Reads the header's value. Parameters of a preference (behind `;`) are taken as preferences too, so that
 * `dynamic=true; seed=7` is understood. Of one name the first counts, as the RFC says; what does not parse is passed
 * over.
 */
export function readPrefer(value: string): Preferences {
  const found: Record<string, string> = {};
  let at = 0;
  while (at < value.length) {
    preference.lastIndex = at;
    const [whole = "", name, quoted, bare = ""] = preference.exec(value) ?? [];
    const end = at + whole.length;
    if (name !== undefined && (end === value.length || separators.includes(value.charAt(end)))) {
      const known = name.toLowerCase();
      if (names.has(known)) found[known] ??= quoted?.replace(/\\(.)/g, "$1") ?? bare;
    }
    at = end;
    while (at < value.length && !separators.includes(value.charAt(at))) at++;
    at++;
  }
  return found;
}

/** `code=409`, as `Preference-Applied` names what was honoured. */
export function preferenceText(name: keyof Preferences, value: string): string {
  return `${name}=${token.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`}`;
}

const separators = ",;";
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// One preference from where it begins, with the white space about it. Sticky: each character is looked at once.
const preference = /[\t ]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[\t ]*(?:=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([^\t ",;]*)))?[\t ]*/y;
