import { comesBack } from "../text/json-number.ts";
import { didYouMean } from "../text/nearest.ts";
import { shown } from "../text/shown.ts";
import type { Schema } from "./schema.ts";

type Shared = "pattern" | "minLength" | "minimum" | "maximum" | "title" | "description" | "default";

/**
 * The schema of one text, number or boolean, as parameters, options and flags have it; checked here without loading a
 * validator. `title` is what messages say that they expect; without it, they say what the other keywords allow.
 */
export interface Scalar extends Pick<Schema, Shared> {
  readonly type: "string" | "number" | "integer" | "boolean";
  readonly enum?: readonly string[];
  readonly format?: keyof typeof formats;
  /** A secret: messages show only the first character that is not allowed. */
  readonly writeOnly?: boolean;
}

const formats = {
  /** What browsers send as `Origin`, or `*` for every origin. */
  "allowed-origin": (text: string) => text === "*" || URL.parse(text)?.origin === text,
};

const float = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const integer = /^[+-]?\d+$/;

/** Returns the value that a text stands for, or nothing when it does not fit the schema. */
export function readScalar(schema: Scalar, text: string): string | number | boolean | undefined {
  const value = typedValue(schema.type, text);
  return fits(schema, value) ? value : undefined;
}

function typedValue(type: Scalar["type"], text: string): string | number | boolean | undefined {
  switch (type) {
    case "string":
      return text;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "integer":
      return integer.test(text) ? Number(text) : undefined;
    case "number":
      return float.test(text) && comesBack(text) ? Number(text) : undefined;
  }
}

function fits(schema: Scalar, value: unknown): boolean {
  const { type, enum: choices, minLength = 0, pattern, format, minimum = -Infinity, maximum = Infinity } = schema;
  if (typeof value === "number") {
    const isNumber = type === "integer" ? Number.isSafeInteger(value) : type === "number" && Number.isFinite(value);
    return isNumber && value >= minimum && value <= maximum;
  }
  if (typeof value !== "string") return typeof value === type;
  if (type !== "string" || value.length < minLength || (choices && !choices.includes(value))) return false;
  return (!pattern || new RegExp(pattern, "u").test(value)) && (!format || formats[format](value));
}

/** Returns the values that the schema allows, in words that follow "expected" in a message. */
export function expectedBy({ title, type, enum: choices, minimum, maximum }: Scalar): string {
  if (title) return title;
  if (choices) return `one of ${choices.join(", ")}`;
  if (type === "boolean") return "true or false";
  if (type === "string") return "text";
  const isBounded = minimum !== undefined || maximum !== undefined;
  const kind = type === "integer" ? "a whole number" : isBounded ? "a number" : "a decimal number";
  if (!isBounded) return kind;
  return maximum === undefined ? `${kind} of at least ${minimum}` : `${kind} from ${minimum} to ${maximum}`;
}

/** Returns what is wrong with a value, or nothing when it fits the schema. */
export function scalarProblem(schema: Scalar, value: unknown): string | undefined {
  if (fits(schema, value)) return undefined;
  const isText = typeof value === "string";
  const secret = schema.writeOnly && isText ? [...value].find((character) => !fits(schema, character)) : undefined;
  const found = secret === undefined ? shown(value) : `${shown(secret)} in it`;
  const hint = schema.enum && isText ? didYouMean(value, schema.enum) : "";
  return `expected ${expectedBy(schema)}, found ${found}${hint && `.${hint}`}`;
}
