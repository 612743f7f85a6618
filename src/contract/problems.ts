import { join } from "../text/json.ts";
import { didYouMean, unknownName } from "../text/nearest.ts";
import { counted, shown } from "../text/shown.ts";
import type { Schema } from "./schema.ts";
import { MAX_PROBLEMS } from "./service-error.ts";

/** One place where a value breaks its schema. */
export interface Problem {
  /** RFC 6901; empty for the whole value. */
  pointer: string;
  /** What was expected and what was found. */
  message: string;
}

/** An error as Ajv's validators report it: where the value breaks which keyword of which part of the schema. */
export interface Violation {
  readonly keyword: string;
  /** RFC 6901, into the value. */
  readonly instancePath: string;
  /** RFC 6901 as a URI fragment, into the schema: `#/properties/a%20b/type`. */
  readonly schemaPath: string;
  readonly params: {
    readonly missingProperty?: string;
    readonly additionalProperty?: string;
    /** The name that breaks `propertyNames`. */
    readonly propertyName?: string;
    /** The value that breaks `discriminator`. */
    readonly tagValue?: unknown;
  };
  /** Set on the errors of a name. */
  readonly propertyName?: string;
}

/** Adds the errors of a schema that stands at `path` (a URI fragment) in another one to those of the other one. */
export function addErrors(all: Violation[] | null, path: string, errors: readonly Violation[]): Violation[] {
  const sum = all ?? [];
  for (const error of errors) sum.push({ ...error, schemaPath: path + error.schemaPath.slice("#".length) });
  return sum;
}

/** Returns the problems that the errors of a value's validation tell, in their order: at least one, at most `MAX_PROBLEMS`. */
export function problemsOf(errors: readonly Violation[], schema: Schema, value: unknown): Problem[] {
  const found = new Map<string, Problem>();
  for (const error of meant(errors)) {
    // The rule for names reports what is wrong with a name.
    if (error.propertyName !== undefined) continue;
    if (found.size === MAX_PROBLEMS) break;
    const { keyword, params, instancePath, schemaPath } = error;
    const part = at(schema, schemaPath.split("/").slice(1, -1).map(decodeURIComponent)) as Schema;
    const data = at(value, instancePath.split("/").slice(1));
    const problem = { pointer: placeOf(error, part), message: describe(keyword, part, params, data) };
    // One place may break several rules; the first is told.
    if (!found.has(problem.pointer)) found.set(problem.pointer, problem);
  }
  if (found.size === 0) found.set("", { pointer: "", message: `does not fit the contract, found ${shown(value)}` });
  return [...found.values()];
}

