import { cut, detached, isObject, type Schema } from "../contract/index.ts";

/** Returns the value with texts and lists within their limits; the same value if they are. A cut text ends with `…`. */
export type Bound = (value: unknown) => unknown;

/** Returns the bound of values of a schema, by its limits of lengths; undefined without limits. Other values are cut too. */
export function boundOf(schema: Schema): Bound | undefined {
  const { maxLength, items, maxItems = Number.POSITIVE_INFINITY, properties, additionalProperties } = schema;
  const options = schema.oneOf ?? schema.anyOf;
  if (options) return boundOfOptions(options);
  if (maxLength !== undefined) return (value) => (typeof value === "string" ? shortText(value, maxLength) : value);
  if (items) return boundOfList(boundOf(items), maxItems);
  if (typeof additionalProperties === "object") return boundOfMap(schema, boundOf(additionalProperties));
  const members = Object.entries(properties ?? {}).flatMap(([name, member]) => {
    const bound = boundOf(member);
    return bound ? [[name, bound] as const] : [];
  });
  if (members.length === 0) return undefined;
  return (value) => {
    let short = value as Record<string, unknown>;
    for (const [name, bound] of members) {
      const member = short[name];
      const kept = member === undefined ? member : bound(member);
      if (kept !== member) short = { ...short, [name]: kept };
    }
    return short;
  };
}

/** Of several schemas, the value has that of its `kind`, or of its type. */
function boundOfOptions(options: readonly Schema[]): Bound | undefined {
  const byKind = new Map(options.map((option) => [option.properties?.kind?.const ?? option.type, boundOf(option)]));
  return (value) => {
    const kind = isObject(value) ? (value.kind ?? "object") : Array.isArray(value) ? "array" : typeof value;
    return byKind.get(kind)?.(value) ?? value;
  };
}

function boundOfList(ofItem: Bound | undefined, most: number): Bound {
  return (value) => {
    const list = value as readonly unknown[];
    if (list.length > most) return list.slice(0, most).map((item) => ofItem?.(item) ?? item);
    if (!ofItem) return list;
    for (const item of list) if (ofItem(item) !== item) return list.map(ofItem);
    return list;
  };
}

function boundOfMap({ maxProperties = 0, propertyNames }: Schema, ofMember: Bound | undefined): Bound {
  const { maxLength: longest = 0 } = propertyNames ?? {};
  return (value) => {
    const map = value as Readonly<Record<string, unknown>>;
    let members = 0;
    let isShort = true;
    for (const name in map) {
      const member = map[name];
      members++;
      if (name.length > longest || (member !== undefined && (ofMember?.(member) ?? member) !== member)) isShort = false;
    }
    if (isShort && members <= maxProperties) return map;
    const kept = Object.entries(map).filter(([name, member]) => name.length <= longest && member !== undefined);
    return Object.fromEntries(
      kept.slice(0, maxProperties).map(([name, member]) => [name, ofMember?.(member) ?? member]),
    );
  };
}

function shortText(text: string, most: number): string {
  return text.length <= most ? text : detached(cut(text, most - 1));
}
