import type { Operation } from "../contract/index.ts";

/** The operations of one path by method, with the path in Hono's pattern language. */
interface PathRoute<Op extends Operation> {
  /** The pattern for Hono's router. */
  readonly pattern: string;
  /** The literal text before a parameter in the same segment, such as `key=`, by parameter. */
  readonly prefixes: Readonly<Record<string, string>>;
  readonly operations: ReadonlyMap<string, Op>;
  /** The methods, as the `Allow` header lists them. */
  readonly allow: string;
}

/**
 * Returns one route per path of the operation table. Routes with more literal segments come first, so that a literal
 * segment wins over a parameter for every method.
 */
export function routesOf<Op extends Operation>(operations: readonly Op[]): PathRoute<Op>[] {
  const paths = Map.groupBy(operations, (operation) => operation.path);
  return [...paths]
    .map(([template, ofPath]) => ({
      looseness: loosenessOf(template),
      ...honoPattern(template),
      operations: new Map(ofPath.map((operation) => [operation.method as string, operation])),
      allow: ofPath.map((operation) => operation.method).join(", "),
    }))
    .sort((a, b) => a.looseness - b.looseness);
}

/**
 * Returns the pattern of a path template for Hono: `/x/:key{key(?:=|%3[Dd])[^/]*}` for `/x/key={key}`. A parameter in
 * Hono fills a whole segment, so the pattern of the parameter includes the literal text. Some clients encode the whole
 * segment, so `%3D` matches too.
 */
function honoPattern(template: string): { pattern: string; prefixes: Record<string, string> } {
  const prefixes: Record<string, string> = {};
  const segments = template.split("/").map((segment) => {
    const [, literal, name] = /^([^{]*)\{(\w+)\}$/.exec(segment) ?? [];
    if (name === undefined) return segment;
    if (!literal) return `:${name}`;
    prefixes[name] = literal;
    // `.*` would not match line breaks, which a percent-encoded value can contain.
    return `:${name}{${literal.replace("=", "(?:=|%3[Dd])")}[^/]*}`;
  });
  return { pattern: segments.join("/"), prefixes };
}

/** Removes the literal text before parameters from their values. Hono has decoded the values where possible. */
export function withoutPrefixes(path: Record<string, string>, prefixes: PathRoute<Operation>["prefixes"]) {
  for (const [name, prefix] of Object.entries(prefixes)) {
    const value = path[name] ?? "";
    // If the value contains bytes that are not UTF-8, Hono does not decode `%3D`.
    path[name] = value.slice(value.startsWith(prefix) ? prefix.length : prefix.length + "%3D".length - "=".length);
  }
  return path;
}

/** Returns a sort key: 2 for each parameter that fills a segment, 1 for each parameter after literal text. */
function loosenessOf(template: string): number {
  return template
    .split("/")
    .reduce((sum, segment) => sum + (segment.startsWith("{") ? 2 : segment.includes("{") ? 1 : 0), 0);
}
