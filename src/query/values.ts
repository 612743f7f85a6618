import { instantOf } from "../contract/formats.ts";

/** The types of the single values that a field can hold. */
export type ValueType = "integer" | "number" | "string" | "boolean" | "date-time";

/** A value as it is compared. A date-time is its instant, in milliseconds: the same instant can be written many ways. */
export type Value = string | number | boolean;

/** How messages name a value of the type. */
export const typeNames: Readonly<Record<ValueType, string>> = {
  integer: "an integer",
  number: "a number",
  string: "a string",
  boolean: "true or false",
  "date-time": 'a date-time (RFC 3339, such as "2024-05-17T09:30:00.000Z")',
};

const decimal = /^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** Reads a value from text: a literal's, or a variable's. `undefined` when the text is not of the type. */
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
 * What a record holds, as a value of the type. `undefined` when it is absent, or of another type (which validation
 * turned down or off lets in): nothing equals it.
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

/** Below, at or above 0, for values of one type. Strings go by code unit: the same on every machine. */
export function compareValues(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
