import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import { join } from "../text/json.ts";
import { didYouMean, unknownName } from "../text/nearest.ts";
import { counted, shown } from "../text/shown.ts";
import { isDateTime } from "./date-time.ts";
import { lazily } from "./lazily.ts";
import type { Schema } from "./schema.ts";

/** One place where a value breaks its schema. */
export interface Problem {
  /** RFC 6901; empty for the whole value. */
  pointer: string;
  /** What was expected and what was found. */
  message: string;
}

/**
 * Holds a value against one schema. Answers no problem when it fits; else the first, or with `all` every one (which
 * costs memory in proportion to the value: ask for it only when the value is known to be small).
 */
export type Check = (value: unknown, all?: boolean) => Problem[];

interface Ajvs {
  first: { compile(schema: object): ValidateFunction };
  all: { compile(schema: object): ValidateFunction };
}

const checks = new WeakMap<Schema, Check>();
const ajvs = lazily(loadAjvs);

/** The check of this schema, when it has been loaded before: spares hot paths the wait. */
export function loadedCheck(schema: Schema): Check | undefined {
  return checks.get(schema);
}

/** The check of this schema. Ajv is loaded at the first call, and each schema compiled at its own first. */
export async function loadCheck(schema: Schema): Promise<Check> {
  const known = checks.get(schema);
  if (known) return known;
  const { first, all } = await ajvs();
  const validateFirst = first.compile(schema);
  let validateAll: ValidateFunction | undefined;
  const check: Check = (value, everyProblem = false) => {
    if (validateFirst(value)) return [];
    if (!everyProblem) return problems(validateFirst.errors ?? [], value);
    validateAll ??= all.compile(schema);
    validateAll(value);
    return problems(validateAll.errors ?? [], value);
  };
  checks.set(schema, check);
  return check;
}

async function loadAjvs(): Promise<Ajvs> {
  const [{ Ajv2020 }, formats] = await Promise.all([import("ajv/dist/2020.js"), import("ajv-formats")]);
  const create = (allErrors: boolean) => {
    const ajv = new Ajv2020({ allErrors, discriminator: true, strictTypes: false, verbose: true, ownProperties: true });
    // The package is CommonJS: its function is the `default` of what Node imports as the default.
    formats.default.default(ajv);
    // Theirs also takes what no query does: a space for the T, an offset without its colon.
    ajv.addFormat("date-time", isDateTime);
    return ajv;
  };
  return { first: create(false), all: create(true) };
}

function problems(errors: readonly ErrorObject[], root: unknown): Problem[] {
  const found = new Map<string, Problem>();
  for (const error of meant(errors)) {
    const problem = describe(error);
    // One place may break several rules; the first is told.
    if (problem && !found.has(problem.pointer)) found.set(problem.pointer, problem);
  }
  if (found.size === 0) found.set("", { pointer: "", message: `does not fit the contract, found ${shown(root)}` });
  return [...found.values()];
}

/**
 * The errors without those of options that were hardly meant: a union reports what is wrong by each of its options, and
 * only one of them is of use. That is the one of the value's own type that is nearest to fitting.
 */
function meant(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let rest = errors;
  // A union follows the errors of its options, and so do those inside of it: they are done by then.
  for (const union of errors.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf")) {
    const options = Map.groupBy(rest, (error) => optionOf(union, error));
    options.delete(undefined);
    const fitting = [...options.values()].filter((own) => !own.some((error) => isTypeOf(union, error)));
    const best = new Set(fitting.sort((a, b) => a.length - b.length)[0]);
    // Where no option fits even by its type, the union itself tells what there might have been.
    rest = rest.filter((error) => {
      return error === union ? best.size === 0 : best.has(error) || optionOf(union, error) === undefined;
    });
  }
  return rest;
}

/** The number of the union's option that an error comes from, as text; nothing when it comes from elsewhere. */
function optionOf(union: ErrorObject, { schemaPath, instancePath }: ErrorObject): string | undefined {
  const isWithin = instancePath === union.instancePath || instancePath.startsWith(`${union.instancePath}/`);
  if (!isWithin || !schemaPath.startsWith(`${union.schemaPath}/`)) return undefined;
  return schemaPath.slice(union.schemaPath.length + 1).split("/", 1)[0];
}

function isTypeOf(union: ErrorObject, { keyword, instancePath }: ErrorObject): boolean {
  return keyword === "type" && instancePath === union.instancePath;
}

