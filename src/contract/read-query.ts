import { type ErrorDetail, invalidField } from "./errors.ts";
import { matches, problemsOf } from "./explain.ts";
import type { Schema } from "./json-schema.ts";
import type { Parameter } from "./operation-table.ts";
import { expectedBy, readScalar, type Scalar } from "./scalar.ts";
import { jsonValue } from "./text/json-reader.ts";
import { isObject, shown } from "./text/shown.ts";

/** Query values by name. The value of a repeatable parameter is an array. */
export type QueryValues = Readonly<Record<string, unknown>>;

export interface QueryReading {
  readonly values: QueryValues;
  readonly violations: readonly ErrorDetail[];
  /** Unknown names. They are accepted, and the journal records them. */
  readonly unnamed: readonly string[];
}

const emptyReading: QueryReading = { values: {}, violations: [], unnamed: [] };

/** Returns the values, violations and unknown names of a query string (without `?`). */
export function readQuery(parameters: readonly Parameter[], query: string): QueryReading {
  if (query === "") return emptyReading;
  const values: Record<string, unknown> = Object.create(null);
  const violations: ErrorDetail[] = [];
  const unnamed: string[] = [];
  for (const [name, text] of new URLSearchParams(query)) {
    const parameter = parameters.find(
      (each) => each.in === "query" && (each.pattern?.test(name) ?? each.name === name),
    );
    if (!parameter) {
      unnamed.push(name);
      continue;
    }
    const value = readValue(parameter.schema, text);
    if (value === undefined) {
      violations.push(invalidParameter(name, expectedOf(parameter.schema, text), text));
    } else if (parameter.repeatable) {
      const before = values[name];
      if (Array.isArray(before)) before.push(value);
      else values[name] = [value];
    } else if (name in values) {
      violations.push(invalidField(name, "expected one value, found several"));
    } else {
      values[name] = value;
    }
  }
  return { values, violations, unnamed };
}

/** Returns the error detail of a parameter with an invalid value. */
export function invalidParameter(name: string, expected: string, found: unknown): ErrorDetail {
  return { code: "InvalidField", message: `${name}: expected ${expected}, found ${shown(found)}`, field: name };
}

/**
 * Returns the value of a text; undefined if the schema does not allow it. In a union, a text is allowed with and without
 * quotes: the OpenAPI document declares JSON, but people leave the quotes out.
 */
function readValue(schema: Schema, text: string): unknown {
  if (!isJson(schema)) return readScalar(schema as Scalar, text);
  const json = jsonValue(text);
  const values = typeof json === "object" ? [json] : [readScalar({ type: "number" }, text), json, text];
  return values.find((value) => matches(schema, value));
}

function isJson({ anyOf, type }: Schema): boolean {
  return anyOf !== undefined || type === "object";
}

function expectedOf(schema: Schema, text: string): string {
  if (!isJson(schema)) return expectedBy(schema as Scalar);
  if (!schema.anyOf) return 'a JSON object, such as {"key":"value"}';
  const names = schema.anyOf.flatMap(({ type, title = [] }) => (type === "object" ? title : [])).join(" or ");
  const expected = `a decimal number, a date-time (RFC 3339) or a JSON object${names && ` of ${names}`}`;
  const json = jsonValue(text);
  const [problem] = isObject(json) ? problemsOf(schema, json) : [];
  return problem ? `${expected} (${problem.pointer}: ${problem.message})` : expected;
}
