import {
  cachedBy,
  dateTime,
  didYouMean,
  instantOf,
  isObject,
  type ResourceType,
  type Schema,
  string,
} from "../../contract/index.ts";
import type { Item } from "../item.ts";
import type { Cursor, QueryToken } from "./cursor.ts";

/*
 * The fields of resources that queries name, and the types of their values.
 */

/** The types of single values in fields. */
export type ValueType = "integer" | "number" | "string" | "boolean" | "date-time";

/** A value for comparisons. A date-time is its instant in milliseconds, as one instant has many notations. */
export type Value = string | number | boolean;

/** What the query language needs to know of a type. */
interface TypeRules {
  /** The name of the type in messages. */
  readonly name: string;
  readonly literal: QueryToken["kind"];
  /** The type of such values in resources, as of `typeof`. */
  readonly held: "number" | "string" | "boolean";
  /** Returns the value of a literal or variable; `undefined` if the text is not a value of the type. */
  read(text: string): Value | undefined;
}

export const valueTypes: Readonly<Record<ValueType, TypeRules>> = {
  integer: { name: "an integer", literal: "number", held: "number", read: (text) => numberIn(text, Number.isInteger) },
  number: { name: "a number", literal: "number", held: "number", read: (text) => numberIn(text, Number.isFinite) },
  string: { name: "a string", literal: "string", held: "string", read: (text) => text },
  boolean: {
    name: "true or false",
    literal: "word",
    held: "boolean",
    read: (text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : undefined),
  },
  "date-time": {
    name: 'a date-time (RFC 3339, such as "2024-05-17T09:30:00.000Z")',
    literal: "string",
    held: "string",
    read: instantOf,
  },
};

const decimal = /^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

function numberIn(text: string, isAllowed: (value: number) => boolean): number | undefined {
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  return isAllowed(value) ? value : undefined;
}

/**
 * Returns a field's content as a value of the type; `undefined` if the field is absent or has another type. The
 * settings `report` and `off` of `validation` let other types into the state.
 */
export function heldValue(type: ValueType, held: unknown): Value | undefined {
  if (typeof held !== valueTypes[type].held) return undefined;
  return type === "date-time" ? instantOf(held as string) : (held as Value);
}

/**
 * Returns -1, 0 or 1. Both values have the same type. Strings compare by code unit, so the order is the same
 * everywhere.
 */
export function compareValues(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A field of the query language: a value, an array of values, an object, or an array of objects. */
export type Field =
  | { readonly kind: "value" | "values"; readonly type: ValueType }
  | { readonly kind: "object" | "objects"; readonly fields: Fields };

/** Fields by name; undefined if the values of a field can have several types. In a map, `constructor` is an unknown name. */
export type Fields = ReadonlyMap<string, Field | undefined>;

/** The fields that `where` and `sort` accept: those of the schema of a type, its identities and the times. */
export const fieldsOfType = cachedBy(({ alternates = [], schema }: ResourceType): Fields => {
  const identities = ["id", ...alternates].map((name) => [name, string] as const);
  const times = { createdAt: dateTime, lastModifiedAt: dateTime };
  return fieldsOf({ properties: { ...Object.fromEntries(identities), ...times, ...schema?.properties } });
});

/** Reads the name of a field. @throws ServiceError InvalidField with the most similar name, or with all known names. */
export function takeField(cursor: Cursor, fields: Fields): { name: string; field: Field } {
  const { kind, text: name } = cursor.token;
  if (kind !== "word" && kind !== "quoted") throw cursor.unexpected("a field");
  const field = fields.get(name);
  if (!field && fields.has(name)) {
    throw cursor.unexpected("a queryable field", ". The contract has no type or several types for this field.");
  }
  if (!field) {
    const known = [...fields.keys()];
    throw cursor.unexpected("a field", `.${didYouMean(name, known) || ` Known fields: ${known.join(", ")}.`}`);
  }
  cursor.take();
  return { name, field };
}

/** Returns the value of a field of the query language in an item; `undefined` if it is absent or `null`. */
export function itemMember(item: Item, name: string): unknown {
  const known = name === "id" || name === "createdAt" || name === "lastModifiedAt" ? item[name] : undefined;
  return member(item.content, name) ?? member(item.alternates, name) ?? known;
}

/** Returns a member of an object; `undefined` if it is absent or `null`, or if `holder` is not an object. */
export function member(holder: unknown, name: string): unknown {
  return isObject(holder) && Object.hasOwn(holder, name) ? (holder[name] ?? undefined) : undefined;
}

/** Returns the fields of an object. Those of its members follow at their first use, as a schema can contain itself. */
const fieldsOf = cachedBy(({ properties = {} }: Schema): Fields => {
  return new Map(Object.entries(properties).map(([name, schema]) => [name, fieldOf(schema)]));
});

function fieldOf(schema: Schema): Field | undefined {
  const { items = {}, format } = schema;
  const type = typeOf(schema);
  switch (type) {
    case "object":
      return fieldsIn("object", schema);
    case "array": {
      if (typeOf(items) === "object") return fieldsIn("objects", items);
      const element = typeOf(items) === "array" ? undefined : fieldOf(items);
      return element?.kind === "value" ? { kind: "values", type: element.type } : undefined;
    }
    case "string":
      return { kind: "value", type: format === "date-time" ? "date-time" : "string" };
    case "integer":
    case "number":
    case "boolean":
      return { kind: "value", type };
  }
  return undefined;
}

function fieldsIn(kind: "object" | "objects", schema: Schema): Field {
  return {
    kind,
    get fields() {
      return fieldsOf(schema);
    },
  };
}

/** Returns the only type of a schema beside null; undefined if it has none or several. */
function typeOf({ type, properties }: Schema): unknown {
  const [only, ...others] = [type ?? (properties ? "object" : [])].flat().filter((each) => each !== "null");
  return others.length === 0 ? only : undefined;
}