function at(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const name of path) {
    value = (value as Record<string, unknown>)[name.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return value;
}

/** An error that may be told. */
interface Candidate {
  readonly error: Violation;
  /** The schema path of the outermost union that has been decided in favour of this error, if any. */
  readonly decided?: string;
}

/**
 * Returns the errors without those of options that were hardly meant: a union reports what is wrong by each of its
 * options, and only one of them is of use. That is the one of the value's own type that is nearest to fitting.
 *
 * A union follows the errors of its options, and these stand together. So one pass decides all unions: each takes the
 * errors of its options from the end of the candidates, and puts back those of one option.
 */
function meant(errors: readonly Violation[]): Violation[] {
  const candidates: Candidate[] = [];
  for (const error of errors) {
    const isUnion = error.keyword === "anyOf" || error.keyword === "oneOf";
    if (!isUnion) candidates.push({ error });
    else for (const each of meantBy(error, takeOptions(error, candidates))) candidates.push(each);
  }
  return candidates.map(({ error }) => error);
}

/** Removes the errors of the union's options from the end of the candidates, and returns them by option. */
function takeOptions({ schemaPath }: Violation, candidates: Candidate[]): Candidate[][] {
  const prefix = `${schemaPath}/`;
  let start = candidates.length;
  while (start > 0 && isUndecided(candidates[start - 1])) start--;
  const options = Map.groupBy(candidates.splice(start), ({ error }) => {
    return error.schemaPath.slice(prefix.length).split("/", 1)[0];
  });
  return [...options.values()];

  // The same union may have been decided before, for another item of a list.
  function isUndecided(candidate: Candidate | undefined): boolean {
    if (!candidate?.error.schemaPath.startsWith(prefix)) return false;
    return candidate.decided === undefined || candidate.decided.length > schemaPath.length;
  }
}

/** Returns the errors of the option that was meant. If the value has the type of none, it is the union's own error. */
function meantBy(union: Violation, options: Candidate[][]): Candidate[] {
  const fitting = options.filter((own) => !own.some(({ error }) => isTypeOf(union, error)));
  const [best] = fitting.sort((a, b) => a.length - b.length);
  return best?.map(({ error }) => ({ error, decided: union.schemaPath })) ?? [{ error: union }];
}

function isTypeOf(union: Violation, { keyword, instancePath }: Violation): boolean {
  return keyword === "type" && instancePath === union.instancePath;
}

/** The pointer of what an error is about: of a name that is missing or not allowed, the member's. */
function placeOf({ keyword, instancePath, params }: Violation, { discriminator }: Schema): string {
  const tag = keyword === "discriminator" ? discriminator?.propertyName : undefined;
  const member = params.missingProperty ?? params.additionalProperty ?? params.propertyName ?? tag;
  return member === undefined ? instancePath : join(instancePath, member);
}

function describe(keyword: string, schema: Schema, params: Violation["params"], data: unknown): string {
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
        params.additionalProperty ?? "",
        members.map(([name]) => name),
      );
    }
    case "not":
      return `is not allowed here. ${schema.description}`;
    case "oneOf":
    case "anyOf":
      return `expected ${typesOf(schema[keyword]) || "one of the shapes it may have"}${found}`;
    case "propertyNames": {
      const pattern = schema.propertyNames?.pattern;
      const expected = pattern === undefined ? "" : `: expected text that matches ${pattern}`;
      return `has a name that is not allowed here${expected}`;
    }
    case "pattern": {
      const meaning = schema.description === undefined ? "" : `. ${schema.description}`;
      return `expected text that matches ${schema.pattern}${found}${meaning}`;
    }
    case "minimum":
      return `must be >= ${schema.minimum}${found}`;
    case "exclusiveMinimum":
      return `must be > ${schema.exclusiveMinimum}${found}`;
    case "maximum":
      return `must be <= ${schema.maximum}${found}`;
    case "minItems":
    case "minLength":
    case "minProperties":
      return `expected at least ${partsOf(keyword, schema)}, found ${sizeOf(data) || "none"}`;
    case "maxItems":
    case "maxLength":
    case "maxProperties":
      return `expected at most ${partsOf(keyword, schema)}, found ${sizeOf(data) || "none"}`;
    default:
      return `does not fit the contract${found}`;
  }
}

const formatNames: Readonly<Record<string, string>> = {
  "date-time": 'a date-time (RFC 3339, such as "2024-05-17T09:30:00.000Z")',
  int32: "a 32-bit integer (-2147483648 to 2147483647)",
};

/** So many of what the keyword counts: of an object that is closed, its members by name. */
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

/** The length of a text as JSON Schema counts it: in code points. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _character of text) length++;
  return length;
}

function tagsOf({ oneOf = [], discriminator }: Schema): unknown[] {
  return oneOf.map(({ properties }) => properties?.[discriminator?.propertyName ?? ""]?.const);
}

/** What a value may be that is of no type that the union's options have. */
function typesOf(options: readonly Schema[] = []): string {
  return [...new Set(options.flatMap(({ type }) => type ?? []))].join(" or ");
}

function oneOf(values: readonly unknown[], found: unknown): string {
  const expected = `expected one of ${values.map((value) => JSON.stringify(value)).join(", ")}, found ${shown(found)}`;
  if (typeof found !== "string") return expected;
  const texts = values.filter((value) => typeof value === "string");
  return expected + didYouMean(found, texts).replace(/^ /, ". ");
}
