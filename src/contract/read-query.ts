import { type ErrorDetail, invalidField } from "./errors.ts";
import type { Schema } from "./json-schema.ts";
import type { Operation, Parameter } from "./operation-table.ts";
import { expectedBy, isDateTime, readScalar, type Scalar } from "./scalar.ts";
import { jsonValue } from "./text/json-reader.ts";
import { isObject, shown } from "./text/shown.ts";
import { loadCheck, loadedCheck } from "./validator.ts";

/** Query values by name. The value of a repeatable parameter is an array. */
export type QueryValues = Readonly<Record<string, unknown>>;

interface QueryReading {
  readonly values: QueryValues;
  readonly violations: readonly ErrorDetail[];
  /** Unknown names. They are accepted, and the journal records them. */
  readonly unnamed: readonly string[];
}

const emptyReading: QueryReading = { values: {}, violations: [], unnamed: [] };

/** Loads the checks that `readQuery` needs for this operation: those of the objects in unions. */
export async function loadQueryChecks(operation: Operation): Promise<void> {
  for (const { schema } of operation.parameters) for (const option of objectsIn(schema)) await loadCheck(option);
}

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
    if (value instanceof InvalidValue) {
      violations.push(invalidParameter(name, value.expected, text));
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

class InvalidValue {
  readonly expected: string;
  constructor(expected: string) {
    this.expected = expected;
  }
}

function readValue(schema: Schema, text: string): unknown {
  if (schema.anyOf) return readScalar({ type: "number" }, text) ?? readDateTime(text) ?? readTypedObject(schema, text);
  if (schema.type === "object") return readObject(text) ?? new InvalidValue('a JSON object, such as {"key":"value"}');
  return readScalar(schema as Scalar, text) ?? new InvalidValue(expectedBy(schema as Scalar));
}

/** Returns the options of a union that are objects. */
export function objectsIn({ anyOf = [] }: Schema): readonly Schema[] {
  return anyOf.filter(({ type }) => type === "object");
}

/** Returns a date-time, with or without quotes. The OpenAPI document declares JSON, but people leave the quotes out. */
function readDateTime(text: string): string | undefined {
  const value = text.startsWith('"') ? jsonValue(text) : text;
  return typeof value === "string" && isDateTime(value) ? value : undefined;
}

function readObject(text: string): object | undefined {
  const value = jsonValue(text);
  return isObject(value) ? value : undefined;
}

function readTypedObject(union: Schema, text: string): unknown {
  const options = objectsIn(union);
  const names = options.flatMap(({ title }) => title ?? []).join(" or ");
  const expected = `a decimal number, a date-time (RFC 3339) or a JSON object${names && ` of ${names}`}`;
  const value = readObject(text);
  if (!value) return new InvalidValue(expected);
  const [problem] = options.flatMap((option) => loadedCheck(option)?.(value) ?? []);
  return problem ? new InvalidValue(`${expected} (${problem.pointer}: ${problem.message})`) : value;
}
