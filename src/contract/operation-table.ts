import { distance as editDistance } from "fastest-levenshtein";
import { type ErrorDetail, invalidField } from "./errors.ts";
import type { Schema } from "./json-schema.ts";
import { expectedBy, isDateTime, readScalar, type Scalar } from "./scalar.ts";
import { jsonValue } from "./text/json-reader.ts";
import { cut, isObject, shown } from "./text/shown.ts";
import { loadCheck, loadedCheck } from "./validator.ts";

/**
 * An entry of an operation table. The service (`operations.ts`) and the control API both have such a table, so the same
 * code reads parameters, validates bodies and writes the documentation.
 */
export interface Operation {
  readonly id: string;
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** An OpenAPI path template. A parameter may follow literal text within its segment (`key={key}`). */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly parameters: readonly Parameter[];
  readonly body?: BodyRule;
  /** The responses by status: every status that the operation can return. */
  readonly responses: { readonly [status: number]: ResponseRule };
  /**
   * The scopes that grant access; one is enough. Tokens have them as `name:{projectKey}`. If empty, any token is
   * enough.
   */
  readonly scopes: readonly string[];
  /** Set if the path identifies one resource: the parameter that identifies it, and the kind of access. */
  readonly resource?: { readonly parameter: "id" | "key"; readonly access: "read" | "update" | "delete" };
  /** The names of the update actions that the body can contain. */
  readonly actions?: readonly string[];
  /** Additional query parameters if the operation returns a page of the state. */
  readonly pagedParameters?: readonly Parameter[];
}

export interface Parameter {
  readonly in: "path" | "query" | "header";
  /** The name. For a parameter with a `pattern`, the name in the OpenAPI document. */
  readonly name: string;
  /** Set if the parameter has many names: all names that match this pattern. */
  readonly pattern?: RegExp;
  /** The schema of one value: a text, number or boolean, an object as JSON, or a union of them. */
  readonly schema: Schema;
  /** Set if the parameter can be sent several times. Its value is an array. */
  readonly repeatable?: boolean;
  readonly description?: string;
  /** An example value for the OpenAPI document. */
  readonly example?: string;
}

interface BodyRule {
  readonly required: boolean;
  /** The accepted media types, without parameters. `application/json` is parsed; others stay bytes. */
  readonly mediaTypes: readonly string[];
  readonly schema?: Schema;
  /** The schemas of media types with another one. */
  readonly schemas?: Readonly<Record<string, Schema>>;
  /** An example value for the OpenAPI document. */
  readonly example?: unknown;
}

export interface ResponseRule {
  readonly description: string;
  /** The schema of the body. Without a schema, the response has no body. */
  readonly schema?: Schema;
  /** The descriptions of the response headers, by name. */
  readonly headers?: { readonly [name: string]: string };
  /** The media type of the body, if it is not JSON. */
  readonly mediaType?: string;
  /** A media type for the same content as text, if the client requests it with `Accept`. */
  readonly textType?: string;
  /** The schema of the body for each value of the setting `collection`, if it depends on this setting. */
  readonly schemaOf?: { readonly sample: Schema; readonly paged: Schema };
}

/** Returns the statuses that the operation declares, in ascending order. */
export function declaredStatuses(operation: Operation): number[] {
  return Object.keys(operation.responses).map(Number);
}

/** Returns the default success status of the operation: its lowest 2xx. */
export function successStatus(operation: Operation): number {
  return declaredStatuses(operation)[0] ?? 200;
}

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
  const expected = "a decimal number, a date-time (RFC 3339) or a JSON object of ObjectTestType";
  const value = readObject(text);
  if (!value) return new InvalidValue(expected);
  const [problem] = objectsIn(union).flatMap((option) => loadedCheck(option)?.(value) ?? []);
  return problem ? new InvalidValue(`${expected} (${problem.pointer}: ${problem.message})`) : value;
}

/** Returns the three operations whose path, and then method, is nearest to those of the request. */
export function nearestOperations<Op extends Operation>(operations: readonly Op[], method: string, path: string): Op[] {
  // No path of the interface is nearly this long, so the rest does not help to find the nearest path.
  const segments = path.slice(0, 200).split("/").filter(Boolean);
  return operations
    .map((operation) => ({
      operation,
      distance: distance(segments, operation) + (operation.method === method ? 0 : 0.5),
    }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ operation }) => operation);
}

/** Returns a hint for the path of an operation with extra slashes, or an empty string for any other path. */
export function slashHint(operations: readonly Pick<Operation, "path">[], path: string): string {
  const expected = path.replace(/\/+/g, "/").replace(/\/$/, "");
  const segments = expected.split("/");
  const isOfOperation = operations.some((operation) => {
    const template = operation.path.split("/");
    const isMatch = template.every((each, index) => {
      const [literal = ""] = each.split("{", 1);
      return each === literal ? segments[index] === each : segments[index]?.startsWith(literal);
    });
    return isMatch && template.length === segments.length;
  });
  if (path === expected || !isOfOperation) return "";
  return ` The path has an extra slash or an empty segment; without it, the path is ${cut(expected, 100)}.`;
}

/**
 * Returns what changes the segments into the path: 1 for each missing or further segment, up to 2 for a different one.
 */
function distance(segments: readonly string[], { path }: Operation): number {
  const template = path.split("/").slice(1);
  let row = [0, ...template.map((_, index) => index + 1)];
  segments.forEach((segment, index) => {
    const next = [index + 1];
    for (const [column, expected] of template.entries()) {
      const replaced = (row[column] ?? 0) + 2 * segmentDistance(segment, expected);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  });
  return row.at(-1) ?? 0;
}

/** Returns a number from 0 (equal) to 1 (completely different). */
function segmentDistance(segment: string, template: string): number {
  // A parameter matches any text, but a similar literal is more likely to be the intended one.
  if (template.startsWith("{")) return 0.25;
  const literal = template.replace(/\{.*\}/, "");
  return editDistance(segment, literal) / Math.max(segment.length, literal.length);
}
