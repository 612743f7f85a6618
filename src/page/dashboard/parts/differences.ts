/** A location where two JSON values differ. An absent value is undefined. */
export interface Difference {
  /** A JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns the locations where two JSON values differ: members and items, in the order of `before`. At most `limit`. */
export function differencesOf(before: unknown, after: unknown, limit = 200): Difference[] {
  const found: Difference[] = [];
  compare(before, after, "", found, limit);
  return found;
}

function compare(before: unknown, after: unknown, pointer: string, found: Difference[], limit: number): void {
  if (Object.is(before, after) || found.length >= limit) return;
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) {
    found.push({ pointer, before, after });
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const escaped = name.replaceAll("~", "~0").replaceAll("/", "~1");
    compare(memberOf(before, name), memberOf(after, name), `${pointer}/${escaped}`, found, limit);
  }
}

type Container = { readonly [name: string]: unknown };

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function memberOf(holder: Container, name: string): unknown {
  return Object.hasOwn(holder, name) ? holder[name] : undefined;
}
