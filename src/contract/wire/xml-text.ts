import { partsOf } from "../explain.ts";
import type { Schema } from "../json-schema.ts";
import { isObject } from "../text/shown.ts";
import { typeOf } from "./media-kinds.ts";

/** How a value is written as XML (OpenAPI 3.1, 4.8.26). */
export interface XmlForm {
  readonly name?: string;
  readonly namespace?: string;
  readonly prefix?: string;
  readonly attribute?: boolean;
  readonly wrapped?: boolean;
}

export function isXml(mediaType: string): boolean {
  return /[/+]xml$/.test(typeOf(mediaType));
}

/** Returns a value of the schema as XML. `name` is that of the schema. */
export function xmlText(value: unknown, schema: Schema, name = "root"): string {
  // A document has one element.
  const root = Array.isArray(value) ? { ...schema, xml: { ...schema.xml, wrapped: true } } : schema;
  return elements(name, value, root);
}

/** Returns the elements of a member: one, or those of the items of an array without an element around them. */
function elements(name: string, value: unknown, schema: Schema): string {
  const { xml = {}, items = {} } = schema;
  if (Array.isArray(value)) {
    const own = (xml.wrapped && xml.name) || name;
    const inner = value.map((item) => elements(own, item, items)).join("");
    return xml.wrapped ? element(own, xml, inner) : inner;
  }
  if (!isObject(value)) return element(name, xml, escaped(value));
  let [attributes, children] = ["", ""];
  for (const [each, part] of Object.entries(value)) {
    const [of = {}] = partsOf(schema, value, each);
    if (of.xml?.attribute) attributes += ` ${qualified(each, of.xml)}="${escaped(part)}"`;
    else children += elements(each, part, of);
  }
  return element(name, xml, children, attributes);
}

function element(name: string, xml: XmlForm, inner: string, attributes = ""): string {
  const tag = qualified(name, xml);
  const { namespace, prefix } = xml;
  const declared = namespace === undefined ? "" : ` xmlns${prefix ? `:${prefix}` : ""}="${escaped(namespace)}"`;
  return `<${tag}${declared}${attributes}>${inner}</${tag}>`;
}

/** Returns the name of an element or attribute, without characters that XML names cannot have. */
function qualified(name: string, { name: own = name, prefix }: XmlForm = {}): string {
  return `${prefix ? `${prefix}:` : ""}${own.replace(/[^\p{L}\p{N}_.:-]/gu, "_").replace(/^(?![\p{L}_])/u, "_")}`;
}

function escaped(value: unknown): string {
  const text = typeof value === "object" && value ? JSON.stringify(value) : String(value ?? "");
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
