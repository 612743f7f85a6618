import { isObject } from "../text/json.ts";
import { jsonValue } from "../text/json-reader.ts";
import { shown } from "../text/shown.ts";
import { isDateTime } from "./formats.ts";
import type { Operation, Parameter, ParameterType } from "./operation.ts";
import { expectedBy, readScalar, type Scalar } from "./scalar.ts";
import { type ErrorDetail, invalidField } from "./service-error.ts";
import { loadCheck, loadedCheck } from "./validator.ts";

/** Query values by name: of a repeatable parameter an array, else one value of the parameter's type. */
export type QueryValues = Readonly<Record<string, unknown>>;

export interface QueryReading {
  readonly values: QueryValues;
  readonly violations: readonly ErrorDetail[];
  /** Names that the operation does not know: accepted, and told in the journal. */
  readonly unnamed: readonly string[];
}

const nothing: QueryReading = { values: {}, violations: [], unnamed: [] };

interface Index {
  named: Map<string, Parameter>;
  patterned: Parameter[];
}

const indexes = new WeakMap<readonly Parameter[], Index>();

/** Loads what reading this operation's query needs: only a `union` holds its objects against a schema. */
export async function loadQueryChecks(operation: Operation): Promise<void> {
  for (const { schema } of operation.parameters) if (schema) await loadCheck(schema);
}

/** Reads a query string (without `?`) as the parameters type it. */
export function readQuery(parameters: readonly Parameter[], query: string): QueryReading {
  if (query === "") return nothing;
  const { named, patterned } = indexOf(parameters);
  const values: Record<string, unknown> = Object.create(null);
  const violations: ErrorDetail[] = [];
  const unnamed: string[] = [];
  for (const [name, text] of new URLSearchParams(query)) {
    const parameter = named.get(name) ?? patterned.find(({ pattern }) => pattern?.test(name));
    if (!parameter) {
      unnamed.push(name);
      continue;
    }
    const value = readValue(parameter, text);
    if (value instanceof Misfit) {
      violations.push(misfit(name, value.expected, text));
    } else if (parameter.repeatable) {
      const before = values[name];
      if (Array.isArray(before)) before.push(value);
      else values[name] = [value];
    } else if (name in values) {
      violations.push(invalidField(name, "may be passed once, found it again"));
    } else {
      values[name] = value;
    }
  }
  return { values, violations, unnamed };
}

/** The error detail of a parameter whose value is not what it should be. */
export function misfit(name: string, expected: string, found: unknown): ErrorDetail {
  return { code: "InvalidField", message: `${name}: expected ${expected}, found ${shown(found)}`, field: name };
}

class Misfit {
  readonly expected: string;
  constructor(expected: string) {
    this.expected = expected;
  }
}

const scalarTypes = {
  string: "string",
  untyped: "string",
  float: "number",
  integer: "integer",
  boolean: "boolean",
} as const satisfies Partial<Record<ParameterType, Scalar["type"]>>;

/** Returns the schema of a parameter that is one text, number or boolean, and nothing for other parameters. */
export function scalarOf({ type, choices, minimum, maximum }: Parameter): Scalar | undefined {
  if (type === "object" || type === "union") return undefined;
  const bounds = { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
  return { type: scalarTypes[type], ...(choices && { enum: choices }), ...bounds };
}

function readValue(parameter: Parameter, text: string): unknown {
  const schema = scalarOf(parameter);
  if (schema) return readScalar(schema, text) ?? new Misfit(expectedBy(schema));
  if (parameter.type === "object") return readObject(text) ?? new Misfit('a JSON object, such as {"key":"value"}');
  return readScalar({ type: "number" }, text) ?? readDateTime(text) ?? readTypedObject(parameter, text);
}

/** A date-time is read as JSON, as the OpenAPI document declares the parameter, and without quotes, as people write it. */
function readDateTime(text: string): string | undefined {
  const value = text.startsWith('"') ? jsonValue(text) : text;
  return typeof value === "string" && isDateTime(value) ? value : undefined;
}

function readObject(text: string): object | undefined {
  const value = jsonValue(text);
  return isObject(value) ? value : undefined;
}

function readTypedObject(parameter: Parameter, text: string): unknown {
  const expected = "a decimal number, a date-time (RFC 3339) or a JSON object of ObjectTestType";
  const value = readObject(text);
  if (!value) return new Misfit(expected);
  const check = parameter.schema && loadedCheck(parameter.schema);
  const problem = check?.(value)[0];
  return problem ? new Misfit(`${expected} (${problem.pointer}: ${problem.message})`) : value;
}

function indexOf(parameters: readonly Parameter[]): Index {
  let index = indexes.get(parameters);
  if (!index) {
    const query = parameters.filter((parameter) => parameter.in === "query");
    index = {
      named: new Map(query.filter(({ pattern }) => !pattern).map((parameter) => [parameter.name, parameter])),
      patterned: query.filter(({ pattern }) => pattern),
    };
    indexes.set(parameters, index);
  }
  return index;
}
