import { instantOf } from "../../contract/index.ts";

/** The types of single values in fields. */
export type ValueType = "integer" | "number" | "string" | "boolean" | "date-time";

/** A value for comparisons. A date-time is its instant in milliseconds, as one instant has many notations. */
export type Value = string | number | boolean;

/** The names of the types in messages. */
export const typeNames: Readonly<Record<ValueType, string>> = {
  integer: "an integer",
  number: "a number",
  string: "a string",
  boolean: "true or false",
  "date-time": 'a date-time (RFC 3339, such as "2024-05-17T09:30:00.000Z")',
};

const decimal = /^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** Returns the value of a literal or variable; `undefined` if the text is not a value of the type. */
export function readValue(type: ValueType, text: string): Value | undefined {
  switch (type) {
    case "string":
      return text;
    case "date-time":
      return instantOf(text);
    case "boolean":
      return text.toLowerCase() === "true" ? true : text.toLowerCase() === "false" ? false : undefined;
    case "integer":
    case "number": {
      const value = decimal.test(text) ? Number(text) : Number.NaN;
      return (type === "integer" ? Number.isInteger(value) : Number.isFinite(value)) ? value : undefined;
    }
  }
}

/**
 * Returns a field's content as a value of the type; `undefined` if the field is absent or has another type. The
 * settings `report` and `off` of `validation` let other types into the state.
 */
export function heldValue(type: ValueType, held: unknown): Value | undefined {
  switch (type) {
    case "string":
      return typeof held === "string" ? held : undefined;
    case "date-time":
      return typeof held === "string" ? readValue(type, held) : undefined;
    case "boolean":
      return typeof held === "boolean" ? held : undefined;
    case "integer":
    case "number":
      return typeof held === "number" ? held : undefined;
  }
}

/**
 * Returns -1, 0 or 1. Both values have the same type. Strings compare by code unit, so the order is the same
 * everywhere.
 */
export function compareValues(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
