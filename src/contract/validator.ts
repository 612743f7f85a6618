import { compiled, type Extent, type Validate } from "./compiled.ts";
import type { Schema } from "./json-schema.ts";
import { MAX_POINTER_TEXT, MAX_PROBLEMS } from "./limits.ts";
import { lazily } from "./schedule.ts";
import { didYouMean, unknownName } from "./text/did-you-mean.ts";
import { counted, join, shown } from "./text/shown.ts";

/** Validates a value against one schema. Returns no problems if the value is valid. */
export type SchemaCheck = (value: unknown) => Problem[];

const checks = { all: new WeakMap<Schema, SchemaCheck>(), first: new WeakMap<Schema, SchemaCheck>() };

/** Returns the check of a schema if it is already loaded, so that hot paths do not wait for a promise. */
export function loadedCheck(schema: Schema, extent: Extent = "all"): SchemaCheck | undefined {
  return checks[extent].get(schema);
}

/**
 * Returns the check of a schema. It uses the compiled validator of the build. In the sources, and for schemas that the
 * build does not know, it loads Ajv and compiles the schema.
 */
export async function loadCheck(schema: Schema, extent: Extent = "all"): Promise<SchemaCheck> {
  const known = checks[extent].get(schema);
  if (known) return known;
  const validate = (await loadCompiled(schema, extent)) ?? (await ajvs())[extent].compile(schema);
  const check: SchemaCheck = (value) => (validate(value) ? [] : problemsOf(validate.errors ?? [], schema, value));
  checks[extent].set(schema, check);
  return check;
}

/**
 * Returns all problems of a small value, or the first problem of a large value. Each problem contains its pointer, so
 * the work for all problems grows with the number of values and with the length of their pointers.
 */
export async function findProblems(schema: Schema, value: unknown): Promise<Problem[]> {
  const first = (await loadCheck(schema, "first"))(value);
  if (first.length === 0 || pointersWithin(value, MAX_POINTER_TEXT) < 0) return first;
  return (await loadCheck(schema, "all"))(value);
}

/** Subtracts the total length of all pointers into a value from `most`. Returns less than 0 if they are longer. */
function pointersWithin(value: unknown, most: number, length = 0): number {
  let left = most - length;
  if (typeof value !== "object" || value === null) return left;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) {
      left = pointersWithin(value[index], left, length + 1 + String(index).length);
    }
  } else {
    for (const name in value) {
      if (left < 0) break;
      left = pointersWithin((value as Record<string, unknown>)[name], left, length + 1 + name.length);
    }
  }
  return left;
}

async function loadCompiled(schema: Schema, extent: Extent): Promise<Validate | undefined> {
  const key = keyOf(schema);
  const group = await compiled[extent][key]?.();
  return group?.[key];
}

/**
 * Returns the name of the validator of a schema: a checksum and the length of the schema, so that schemas need no registry.
 * The build refuses two schemas of one name. `node:crypto` would take a twentieth of the time of a start.
 */
export function keyOf(schema: Schema): string {
  const text = JSON.stringify(schema);
  return `v${process.getBuiltinModule("node:zlib").crc32(text).toString(16)}_${text.length}`;
}

const ajvs = lazily(async () => {
  const { createAjv } = await import("./ajv.ts");
  // Schemas of other contracts can have formats and keywords that the mock does not know. The build refuses such schemas.
  const lenient = { strictSchema: false, logger: false } as const;
  return { all: createAjv("all", lenient), first: createAjv("first", lenient) };
});

/** One violation of a schema. */
export interface Problem {
  /** The location, as a JSON pointer (RFC 6901); empty for the whole value. */
  pointer: string;
  /** The expected and the found value. */
  message: string;
}

/** An error of an Ajv validator: one keyword of the schema that a value violates. */
export interface SchemaError {
  readonly keyword: string;
  /** A JSON pointer (RFC 6901) into the value. */
  readonly instancePath: string;
  /** A JSON pointer into the schema, as a URI fragment: `#/properties/a%20b/type`. */
  readonly schemaPath: string;
  readonly params: {
    readonly missingProperty?: string;
    readonly additionalProperty?: string;
    /** The name that violates `propertyNames`. */
    readonly propertyName?: string;
    /** The value that violates `discriminator`. */
    readonly tagValue?: unknown;
  };
  /** The invalid member name, if the error is about a name. */
  readonly propertyName?: string;
}

