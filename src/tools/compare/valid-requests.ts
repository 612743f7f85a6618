import {
  delimiterOf,
  isObject,
  join,
  jsonValue,
  kindOf,
  MAX_ID,
  type MemberPath,
  makeValue,
  matches,
  minimalLeaf,
  minimalValue,
  type Operation,
  type Parameter,
  type Schema,
  type SeenValue,
  segmentsOf,
  valueAt,
} from "../../contract/index.ts";
import { schemaAt, withPart } from "../../state/index.ts";
import { needs } from "./facts.ts";
import type { Sent } from "./service-requests.ts";
import { typeToSend } from "./service-requests.ts";

/* The parts of valid requests, as the contract describes them: examples where it has them, and else the least. */

/** The most values of a body that are compared, and the most members of it that get wrong values. */
const MOST_COMPARED = 20;

/** Returns a value that the parameter accepts; undefined for a text without a form. Wrong examples are left out. */
export function knownValue({ example, schema, pattern }: Parameter): unknown {
  if (pattern) return undefined;
  const { examples = [], default: initial, items, type = "string", format, enum: values } = schema;
  const item = items && knownValue({ in: "query", name: "", schema: items });
  const isOpen = items ? item === undefined : [type].flat().includes("string") && !(format ?? values);
  const least = isOpen ? [] : [items ? [item] : minimalValue(schema)];
  const accepted = [example, ...examples, initial, ...least].filter((each) => each !== undefined);
  return accepted.find((each) => matches(schema, each) || (each === example && matches(schema, jsonValue(example))));
}

/** Returns a value for a parameter: a new name by default. Throws Skip if it would not be accepted, or is an object in a path. */
export function valueFor(parameter: Parameter, newName: () => string): unknown {
  const { schema, name } = parameter;
  const known = knownValue(parameter);
  const value = known ?? newName().slice(-(schema.maxLength ?? MAX_ID));
  const isWritable = parameter.in === "query" || !isObject(value);
  needs((known !== undefined || matches(schema, value)) && isWritable, `a value of the parameter ${name}`);
  return value;
}

/** Returns a value that the parameter does not accept; undefined if it accepts any text. */
export function wrongValue({ schema, pattern, serialization }: Parameter): string | undefined {
  if (pattern || serialization?.mediaType) return undefined;
  const item = schema.items ?? schema;
  const isChecked = item.enum || (item.type !== undefined && ![item.type].flat().includes("string")) || item.anyOf;
  const isText = [item, ...(item.anyOf ?? item.oneOf ?? [])].some((each) => matches(each, "abc"));
  return isChecked && !isText && !schema.properties ? "abc" : undefined;
}

/** Returns a query parameter with a value (OpenAPI 3.1, 4.8.12.5). */
export function queryWith({ name, serialization: how, repeatable }: Parameter, value: unknown): string {
  const text = (each: unknown) => (typeof each === "object" ? JSON.stringify(each) : String(each));
  const pair = (key: string, each: unknown) => `${key}=${text(each).replace(/[&+%]/g, encodeURIComponent)}`;
  const isSplit = how ? how.explode : repeatable;
  if (Array.isArray(value))
    return isSplit ? value.map((each) => pair(name, each)).join("&") : pair(name, value.join(delimiterOf(how?.style)));
  if (!isObject(value) || !how || how.mediaType) return pair(name, value);
  const nameOf = (member: string) => (how.style === "deepObject" ? `${name}[${member}]` : member);
  return Object.entries(value)
    .map(([member, each]) => pair(nameOf(member), each))
    .join("&");
}

/** Returns a query with the parameters of both; of a name in both, only those of the second one. */
export function combined(query = "", change = ""): string {
  const changed = new Set(new URLSearchParams(change).keys());
  const kept = query.split("&").filter((pair) => pair !== "" && !changed.has(pair.slice(0, pair.indexOf("="))));
  return [...kept, ...(change ? [change] : [])].join("&");
}

/** Returns the required query parameters, headers and cookies of an operation. `newName` returns texts for those without a value. */
export function requiredParts({ parameters }: Operation, newName: () => string): Pick<Sent, "query" | "headers"> {
  const required = parameters.filter((each) => each.required);
  const headers = required.filter((each) => each.in === "header" && each.name.toLowerCase() !== "authorization");
  const pairs = (place: "query" | "cookie") =>
    required.flatMap((each) => (each.in === place ? queryWith(each, valueFor(each, newName)) : []));
  const cookies = pairs("cookie").join("; ");
  return {
    query: pairs("query").join("&"),
    headers: {
      ...Object.fromEntries(headers.map((each) => [each.name, String(valueFor(each, newName))])),
      ...(cookies && { Cookie: cookies }),
    },
  };
}

/** Returns the schema of the bodies that `typeToSend` names; undefined if they are bytes. */
export function schemaToSend(operation: Operation): Schema | undefined {
  const { body } = operation;
  return body?.schemas?.[typeToSend(operation)] ?? body?.schema;
}

