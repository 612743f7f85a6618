import { isObject } from "../../contract/index.ts";
import { type Node, textOf } from "../references.ts";
import { withSchema } from "./swagger.ts";

type Warn = (key: string, message: string) => void;

const ANNOTATIONS = /^(?:title|description|default|examples?|deprecated|readOnly|writeOnly|externalDocs|xml|x-.*)$/;
const EXAMPLE = ["$ref", "summary", "description", "value", "externalValue", "dataValue", "serializedValue"];

/** Members without which objects have no meaning, by kind. */
const needed: Readonly<Record<string, string>> = { parameter: "in", server: "url", discriminator: "propertyName" };

/** Returns the value, or the object of the kind that it obviously means. */
export function prepared(kind: string, value: unknown, key: string): unknown {
  if (kind === "response" && value === null) return { description: "" };
  // The form of Swagger 2.0.
  if (kind === "discriminator" && typeof value === "string") return { propertyName: value };
  const isParameter = kind === "parameter" || kind === "header";
  if (isParameter && isObject(value) && value.type !== undefined && !value.schema && !value.content)
    return withSchema(value);
  if (kind === "example" && !(isObject(value) && EXAMPLE.some((name) => Object.hasOwn(value, name)))) return { value };
  if (kind !== "schema") return value;
  if (/^(?:true|false)$/.test(textOf(value))) {
    const isAllowed = textOf(value) === "true";
    return /^(?:additionalP|unevaluated)/.test(key) ? isAllowed : isAllowed ? {} : { not: {} };
  }
  if (!isObject(value)) return value;
  const { $ref, nullable = value["x-nullable"], type, items, allOf } = value;
  // Nothing else applies beside a reference in OpenAPI 3.0.
  if ($ref !== undefined && nullable === true) return { nullable, allOf: [{ $ref }] };
  if (nullable === undefined && Array.isArray(allOf) && allOf.some(isOnlyNullable)) {
    return { ...value, nullable: true, allOf: allOf.filter((part) => !isOnlyNullable(part)) };
  }
  if (type === "file") return { ...value, type: "string", format: "binary" };
  if (!Array.isArray(items)) return value;
  return { ...value, prefixItems: items, items: value.additionalItems, additionalItems: undefined };
}

/** Returns whether a part of `allOf` only says that null is valid, which it means for all parts together. */
function isOnlyNullable(part: unknown): boolean {
  return (
    isObject(part) &&
    part.nullable === true &&
    Object.keys(part).every((name) => ANNOTATIONS.test(name) || name === "nullable")
  );
}

/** Returns the repaired copy of an object, in the form of OpenAPI 3.1; undefined if it has no meaning. */
export function repaired(kind: string, copy: Node, place: { pointer: string }, warn: Warn): Node | undefined {
  if (kind === "schema") return repairedSchema(copy, place, warn);
  const name = needed[kind];
  if (name === undefined || copy[name]) return copy;
  warn(name, "expected a string, found nothing; ignored");
  return undefined;
}

function repairedSchema(copy: Node, place: { pointer: string }, warn: Warn): Node {
  const { example, nullable = copy["x-nullable"], ...schema } = copy;
  for (const name of ["required", "allOf", "anyOf", "oneOf", "prefixItems"]) {
    const value = schema[name];
    if (Array.isArray(value) && value.length === 0) delete schema[name];
  }
  for (const bound of ["minimum", "maximum"]) {
    const exclusive = bound.replace("m", "exclusiveM");
    if (typeof schema[exclusive] !== "boolean") continue;
    const limit = schema[bound];
    if (schema[exclusive]) delete schema[bound];
    if (schema[exclusive] && limit !== undefined) schema[exclusive] = limit;
    else delete schema[exclusive];
  }
  if (example !== undefined) schema.examples ??= [example];
  return nullable === true ? orNull(schema, place, warn) : schema;
}

function orNull(schema: Node, place: { pointer: string }, warn: Warn): Node {
  const { type, enum: values } = schema;
  const keywords = Object.keys(schema).filter((name) => !ANNOTATIONS.test(name));
  // An option of a union without any other keyword.
  if (keywords.length === 0)
    return /\/(?:oneOf|anyOf)\/\d+$/.test(place.pointer) ? { ...schema, type: "null" } : schema;
  if (Array.isArray(values) && !values.includes(null)) {
    schema.enum = [...values, null];
    warn("enum", "expected null in the enum of a nullable schema; null is valid too");
  }
  if (keywords.some((name) => /^(?:allOf|anyOf|oneOf|not)$/.test(name))) {
    const { true: outside = [], false: inside = [] } = Object.groupBy(Object.entries(schema), ([name]) => {
      return String(ANNOTATIONS.test(name)) as "true" | "false";
    });
    return { ...Object.fromEntries(outside), anyOf: [Object.fromEntries(inside), { type: "null" }] };
  }
  if (type !== undefined) schema.type = [...new Set([type, "null"].flat())];
  return schema;
}
