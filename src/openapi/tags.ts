import { isObject } from "../contract/index.ts";
import { follow, type Node } from "./references.ts";

/** The values of the member that names the kind of an object, and a reference to the schema of each kind. */
export interface Tags {
  readonly propertyName: string;
  readonly byTag: ReadonlyMap<string, Node>;
}

/** How deep the values of a member are looked for. Schemas can contain themselves. */
const LEVELS = 4;

/**
 * Returns what the `discriminator` of a schema says: its mapping, and the names of the other options, as each option that is
 * a reference has its name as its value (OpenAPI 3.1, 4.8.25), or the values that it declares. A union has that of its
 * options too, if all extend the same schema. Undefined if it names no schema, or if a value fits several.
 */
export function tagsOf(document: Node, { discriminator, oneOf, anyOf = oneOf }: Node): Tags | undefined {
  const options = ((anyOf ?? []) as Node[]).filter(({ $ref }) => typeof $ref === "string");
  const parents = new Set(options.map((option) => discriminatorOfParent(document, option)));
  const [inherited] = parents.size === 1 ? parents : [];
  type Discriminator = { readonly propertyName?: string; readonly mapping?: Readonly<Record<string, string>> };
  const { propertyName, mapping = {} } = (discriminator ?? inherited ?? {}) as Discriminator;
  if (propertyName === undefined) return undefined;
  const byTag = new Map<string, Node>();
  for (const [tag, $ref] of Object.entries(mapping)) {
    if (discriminator || options.some((option) => option.$ref === $ref)) byTag.set(tag, { $ref });
  }
  const mapped = new Set([...byTag.values()].map(({ $ref }) => $ref));
  for (const option of options) {
    const $ref = String(option.$ref);
    if (mapped.has($ref)) continue;
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    const declared = declaredTags(document, option, propertyName);
    // Where the option allows other values only, the document means these.
    for (const tag of declared.length === 0 || declared.includes(name) ? [name] : declared) {
      // The value does not tell these options apart.
      if ((byTag.get(tag)?.$ref ?? $ref) !== $ref) return undefined;
      byTag.set(tag, option);
    }
  }
  return byTag.size > 0 ? { propertyName, byTag } : undefined;
}

/** Returns the texts that a schema declares for a member. */
function declaredTags(document: Node, schema: Node, propertyName: string, level = 0): string[] {
  const { properties = {}, allOf = [], oneOf = [], anyOf = [] } = follow(document, schema) as Record<string, Node[]>;
  const own = follow(document, (properties as unknown as Node)[propertyName]);
  const values = "const" in own ? [own.const] : Array.isArray(own.enum) ? own.enum : [];
  const parts = level < LEVELS ? [...allOf, ...oneOf, ...anyOf] : [];
  const below = parts.flatMap((part) => declaredTags(document, part, propertyName, level + 1));
  return [...values.filter((value) => typeof value === "string"), ...below];
}

/** Returns the discriminator of a schema, or of the schema that it extends by `allOf`. */
function discriminatorOfParent(document: Node, schema: Node): unknown {
  const { discriminator, allOf = [] } = follow(document, schema);
  if (isObject(discriminator)) return discriminator;
  return (allOf as Node[]).map((part) => follow(document, part).discriminator).find(isObject);
}
