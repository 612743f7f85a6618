import type { Schema } from "./json-schema.ts";
import { isObject } from "./text/shown.ts";

/** The levels of required members that are filled: a schema can require itself, in several members. */
const LEVELS = 6;

/** The most items and characters of a value. With a longer one, an error of a few words would have megabytes. */
const ITEMS = 10;
const CHARACTERS = 1000;

/** Texts by the formats of JSON Schema (2020-12, section 7.3). */
const texts: Readonly<Record<string, string>> = {
  "date-time": "2024-01-01T00:00:00.000Z",
  date: "2024-01-01",
  time: "00:00:00Z",
  email: "user@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/**
 * Returns a small value that matches the schema in most cases: with the required members only. Never throws, and ends for
 * schemas that contain themselves.
 */
export function minimalValue(schema: Schema, level = 0): unknown {
  const { type, enum: values, oneOf, anyOf = oneOf, default: initial, minItems = 0, items = {} } = schema;
  if ("const" in schema) return schema.const;
  if (values) return values[0];
  if (initial !== undefined) return initial;
  const [option] = anyOf ?? [];
  if (option && !type) return level < LEVELS ? minimalValue(option, level + 1) : null;
  switch ([type].flat()[0] ?? (schema.properties ? "object" : undefined)) {
    case "object":
      return withRequired(schema, {}, level);
    case "array":
      return level < LEVELS
        ? Array.from({ length: Math.min(minItems, ITEMS) }, () => minimalValue(items, level + 1))
        : [];
    case "string":
      return texts[schema.format ?? ""] ?? "".padEnd(Math.min(schema.minLength ?? 0, CHARACTERS), "-");
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 0, Math.min(schema.maximum ?? 0, 0));
    case "boolean":
      return false;
    default:
      return null;
  }
}

/** Returns the object with a value for each required member, at all depths, that it lacks or that has another type. */
export function withRequired(schema: Schema, given: object, level = 0): Readonly<Record<string, unknown>> {
  const { required = [], properties = {} } = schema;
  const value: Record<string, unknown> = { ...given };
  if (level >= LEVELS) return value;
  for (const name of required) {
    const member = Object.hasOwn(properties, name) ? (properties[name] ?? {}) : {};
    if (!Object.hasOwn(value, name) || !hasType(member, value[name])) value[name] = minimalValue(member, level + 1);
  }
  for (const [name, member] of Object.entries(properties)) {
    const held = member.required && Object.hasOwn(value, name) ? value[name] : undefined;
    if (isObject(held)) value[name] = withRequired(member, held, level + 1);
  }
  return value;
}

/** Returns whether a value has one of the types of the schema. */
function hasType({ type }: Schema, value: unknown): boolean {
  if (type === undefined) return true;
  return [type].flat().some((each) => {
    if (each === "null") return value === null;
    if (each === "array") return Array.isArray(value);
    if (each === "object") return isObject(value);
    if (each === "integer") return Number.isInteger(value);
    return typeof value === each;
  });
}
