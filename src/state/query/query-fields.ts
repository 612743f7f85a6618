import {
  didYouMean,
  isObject,
  ObjectTestType,
  OutOfOrderPropertiesTestType,
  type Schema,
} from "../../contract/index.ts";
import type { Cursor } from "./cursor.ts";
import type { ValueType } from "./typed-values.ts";

/** A field of the query language: a value, an array of values, an object, or an array of objects. */
export type Field =
  | { readonly kind: "value" | "values"; readonly type: ValueType }
  | { readonly kind: "object" | "objects"; readonly fields: Fields };

/** Fields by name. In a map, `constructor` and `__proto__` are unknown names like any other. */
export type Fields = ReadonlyMap<string, Field>;

/** Section 2.5 of the interface defines the types of these fields. */
const { id, key, createdAt, lastModifiedAt } = OutOfOrderPropertiesTestType.properties;

/** The fields that `where` and `sort` accept: those of ObjectTestType, and id, key and timestamps. */
export const recordFields: Fields = fieldsOf({ id, key, createdAt, lastModifiedAt, ...ObjectTestType.properties });

/** Reads the name of a field. @throws ServiceError InvalidField with the most similar name, or with all known names. */
export function takeField(cursor: Cursor, fields: Fields): { name: string; field: Field } {
  const { kind, text: name } = cursor.token;
  if (kind !== "word" && kind !== "quoted") throw cursor.unexpected("a field");
  const field = fields.get(name);
  if (!field) {
    const known = [...fields.keys()];
    throw cursor.unexpected("a field", `.${didYouMean(name, known) || ` Known fields: ${known.join(", ")}.`}`);
  }
  cursor.take();
  return { name, field };
}

/** Returns a member of an object; `undefined` if it is absent or `null`, or if `holder` is not an object. */
export function member(holder: unknown, name: string): unknown {
  return isObject(holder) && Object.hasOwn(holder, name) ? (holder[name] ?? undefined) : undefined;
}

function fieldsOf(properties: { readonly [name: string]: Schema }): Fields {
  return new Map(Object.entries(properties).map(([name, schema]) => [name, fieldOf(schema)]));
}

function fieldOf({ type, items, format, properties }: Schema): Field {
  switch (type) {
    case "object":
      return { kind: "object", fields: fieldsOf(properties ?? {}) };
    case "array": {
      const element = fieldOf(items ?? {});
      if (element.kind === "value") return { kind: "values", type: element.type };
      if (element.kind === "object") return { kind: "objects", fields: element.fields };
      break;
    }
    case "string":
      return { kind: "value", type: format === "date-time" ? "date-time" : "string" };
    case "integer":
    case "number":
    case "boolean":
      return { kind: "value", type };
  }
  throw new TypeError(`the query language has no fields of type ${JSON.stringify(type)}`);
}
