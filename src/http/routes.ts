import type { Operation } from "../contract/operation.ts";

/** The operations of one path, by method, and how Hono matches it. */
export interface PathRoute<Op extends Operation> {
  readonly template: string;
  /** The path in Hono's pattern language. */
  readonly pattern: string;
  /** Literal text that stands before a parameter within its segment (`key=`), by parameter. */
  readonly prefixes: Readonly<Record<string, string>>;
  readonly operations: ReadonlyMap<string, Op>;
  /** The methods, as the `Allow` header lists them. */
  readonly allow: string;
}

/**
 * Routes out of an operation table, one a path, those with more literal segments first: literal segments win over
 * parameters, whatever the method.
 */
export function routesOf<Op extends Operation>(operations: readonly Op[]): PathRoute<Op>[] {
  const paths = Map.groupBy(operations, (operation) => operation.path);
  return [...paths]
    .map(([template, ofPath]) => ({
      template,
      looseness: loosenessOf(template),
      ...honoPattern(template),
      operations: new Map(ofPath.map((operation) => [operation.method as string, operation])),
      allow: ofPath.map((operation) => operation.method).join(", "),
    }))
    .sort((a, b) => a.looseness - b.looseness);
}

/**
 * Returns `/x/key={key}` as `/x/:key{key(?:=|%3[Dd])[^/]*}`: a parameter of Hono's fills a whole segment, so the literal is
 * part of it. Some clients encode the whole segment, so `%3D` is `=` there.
 */
function honoPattern(template: string): { pattern: string; prefixes: Record<string, string> } {
  const prefixes: Record<string, string> = {};
  const segments = template.split("/").map((segment) => {
    const [, literal, name] = /^([^{]*)\{(\w+)\}$/.exec(segment) ?? [];
    if (name === undefined) return segment;
    if (!literal) return `:${name}`;
    prefixes[name] = literal;
    // Not `.*`: it would not match the line breaks that a percent-encoded value may hold.
    return `:${name}{${literal.replace("=", "(?:=|%3[Dd])")}[^/]*}`;
  });
  return { pattern: segments.join("/"), prefixes };
}

/** Removes the literal text that stands before parameters from their values, which are decoded as far as they can be. */
export function withoutPrefixes(path: Record<string, string>, prefixes: PathRoute<Operation>["prefixes"]) {
  for (const [name, prefix] of Object.entries(prefixes)) {
    const value = path[name] ?? "";
    // Beside bytes that are no UTF-8, Hono leaves `%3D` as it is.
    path[name] = value.slice(value.startsWith(prefix) ? prefix.length : prefix.length + "%3D".length - "=".length);
  }
  return path;
}

/** How loosely a template matches: whole-segment parameters count more than those with literal text before them. */
function loosenessOf(template: string): number {
  return template
    .split("/")
    .reduce((sum, segment) => sum + (segment.startsWith("{") ? 2 : segment.includes("{") ? 1 : 0), 0);
}
