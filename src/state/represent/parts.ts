import {
  hasType,
  isObject,
  likeliest,
  type MemberPath,
  matches,
  narrow,
  optionFor,
  partsOf,
  type Schema,
  variantsOf,
} from "../../contract/index.ts";

/* Parts of values and of schemas, by their paths. */

/** Returns a name without case, `_` and `-`: documents name one value in different ways. */
export function plainName(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}

/** Returns the schema of a value: for a union, that of the option that allows the value, or else declares most of it. */
export function formOf(schema: Schema, value: unknown): Schema {
  const { discriminator, oneOf, anyOf } = schema;
  const tag = discriminator && isObject(value) ? String(value[discriminator.propertyName]) : "";
  const { mapping = {} } = discriminator ?? {};
  const named = Object.hasOwn(mapping, tag) ? mapping[tag] : undefined;
  if (named && named !== schema) return narrow(schema, named);
  if (!oneOf && !anyOf) return schema;
  const possible = variantsOf(schema).filter((option) => hasType(option, value));
  const option = (possible.length > 1 ? optionFor(schema, value) : undefined) ?? likeliest(possible, value);
  return option ? narrow(schema, option) : schema;
}

/** Returns the schema of a part; undefined if the schema does not describe it. `value` decides between options. */
export function schemaAt(schema: Schema, [name, ...below]: MemberPath, value?: unknown): Schema | undefined {
  if (name === undefined) return schema;
  const holder = isObject(value) || Array.isArray(value) ? value : { [name]: undefined };
  const [part] = partsOf(formOf(schema, holder), holder, name);
  return part && schemaAt(part, below, (holder as Readonly<Record<string, unknown>>)[name]);
}

/** Returns the value with another part at this path; without the part if it is undefined. */
export function withPart(value: unknown, [name, ...below]: MemberPath, part: unknown): unknown {
  if (name === undefined) return part;
  if (Array.isArray(value)) {
    const index = Number(name);
    if (!(index < value.length)) return value;
    const changed = withPart(value[index], below, part);
    return changed === undefined ? value.toSpliced(index, 1) : value.with(index, changed);
  }
  const members = new Map(isObject(value) ? Object.entries(value) : []);
  const changed = withPart(members.get(name), below, part);
  if (changed === undefined) members.delete(name);
  else members.set(name, changed);
  return Object.fromEntries(members);
}

/** Returns a text as the value that the schema allows: a number, true or false, or the text itself. */
export function typedText(schema: Schema | undefined, text: string): unknown {
  if (!schema || matches(schema, text)) return text;
  const number = /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
  const candidates = [number, text === "true" ? true : text === "false" ? false : undefined];
  return candidates.find((each) => each !== undefined && matches(schema, each)) ?? text;
}

export function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
