import { isObject, type Schema } from "../contract/index.ts";
import { follow, type Node, targetOf } from "./references.ts";
import { tagsOf } from "./tags.ts";

/** Who sends the values of a schema. Clients send no `readOnly` members, and services no `writeOnly` ones. */
export type Sender = "client" | "service";

/** The keyword of members that the other side sends (OpenAPI 3.1, 4.8.24.4.3; JSON Schema Validation 9.4). */
const foreign = { client: "readOnly", service: "writeOnly" } as const;

/** How two values of a keyword, in schemas that both apply, become one. By default, the later schema wins. */
const merges: Readonly<Record<string, (a: never, b: never) => unknown>> = {
  type: (a: string | string[], b: string | string[]) => commonTypes([a].flat(), [b].flat()),
  enum: (a: unknown[], b: unknown[]) => a.filter((value) => b.includes(value)),
  required: (a: string[], b: string[]) => [...new Set([...a, ...b])],
  ...Object.fromEntries(
    ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"].map((name) => [name, Math.max]),
  ),
  ...Object.fromEntries(
    ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"].map((name) => [name, Math.min]),
  ),
};

/** Returns the types that both lists allow; by default, the later ones. */
function commonTypes(a: string[], b: string[]): string[] {
  const isIn = (type: string, types: string[]) =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  const common = new Set([...a.filter((type) => isIn(type, b)), ...b.filter((type) => isIn(type, a))]);
  return common.size > 0 ? [...common] : b;
}

/** Keywords whose values are schemas, by what contains these. Their views are made when they are read. */
const parts = {
  byName: ["properties", "patternProperties"],
  inList: ["prefixItems", "oneOf", "anyOf"],
  single: ["items", "contains", "additionalProperties", "propertyNames", "not"],
} as const;

const withSchemas: ReadonlySet<string> = new Set(Object.values(parts).flat());

/** The keywords of references and compositions, which a view has no longer. */
const resolved: ReadonlySet<string> = new Set(["$ref", "allOf", "discriminator", ...withSchemas]);

/** Keywords beside `$ref` that describe its place, and leave the schema as it is. */
const annotations: ReadonlySet<string> = new Set(["$ref", "summary", "description", "title", "deprecated"]);

/** The most schemas that are merged into one by `allOf` and `$ref`. */
const MERGED = 1000;

/**
 * The schemas of a document, as one side sends their values. Each is a view: a schema without `$ref` and `allOf`, whose parts
 * are views too, made when they are read. So a view can contain itself.
 */
export class Schemas {
  readonly #document: Node;
  readonly #sender: Sender;
  readonly #onView: (view: Schema, nodes: readonly unknown[]) => void;
  readonly #views = new Map<unknown, Schema>();

  /** `onView` is called for each new view, with the schemas of the document that all apply to its values. */
  constructor(document: Node, sender: Sender, onView: (view: Schema, nodes: readonly unknown[]) => void) {
    this.#document = document;
    this.#sender = sender;
    this.#onView = onView;
  }

  /** Returns the view of a schema of the document. */
  of(node: unknown): Schema {
    const target = this.#isReference(node) ? follow(this.#document, node) : node;
    const known = this.#views.get(target);
    if (known) return known;
    const view: Schema = {};
    this.#views.set(target, view);
    this.#fill(view, [target]);
    return view;
  }

