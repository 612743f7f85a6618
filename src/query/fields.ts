import type { Schema } from "../contract/schema.ts";
import { ObjectTestType, OutOfOrderPropertiesTestType } from "../contract/schemas.ts";
import { isObject } from "../text/json.ts";
import { didYouMean } from "../text/nearest.ts";
import type { Cursor } from "./tokens.ts";
import type { ValueType } from "./values.ts";

/** A field that can be asked for: a value, an array of values, an object, or an array of objects. */
export type Field =
  | { readonly kind: "value" | "values"; readonly type: ValueType }
  | { readonly kind: "object" | "objects"; readonly fields: Fields };

/** By name. A map, so that `constructor` or `__proto__` is as unknown as any other name. */
export type Fields = ReadonlyMap<string, Field>;

/** Section 2.5 of the interface is where these fields of a record are typed. */
const { id, key, createdAt, lastModifiedAt } = OutOfOrderPropertiesTestType.properties;

/** What `where` and `sort` can ask for (DESIGN section 3): ObjectTestType, and what a record knows about itself. */
export const recordFields: Fields = fieldsOf({ id, key, createdAt, lastModifiedAt, ...ObjectTestType.properties });

/** Takes the name of one of the fields. @throws ServiceError InvalidField that names the nearest, or all there are. */
export function takeField(cursor: Cursor, fields: Fields): { name: string; field: Field } {
  const { kind, text: name } = cursor.token;
  if (kind !== "word" && kind !== "quoted") throw cursor.unexpected("a field");
  const field = fields.get(name);
  if (!field) {
    const known = [...fields.keys()];
    throw cursor.unexpected("a field", `.${didYouMean(name, known) || ` Known here: ${known.join(", ")}.`}`);
  }
  cursor.take();
  return { name, field };
}

/** The member of an object; `undefined` when there is none, or it is `null`, or the holder is no object. */
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
