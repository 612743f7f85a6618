import { closest } from "fastest-levenshtein";
import type { Operation } from "./operation-table.ts";

/** A part of the paths: what can follow the segments before it. */
interface Node<Op> {
  readonly literals: Map<string, Node<Op>>;
  /** Segments with a literal text and parameters (`{id}.json`), the longest literal text first. */
  readonly partials: { readonly literals: readonly string[]; readonly size: number; readonly node: Node<Op> }[];
  parameter: Node<Op> | undefined;
  /** The operations whose path ends here, by method: several, if their paths differ only in the names of parameters. */
  readonly operations: Map<string, Ending<Op>[]>;
}

/** An operation with the names of its parameters in the order of the path. */
interface Ending<Op> {
  readonly operation: Op;
  readonly names: readonly string[];
}

/** The operation that a request addresses, with the path parameters; or the methods that its path allows. */
export type Route<Op> = Found<Op> | { readonly operation?: undefined; readonly allow: readonly string[] };

interface Found<Op> {
  readonly operation: Op;
  readonly path: Readonly<Record<string, string>>;
  readonly allow?: undefined;
}

/** A search: the request, the values of parameters so far, and the methods of paths that match. */
interface Search {
  readonly method: string;
  readonly segments: readonly string[];
  readonly values: string[];
  readonly allow: string[];
}

type Named = Pick<Operation, "method" | "path">;

const parameter = /\{([^{}]*)\}/g;

/**
 * Finds operations by method and path. A literal segment wins over one with a parameter, and a segment with literal text
 * over a parameter alone (OpenAPI 3.1, 4.8.8.2).
 */
export class OperationTrie<Op extends Named> {
  readonly #root = emptyNode<Op>();
  readonly #isStrict: boolean;
  readonly #fits: (route: Found<Op>) => boolean;

