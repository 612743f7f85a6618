/** The preferences in the header `Prefer` of a request (RFC 7240). Unknown preferences are ignored. */
export interface Preferences {
  /** The status of the response. */
  readonly code?: string;
  /** The variant of the fixture. */
  readonly example?: string;
  /** The scenario to apply to this request only. */
  readonly scenario?: string;
  /** Whether to generate the response from the schema: `true` or `false`. */
  readonly dynamic?: string;
  /** The seed of the generated response. */
  readonly seed?: string;
}

const names: ReadonlySet<string> = new Set<keyof Preferences>(["code", "example", "scenario", "dynamic", "seed"]);

/**
 * Parses the value of the header. Reads parameters of a preference (after `;`) as preferences too, so that
 * `dynamic=true; seed=7` works. If a name is repeated, the first value wins (RFC 7240, section 2). Skips invalid parts.
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

/** Returns a preference in the form of the header `Preference-Applied`: `code=409`. */
export function preferenceText(name: keyof Preferences, value: string): string {
  return `${name}=${token.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`}`;
}

const separators = ",;";
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// One preference with the surrounding white space. Sticky, so that parsing is linear in the length of the header.
const preference = /[\t ]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[\t ]*(?:=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([^\t ",;]*)))?[\t ]*/y;