function describe(error: ErrorObject): Problem | undefined {
  const { keyword, instancePath: pointer, params, data } = error;
  // What a name breaks is told by the rule for names.
  if (error.propertyName !== undefined) return undefined;
  const found = `, found ${shown(data)}`;
  switch (keyword) {
    case "type":
      return { pointer, message: `expected ${[params.type].flat().join(" or ")}${found}` };
    case "required":
      return { pointer: join(pointer, params.missingProperty), message: "is required, found nothing" };
    case "format":
      return { pointer, message: `expected ${formatNames[params.format] ?? `a ${params.format}`}${found}` };
    case "enum":
      return {
        pointer,
        message: `expected one of ${list(params.allowedValues)}${found}${hint(data, params.allowedValues)}`,
      };
    case "const":
      return { pointer, message: `expected ${JSON.stringify(params.allowedValue)}${found}` };
    case "discriminator": {
      const options = discriminators(error);
      const place = join(pointer, params.tag);
      return {
        pointer: place,
        message: `expected one of ${list(options)}, found ${shown(params.tagValue)}${hint(params.tagValue, options)}`,
      };
    }
    case "additionalProperties": {
      const members = Object.entries((error.parentSchema as Schema).properties ?? {});
      const known = members.filter(([, member]) => !member.not).map(([name]) => name);
      const unknown = params.additionalProperty;
      return { pointer: join(pointer, unknown), message: unknownName(unknown, known) };
    }
    case "oneOf":
    case "anyOf":
      return { pointer, message: `expected ${unionTypes(error) || "one of the shapes it may have"}${found}` };
    case "propertyNames": {
      const { pattern } = error.schema as Schema;
      const expected = pattern === undefined ? "" : `: expected text that matches ${pattern}`;
      return { pointer: join(pointer, params.propertyName), message: `has a name that is not allowed here${expected}` };
    }
    case "pattern": {
      const { description } = error.parentSchema as Schema;
      const meaning = description === undefined ? "" : `. ${description}`;
      return { pointer, message: `expected text that matches ${params.pattern}${found}${meaning}` };
    }
    case "not": {
      const { description } = error.parentSchema as Schema;
      return { pointer, message: `is not allowed here. ${description}` };
    }
    case "minItems":
    case "maxItems":
    case "minLength":
    case "maxLength":
    case "minProperties":
    case "maxProperties":
      return { pointer, message: sizeMessage(error) };
    case "if":
      return undefined;
    default:
      return { pointer, message: `${error.message ?? "does not fit the contract"}${found}` };
  }
}

const formatNames: Record<string, string> = {
  "date-time": 'a date-time (RFC 3339, such as "2024-05-17T09:30:00.000Z")',
  int32: "a 32-bit integer (-2147483648 to 2147483647)",
  uri: "an absolute URI",
};

function sizeMessage({ keyword, params: { limit }, parentSchema, data }: ErrorObject): string {
  const size = sizeOf(data);
  const bound = keyword.startsWith("min") ? "at least" : "at most";
  return `expected ${bound} ${partsOf(keyword, limit, parentSchema as Schema)}, found ${size === 0 ? "none" : size}`;
}

/** So many of what the keyword counts: of an object that is closed, its members by name. */
function partsOf(keyword: string, limit: number, { properties, additionalProperties }: Schema): string {
  if (keyword.endsWith("Items")) return counted(limit, "item");
  if (keyword.endsWith("Length")) return counted(limit, "character");
  if (!properties || additionalProperties !== false) return counted(limit, "member");
  return `${limit} of ${Object.keys(properties).join(", ")}`;
}

/** As JSON Schema counts it: a string by its code points. */
function sizeOf(data: unknown): number {
  if (Array.isArray(data)) return data.length;
  if (typeof data !== "string") return Object.keys(data as object).length;
  let size = 0;
  for (const _character of data) size++;
  return size;
}

function discriminators(error: ErrorObject): unknown[] {
  const options = (error.parentSchema?.oneOf ?? []) as Schema[];
  return options.map((option) => option.properties?.[error.params.tag]?.const);
}

/** What a value may be that is of no type that the union's options have. */
function unionTypes(error: ErrorObject): string {
  const options = (error.parentSchema?.[error.keyword] ?? []) as Schema[];
  return [...new Set(options.flatMap(({ type }) => type ?? []))].join(" or ");
}

function list(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(", ");
}

function hint(found: unknown, values: readonly unknown[]): string {
  if (typeof found !== "string") return "";
  return didYouMean(
    found,
    values.filter((value): value is string => typeof value === "string"),
  ).replace(/^ /, ". ");
}
