import { matches } from "./explain.ts";
import type { Schema } from "./json-schema.ts";
import { didYouMean } from "./text/did-you-mean.ts";
import { isLossless } from "./text/json-reader.ts";
import { shown } from "./text/shown.ts";

type Shared = "pattern" | "minLength" | "minimum" | "maximum" | "multipleOf" | "title" | "description" | "default";

/**
 * The schema of a text, number or boolean: of a parameter, an option or a flag. `title` describes the expected value in
 * messages; without a title, messages derive it from the other keywords.
 */
export interface Scalar extends Pick<Schema, Shared> {
  readonly type: "string" | "number" | "integer" | "boolean";
  readonly enum?: readonly string[];
  readonly format?: "allowed-origin" | "mock-url" | "service-url" | "certificate-name";
  /** Set for a secret: messages show only its first invalid character. */
  readonly writeOnly?: boolean;
}

const float = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const integer = /^[+-]?\d+$/;

/** Returns the value of a text, or `undefined` if it does not match the schema. */
export function readScalar(schema: Scalar, text: string): string | number | boolean | undefined {
  const value = typedValue(schema.type, text);
  return matches(schema, value) ? value : undefined;
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
      return float.test(text) && isLossless(text) ? Number(text) : undefined;
  }
}

/** Returns a description of the allowed values, for use after "expected" in a message. */
export function expectedBy(schema: Scalar): string {
  const { title, type, enum: choices, minimum, maximum, multipleOf } = schema;
  if (title) return title;
  if (choices) return `one of ${choices.join(", ")}`;
  if (type === "boolean") return "true or false";
  if (type === "string") return "text";
  const isBounded = minimum !== undefined || maximum !== undefined;
  const isWhole = type === "integer" || multipleOf === 1;
  const kind = isWhole ? "a whole number" : isBounded ? "a number" : "a decimal number";
  if (!isBounded) return kind;
  return maximum === undefined ? `${kind} of at least ${minimum}` : `${kind} from ${minimum} to ${maximum}`;
}

/** Returns the problem of a value, or `undefined` if it matches the schema. */
export function scalarProblem(schema: Scalar, value: unknown): string | undefined {
  if (matches(schema, value)) return undefined;
  const isText = typeof value === "string";
  const secret = schema.writeOnly && isText ? [...value].find((character) => !matches(schema, character)) : undefined;
  // The user name and password of a URL, which can be an invalid one.
  const safe = isText && schema.format === "service-url" ? value.replace(/^(\w*:?[/\\]*).*@/s, "$1") : value;
  const found = secret === undefined ? shown(safe) : `${shown(secret)} in it`;
  const hint = schema.enum && isText ? didYouMean(value, schema.enum) : "";
  return `expected ${expectedBy(schema)}, found ${found}${hint && `.${hint}`}`;
}