  /**
   * With `isStrict`, the first matching path decides for all methods. Otherwise each method is matched by itself. `fits`
   * chooses between operations whose paths differ only in the names of parameters.
   */
  constructor(operations: readonly Op[], isStrict: boolean, fits: (route: Found<Op>) => boolean = () => true) {
    this.#isStrict = isStrict;
    this.#fits = fits;
    // A path with a query or fragment (`/orders?beta=true`) comes after the same path without one.
    for (const operation of [...operations].sort((a, b) => Number(/[?#]/.test(a.path)) - Number(/[?#]/.test(b.path)))) {
      let node = this.#root;
      // A slash at the end is optional, in requests too.
      const path = isStrict ? operation.path : operation.path.replace(/[?#].*$/s, "").replace(/(?<=.)\/$/, "");
      for (const segment of path.split("/").slice(1)) node = childOf(node, segment);
      const names = Array.from(operation.path.matchAll(parameter), ([, name = ""]) => name);
      node.operations.set(operation.method, [...(node.operations.get(operation.method) ?? []), { operation, names }]);
    }
  }

  /** Returns whether paths begin with this segment, or with a parameter and a text that fit it. */
  startsWith(segment: string): boolean {
    const { literals, partials } = this.#root;
    return literals.has(segment) || partials.some((each) => each.size > 0 && valuesBetween(each.literals, segment));
  }

  /** Returns the route of a request; undefined if no path has these decoded segments. */
  find(method: string, segments: readonly string[]): Route<Op> | undefined {
    const search: Search = { method, segments, values: [], allow: [] };
    const route = this.#walk(search, this.#root, 0);
    if (route || search.allow.length === 0) return route;
    return { allow: [...new Set(search.allow)] };
  }

  #walk(search: Search, node: Node<Op>, index: number): Route<Op> | undefined {
    const { segments, values } = search;
    const segment = segments[index];
    if (segment === undefined) return this.#end(search, node);
    const literal = node.literals.get(segment);
    const byLiteral = literal && this.#walk(search, literal, index + 1);
    if (byLiteral) return byLiteral;
    const { length } = values;
    for (const { literals, node: next } of node.partials) {
      const found = valuesBetween(literals, segment);
      if (!found) continue;
      values.push(...found);
      const route = this.#walk(search, next, index + 1);
      if (route) return route;
      values.length = length;
    }
    if (!node.parameter || segment === "") return undefined;
    values.push(segment);
    const route = this.#walk(search, node.parameter, index + 1);
    if (!route) values.length = length;
    return route;
  }

  #end({ method, values, allow }: Search, { operations }: Node<Op>): Route<Op> | undefined {
    // A resource that can be read supports HEAD (RFC 9110, section 9.1).
    const found = operations.get(method) ?? (method === "HEAD" && !this.#isStrict ? operations.get("GET") : undefined);
    const [first, ...others] = found ?? [];
    if (first) {
      const route = routeOf(first, values);
      if (others.length === 0 || this.#fits(route)) return route;
      return others.map((each) => routeOf(each, values)).find(this.#fits) ?? route;
    }
    allow.push(...operations.keys());
    if (operations.has("GET") && !this.#isStrict) allow.push("HEAD");
    return this.#isStrict && operations.size > 0 ? { allow } : undefined;
  }

  /** Returns operations whose paths begin like these segments: at least three if there are so many, and at most `most`. */
  near(segments: readonly string[], most: number): Op[] {
    const nodes = [this.#root];
    for (const segment of segments) {
      const last = nodes.at(-1);
      const similar = last?.literals.size ? closest(segment.slice(0, 100), [...last.literals.keys()]) : undefined;
      const next = last?.literals.get(segment) ?? last?.parameter ?? last?.literals.get(similar ?? "");
      if (!next) break;
      nodes.push(next);
    }
    const found = new Set<Op>();
    for (const node of nodes.reverse()) {
      collect(node, found, most);
      if (found.size >= 3) break;
    }
    return [...found];
  }
}

function routeOf<Op>({ operation, names }: Ending<Op>, values: readonly string[]): Found<Op> {
  const path: Record<string, string> = {};
  for (let each = 0; each < values.length; each++) path[names[each] ?? ""] = values[each] ?? "";
  return { operation, path };
}

function emptyNode<Op>(): Node<Op> {
  return { literals: new Map(), partials: [], parameter: undefined, operations: new Map() };
}

function childOf<Op>(parent: Node<Op>, segment: string): Node<Op> {
  const literals = segment.split(/\{[^{}]*\}/);
  if (literals.length === 1) {
    const known = parent.literals.get(segment) ?? emptyNode<Op>();
    parent.literals.set(segment, known);
    return known;
  }
  const size = literals.join("").length;
  if (size === 0 && literals.length === 2) {
    parent.parameter ??= emptyNode();
    return parent.parameter;
  }
  const isSame = (own: readonly string[]) => own.join("{}") === literals.join("{}");
  const known = parent.partials.find((each) => isSame(each.literals));
  if (known) return known.node;
  const node = emptyNode<Op>();
  parent.partials.push({ literals, size, node });
  parent.partials.sort((a, b) => b.size - a.size);
  return node;
}

/** Returns the texts between the literals of a segment, each as short as possible; undefined if a literal is missing. */
function valuesBetween([first = "", ...others]: readonly string[], segment: string): string[] | undefined {
  const last = others.pop() ?? "";
  const end = segment.length - last.length;
  if (!segment.startsWith(first) || !segment.endsWith(last) || end < first.length) return undefined;
  const values: string[] = [];
  let start = first.length;
  for (const literal of others) {
    const found = segment.indexOf(literal, start);
    if (found === -1 || found + literal.length > end) return undefined;
    values.push(segment.slice(start, found));
    start = found + literal.length;
  }
  return [...values, segment.slice(start, end)];
}

function collect<Op>(
  { operations, literals, partials, parameter: other }: Node<Op>,
  found: Set<Op>,
  most: number,
): void {
  for (const { operation } of [...operations.values()].flat()) if (found.size < most) found.add(operation);
  const below = [...literals.values(), ...partials.map(({ node }) => node), ...(other ? [other] : [])];
  for (const node of below) if (found.size < most) collect(node, found, most);
}