  /** Returns the view of schemas that all apply. */
  #all(nodes: readonly unknown[]): Schema {
    const [first, ...others] = nodes;
    if (others.length === 0) return this.of(first);
    const view: Schema = {};
    this.#fill(view, nodes);
    return view;
  }

  /** Returns whether a schema is only a reference. */
  #isReference(node: unknown): boolean {
    return isObject(node) && typeof node.$ref === "string" && Object.keys(node).every((name) => annotations.has(name));
  }

  #fill(view: object, nodes: readonly unknown[]): void {
    const flat = nodes.flatMap((node) => this.#flat(node));
    const keywords: Record<string, unknown> = {};
    for (const node of flat) {
      for (const [name, value] of Object.entries(node)) {
        if (resolved.has(name) || value === undefined) continue;
        const merge = Object.hasOwn(keywords, name) ? merges[name] : undefined;
        keywords[name] = merge ? merge(keywords[name] as never, value as never) : value;
      }
    }
    const { required, ...others } = keywords;
    Object.assign(view, others);
    const properties = membersOf(flat, "properties");
    for (const { properties: own = {}, additionalProperties: others } of flat) {
      // What one schema says about all other members is all that is known of a member which another one declares as {}.
      for (const [name, all] of isObject(others) ? properties : []) {
        if (
          !Object.hasOwn(own as object, name) &&
          all.every((node) => isObject(node) && Object.keys(node).length === 0)
        )
          all.push(others);
      }
    }
    const isForeign = (name: string) => (properties.get(name) ?? []).some((node) => this.#isForeign(node));
    if (Array.isArray(required)) Object.assign(view, { required: required.filter((name) => !isForeign(name)) });
    for (const name of parts.byName) {
      const members = name === "properties" ? properties : membersOf(flat, name);
      // A client may send back what it has read, but a service never shows a secret.
      const shown = [...members].filter(([each]) => this.#sender === "client" || !isForeign(each));
      if (members.size === 0) continue;
      lazyMember(view, name, () => Object.fromEntries(shown.map(([each, all]) => [each, this.#all(all)])));
    }
    for (const name of parts.inList) {
      const list = flat.map((node) => node[name]).find((each) => Array.isArray(each) && each.length > 0);
      if (Array.isArray(list)) lazyMember(view, name, () => list.map((each) => this.of(each)));
    }
    for (const name of parts.single) {
      const found = flat.map((node) => node[name]).filter((each) => each !== undefined);
      const schemas = found.filter(isObject);
      if (found.includes(false)) Object.assign(view, { [name]: false });
      else if (schemas.length > 0) lazyMember(view, name, () => this.#all(schemas));
      else if (found.length > 0) Object.assign(view, { [name]: true });
    }
    // That of the schema itself, or of a union: what a schema extends has a discriminator for others.
    const unions = [...flat.filter(({ oneOf, anyOf }) => oneOf ?? anyOf), ...nodes.filter(isObject)];
    const tags = unions.map((node) => tagsOf(this.#document, node)).find((each) => each !== undefined);
    if (tags) {
      const mapping = () => Object.fromEntries([...tags.byTag].map(([tag, node]) => [tag, this.of(node)]));
      lazyMember(view, "discriminator", () => lazyMember({ propertyName: tags.propertyName }, "mapping", mapping));
    }
    this.#onView(view, nodes);
  }

  /** Returns the schemas that apply together to the values of a schema, each once, the more general ones first. */
  #flat(node: unknown, seen = new Set<unknown>()): Node[] {
    if (node === false) return [{ not: {} }];
    if (!isObject(node) || seen.has(node) || seen.size > MERGED) return [];
    seen.add(node);
    const { $ref, allOf } = node;
    const target = typeof $ref === "string" ? this.#flat(targetOf(this.#document, $ref), seen) : [];
    const all = Array.isArray(allOf) ? allOf.flatMap((each) => this.#flat(each, seen)) : [];
    return [...target, ...all, node];
  }

  /** Returns the names of the members of a schema that only the other side sends. */
  foreignMembers(node: unknown): string[] {
    const members = membersOf(this.#flat(node), "properties");
    return [...members].filter(([, all]) => all.some((each) => this.#isForeign(each))).map(([name]) => name);
  }

  #isForeign(node: unknown): boolean {
    const keyword = foreign[this.#sender];
    return isObject(node) && (node[keyword] === true || follow(this.#document, node)[keyword] === true);
  }
}

/** Returns the schemas of each member, of all schemas together. */
function membersOf(nodes: readonly Node[], keyword: string): Map<string, unknown[]> {
  const members = new Map<string, unknown[]>();
  for (const { [keyword]: own } of nodes) {
    if (!isObject(own)) continue;
    for (const [name, node] of Object.entries(own)) members.set(name, [...(members.get(name) ?? []), node]);
  }
  return members;
}

/** Adds a member whose value is made when it is first read. Returns the object. */
export function lazyMember<Target extends object>(target: Target, name: string, make: () => unknown): Target {
  return Object.defineProperty(target, name, {
    configurable: true,
    enumerable: true,
    get(this: object) {
      const value = make();
      // A copy of the object has the getter too.
      Object.defineProperty(this, name, { value, enumerable: true });
      return value;
    },
  });
}