/**
 * Returns a body with the required members, or with one optional member if none is required. Texts without a form are new
 * names. `known`: members with these values, if bodies have such members. `sample`: the body without them.
 */
export function validBody(
  operation: Operation,
  newName: () => string,
  known: readonly (readonly [MemberPath, unknown])[] = [],
  sample?: unknown,
): Pick<Sent, "json" | "body" | "type"> {
  const type = typeToSend(operation);
  const schema = schemaToSend(operation);
  if (!schema) return { body: newName(), type: type.replace("/*", "/png") };
  const least = sample ?? sampleOf(schema, newName);
  const at = operation.role?.body ?? [];
  const value = known.reduce((body, [place, part]) => {
    const member = [...at, ...place];
    return place.length > 0 && part !== undefined && schemaAt(schema, member, body)
      ? withPart(body, member, part)
      : body;
  }, least);
  const kind = kindOf(type);
  if (kind === "json") return { json: value, type };
  const fields = isObject(value) ? Object.entries(value) : [];
  if (kind === "form") {
    return { body: new URLSearchParams(fields.map(([name, each]) => [name, String(each)])).toString(), type };
  }
  if (kind !== "multipart") return { body: typeof value === "string" ? value : newName(), type };
  const boundary = "----resource-mock";
  const parts = fields.map(([name, each]) => {
    const { format, contentMediaType } = (schema.properties?.[name] ?? {}) as Schema & { contentMediaType?: string };
    const isFile = format === "binary" || contentMediaType !== undefined;
    const file = isFile ? `; filename="${newName()}.txt"\r\nContent-Type: ${contentMediaType ?? "text/plain"}` : "";
    const text = typeof each === "object" ? JSON.stringify(each) : String(each);
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}\r\n`;
  });
  return { body: `${parts.join("")}--${boundary}--\r\n`, type: `${type}; boundary=${boundary}` };
}

function sampleOf(schema: Schema, newName: () => string): unknown {
  const leaf: Parameters<typeof makeValue>[1]["leaf"] = (part, type) => {
    const example = part.examples?.find((each) => matches(part, each));
    const { format, maxLength = 64 } = part;
    const isName = type === "string" && !part.enum && !("const" in part) && (!format || format === "email");
    const name = format === "email" ? `${newName()}@example.com` : newName().slice(-maxLength);
    if (isName && matches(part, name)) return name;
    return example ?? minimalLeaf(part, type);
  };
  const value = makeValue(schema, { isFull: false, size: 1000, pick: () => 0, leaf }) ?? null;
  if (!isObject(value) || Object.values(value).some((each) => typeof each !== "object")) return value;
  const isPlain = ([name, { type, format, readOnly, deprecated }]: [string, Schema]) =>
    /string|boolean|integer|number/.test(String(type)) && !format && !readOnly && !deprecated && !/id$/i.test(name);
  const [member] = Object.entries(schema.properties ?? {}).filter(isPlain);
  return member ? { ...value, [member[0]]: leaf(member[1], [member[1].type].flat()[0], {} as never) } : value;
}

/** Returns members of a body with wrong values, by what is wrong with the body; undefined for a missing member. */
export function wrongMembers(schema: Schema, valid: unknown): Readonly<Record<string, readonly [string, unknown]>> {
  const { properties = {}, required = [] } = schema;
  if (!isObject(valid)) return {};
  const wrong = Object.entries(properties).flatMap(([name, member]) => {
    const value = ["abc", 1.5, { abc: 1 }].find((each) => member.type !== undefined && !matches(member, each));
    if (value === undefined || member.readOnly) return [];
    return [[`${name} with ${JSON.stringify(value)}`, [name, value]] as const];
  });
  const missing = required.filter((name) => name in valid && !properties[name]?.readOnly);
  const less = missing.map((name) => [`a body without ${name}`, [name, undefined]] as const);
  return Object.fromEntries([...wrong.slice(0, MOST_COMPARED), ...less.slice(0, MOST_COMPARED)]);
}

/**
 * Returns the values that an item has in a response after it was sent: `[place, found, sent]`. Members that the schema of the
 * response does not have, or has in another form, are left out, and so are times and URLs: they have several forms.
 */
export function sentValues(schema: Schema, sent: unknown, found: unknown): readonly SeenValue[] {
  if (!isObject(sent)) return [];
  const leaves = (value: unknown, place: string): string[] =>
    isObject(value) || Array.isArray(value)
      ? Object.entries(value).flatMap(([name, each]) => leaves(each, join(place, name)))
      : [place];
  return leaves(sent, "")
    .slice(0, MOST_COMPARED)
    .flatMap((place) => {
      const member = segmentsOf(place);
      const form = schemaAt(schema, member, sent);
      const isCompared = form && !form.readOnly && !form.writeOnly && !/date|time|pass|ur[il]/.test(form.format ?? "");
      const value = valueAt(sent, member);
      return isCompared && matches(form, value) ? [[place, valueAt(found, member), value] as const] : [];
    });
}