/** Returns all errors and the errors of a subschema. `path` is the location of the subschema, as a URI fragment. */
export function addErrors(all: SchemaError[] | null, path: string, errors: readonly SchemaError[]): SchemaError[] {
  const sum = all ?? [];
  for (const error of errors) sum.push({ ...error, schemaPath: path + error.schemaPath.slice("#".length) });
  return sum;
}

/** Converts the errors of a validator to problems, in the same order: at least one, at most `MAX_PROBLEMS`. */
export function problemsOf(errors: readonly SchemaError[], schema: Schema, value: unknown): Problem[] {
  const found = new Map<string, Problem>();
  for (const error of relevant(errors)) {
    // The error of the keyword `propertyNames` reports an invalid name.
    if (error.propertyName !== undefined) continue;
    if (found.size === MAX_PROBLEMS) break;
    const { keyword, params, instancePath, schemaPath } = error;
    const part = valueAt(schema, schemaPath.split("/").slice(1, -1).map(decodeURIComponent)) as Schema;
    const data = valueAt(value, instancePath.split("/").slice(1));
    const problem = { pointer: pointerOf(error, part), message: describe(keyword, part, params, data) };
    // A value can violate several keywords. Only the first becomes a problem.
    if (!found.has(problem.pointer)) found.set(problem.pointer, problem);
  }
  if (found.size === 0)
    found.set("", { pointer: "", message: `expected a value that matches the contract, found ${shown(value)}` });
  return [...found.values()];
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const name of path) {
    value = (value as Record<string, unknown>)[name.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return value;
}

/** An error that can become a problem. */
interface Candidate {
  readonly error: SchemaError;
  /** The schema path of the outermost union that kept this error, if any. */
  readonly decided?: string;
}

/**
 * Returns the most useful errors. A union (`anyOf`, `oneOf`) reports the errors of all its options; only those
 * of one option stay. That option accepts the type of the value and has the fewest errors.
 *
 * Ajv reports the error of a union directly after the errors of its options. So one pass is enough: each union takes
 * the errors of its options from the end of the candidates, and puts those of one option back.
 */
function relevant(errors: readonly SchemaError[]): SchemaError[] {
  const candidates: Candidate[] = [];
  for (const error of errors) {
    const isUnion = error.keyword === "anyOf" || error.keyword === "oneOf";
    if (!isUnion) candidates.push({ error });
    else for (const each of relevantOf(error, takeOptions(error, candidates))) candidates.push(each);
  }
  return candidates.map(({ error }) => error);
}

/** Removes the errors of the options of the union from the end of the candidates, and returns them by option. */
function takeOptions({ schemaPath }: SchemaError, candidates: Candidate[]): Candidate[][] {
  const prefix = `${schemaPath}/`;
  let start = candidates.length;
  while (start > 0 && isUndecided(candidates[start - 1])) start--;
  const options = Map.groupBy(candidates.splice(start), ({ error }) => {
    return error.schemaPath.slice(prefix.length).split("/", 1)[0];
  });
  return [...options.values()];

  // Errors of the same union for an earlier item of a list are decided already.
  function isUndecided(candidate: Candidate | undefined): boolean {
    if (!candidate?.error.schemaPath.startsWith(prefix)) return false;
    return candidate.decided === undefined || candidate.decided.length > schemaPath.length;
  }
}

/**
 * Returns the errors of the best option. If no option accepts the type of the value, returns the error of the union.
 */
function relevantOf(union: SchemaError, options: Candidate[][]): Candidate[] {
  const fitting = options.filter((own) => !own.some(({ error }) => isTypeOf(union, error)));
  const [best] = fitting.sort((a, b) => a.length - b.length);
  return best?.map(({ error }) => ({ error, decided: union.schemaPath })) ?? [{ error: union }];
}

function isTypeOf(union: SchemaError, { keyword, instancePath }: SchemaError): boolean {
  return keyword === "type" && instancePath === union.instancePath;
}

/** Returns the pointer of an error. For a missing or unknown member, it is the pointer of the member. */
function pointerOf({ keyword, instancePath, params }: SchemaError, { discriminator }: Schema): string {
  const tag = keyword === "discriminator" ? discriminator?.propertyName : undefined;
  const member = params.missingProperty ?? params.additionalProperty ?? params.propertyName ?? tag;
  return member === undefined ? instancePath : join(instancePath, member);
}

function describe(keyword: string, schema: Schema, params: SchemaError["params"], data: unknown): string {
  const found = `, found ${shown(data)}`;
  switch (keyword) {
    case "type":
      return `expected ${[schema.type].flat().join(" or ")}${found}`;
    case "required":
      return "is required, found nothing";
    case "format":
      return `expected ${formatNames[schema.format ?? ""] ?? `a ${schema.format}`}${found}`;
    case "enum":
      return oneOf(schema.enum ?? [], data);
    case "const":
      return `expected ${JSON.stringify(schema.const)}${found}`;
    case "discriminator":
      return oneOf(tagsOf(schema), params.tagValue);
    case "additionalProperties": {
      const members = Object.entries(schema.properties ?? {}).filter(([, member]) => !member.not);
      return unknownName(
        "member",
        params.additionalProperty ?? "",
        members.map(([name]) => name),
      );
    }
    case "not":
      return `is not allowed here. ${schema.description}`;
    case "oneOf":
    case "anyOf":
      return `expected ${typesOf(schema[keyword]) || "a value that matches one of the allowed schemas"}${found}`;
    case "propertyNames": {
      const pattern = schema.propertyNames?.pattern;
      const expected = pattern === undefined ? "an allowed name" : `a name that matches ${pattern}`;
      return `expected ${expected}, found ${shown(params.propertyName)}`;
    }
    case "pattern": {
      const isNumber = [schema.type].flat().some((type) => type === "integer" || type === "number");
      const value = isNumber ? Number(data) : Number.NaN;
      const description = schema.description === undefined ? "" : `. ${schema.description}`;
      const meaning = String(value) === data ? `. Did you mean the number ${value}?` : description;
      return `expected text that matches ${schema.pattern}${found}${meaning}`;
    }
    case "minimum":
      return `expected at least ${schema.minimum}${found}`;
    case "exclusiveMinimum":
      return `expected more than ${schema.exclusiveMinimum}${found}`;
    case "maximum":
      return `expected at most ${schema.maximum}${found}`;
    case "minItems":
    case "minLength":
    case "minProperties":
      return `expected at least ${partsOf(keyword, schema)}, found ${sizeOf(data) || "none"}`;
    case "maxItems":
    case "maxLength":
    case "maxProperties":
      return `expected at most ${partsOf(keyword, schema)}, found ${sizeOf(data) || "none"}`;
    default:
      return `expected a value that matches the contract${found}`;
  }
}

const formatNames: Readonly<Record<string, string>> = {
  "date-time": 'a date-time (RFC 3339, such as "2024-05-17T09:30:00.000Z")',
  int32: "a 32-bit integer (-2147483648 to 2147483647)",
  "path-segment": 'a text other than "." and "..", of whole Unicode characters',
};

/** Returns the limit of the keyword with its unit. For an object without other members, lists the member names. */
function partsOf(keyword: `${"min" | "max"}${"Items" | "Length" | "Properties"}`, schema: Schema): string {
  const { [keyword]: limit = 0, properties, additionalProperties } = schema;
  if (keyword.endsWith("Items")) return counted(limit, "item");
  if (keyword.endsWith("Length")) return counted(limit, "character");
  if (!properties || additionalProperties !== false) return counted(limit, "member");
  return `${limit} of ${Object.keys(properties).join(", ")}`;
}

function sizeOf(data: unknown): number {
  if (Array.isArray(data)) return data.length;
  return typeof data === "string" ? lengthOf(data) : Object.keys(data as object).length;
}

/** Returns the length of a text in code points, as JSON Schema counts it. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _character of text) length++;
  return length;
}

function tagsOf({ oneOf = [], discriminator }: Schema): unknown[] {
  return oneOf.map(({ properties }) => properties?.[discriminator?.propertyName ?? ""]?.const);
}

/** Returns the types of all options of a union, joined by "or". */
function typesOf(options: readonly Schema[] = []): string {
  return [...new Set(options.flatMap(({ type }) => type ?? []))].join(" or ");
}

function oneOf(values: readonly unknown[], found: unknown): string {
  const expected = `expected one of ${values.map((value) => JSON.stringify(value)).join(", ")}, found ${shown(found)}`;
  if (typeof found !== "string") return expected;
  const texts = values.filter((value) => typeof value === "string");
  return expected + didYouMean(found, texts).replace(/^ /, ". ");
}
