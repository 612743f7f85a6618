import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import { didYouMean, shown } from "./errors.ts";
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
let ajvs: Promise<Ajvs> | undefined;

/** The check of this schema, when it has been loaded before: spares hot paths the wait. */
export function loadedCheck(schema: Schema): Check | undefined {
  return checks.get(schema);
}

/** The check of this schema. Ajv is loaded at the first call, and each schema compiled at its own first. */
export async function loadCheck(schema: Schema): Promise<Check> {
  const known = checks.get(schema);
  if (known) return known;
  ajvs ??= loadAjvs();
  const { first, all } = await ajvs;
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
    return ajv;
  };
  return { first: create(false), all: create(true) };
}

function problems(errors: ErrorObject[], root: unknown): Problem[] {
  const found: Problem[] = [];
  for (const error of errors) {
    const problem = describe(error);
    // A union adds one error per option and one of its own; the same place is told once.
    if (problem && !found.some(({ pointer }) => pointer === problem.pointer)) found.push(problem);
  }
  if (found.length === 0) found.push({ pointer: "", message: `does not fit the contract, found ${shown(root)}` });
  return found;
}

function describe(error: ErrorObject): Problem | undefined {
  const { keyword, instancePath: pointer, params, data } = error;
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
      const known = Object.keys((error.parentSchema?.["properties"] as object | undefined) ?? {});
      const unknown = params.additionalProperty;
      return {
        pointer: join(pointer, unknown),
        message: `is not known here.${didYouMean(unknown, known) || ` Known: ${known.join(", ")}.`}`,
      };
    }
    case "oneOf":
    case "anyOf":
      return { pointer, message: `fits none of the shapes it may have${found}` };
    case "propertyNames":
      return { pointer: join(pointer, params.propertyName), message: "has a name that is not allowed here" };
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

function discriminators(error: ErrorObject): unknown[] {
  const options = (error.parentSchema?.["oneOf"] ?? []) as Schema[];
  return options.map((option) => option.properties?.[error.params.tag]?.const);
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

/** The JSON pointer of a member of what `pointer` points to. */
export function join(pointer: string, member: string | number): string {
  return `${pointer}/${String(member).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
