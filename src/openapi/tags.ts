import { isObject } from "../contract/index.ts";
import { follow, type Node } from "./references.ts";

/** The values of the member that names the kind of an object, and a reference to the schema of each kind. */
export interface Tags {
  readonly propertyName: string;
  readonly byTag: ReadonlyMap<string, Node>;
}

interface Discriminator {
  readonly propertyName: string;
  readonly mapping?: Readonly<Record<string, string>>;
}

/**
 * Returns what the `discriminator` of a schema says: its mapping, and the names of the other options, as each option that is
 * a reference has its name as its value (OpenAPI 3.1, 4.8.25). A union has that of its options too, if all extend the same
 * schema. Undefined if it names no schema.
 */
export function tagsOf(document: Node, { discriminator, oneOf, anyOf = oneOf }: Node): Tags | undefined {
  const options = ((anyOf ?? []) as Node[]).filter(({ $ref }) => typeof $ref === "string");
  const parents = new Set(options.map((option) => discriminatorOfParent(document, option)));
  const [inherited] = parents.size === 1 ? parents : [];
  const { propertyName, mapping = {} } = (discriminator ?? inherited ?? {}) as Partial<Discriminator>;
  if (propertyName === undefined) return undefined;
  const byTag = new Map<string, Node>();
  for (const [tag, $ref] of Object.entries(mapping)) {
    if (discriminator || options.some((option) => option.$ref === $ref)) byTag.set(tag, { $ref });
  }
  const mapped = new Set([...byTag.values()].map(({ $ref }) => $ref));
  for (const option of options) {
    const $ref = String(option.$ref);
    if (!mapped.has($ref)) byTag.set($ref.slice($ref.lastIndexOf("/") + 1), option);
  }
  return byTag.size > 0 ? { propertyName, byTag } : undefined;
}

/** Returns the discriminator of the schema that a schema extends by `allOf`. */
function discriminatorOfParent(document: Node, schema: Node): unknown {
  const { allOf = [] } = follow(document, schema);
  return (allOf as Node[]).map((part) => follow(document, part).discriminator).find(isObject);
}
