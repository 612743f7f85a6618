import type { Schema } from "./json-schema.ts";
import { didYouMean } from "./text/did-you-mean.ts";
import { isLossless } from "./text/json-reader.ts";
import { matchesPattern } from "./text/pattern.ts";
import { isPathSegment, shown } from "./text/shown.ts";

type Shared = "pattern" | "minLength" | "minimum" | "maximum" | "multipleOf" | "title" | "description" | "default";

/**
 * The schema of a text, number or boolean: of a parameter, an option or a flag. This file validates such values without
 * Ajv. `title` describes the expected value in messages; without a title, messages derive it from the other keywords.
 */
export interface Scalar extends Pick<Schema, Shared> {
  readonly type: "string" | "number" | "integer" | "boolean";
  readonly enum?: readonly string[];
  readonly format?: keyof typeof textFormats;
  /** Set for a secret: messages show only its first invalid character. */
  readonly writeOnly?: boolean;
}

const textFormats = {
  /** An origin as browsers send it in the header `Origin`, or `*` for every origin. */
  "allowed-origin": (text: string) => text === "*" || URL.parse(text)?.origin === text,
  /** The address of a mock. */
  "mock-url": (text: string) => /^https?:\/\/[^/]/i.test(text) && URL.parse(text)?.username === "",
  /** The address of a service, with a base path if it has one. */
  "service-url": isServiceUrl,
  /** A name of a certificate. */
  "certificate-name": isCertificateName,
};

const float = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const integer = /^[+-]?\d+$/;

/** Returns the value of a text, or `undefined` if it does not match the schema. */
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
      return float.test(text) && isLossless(text) ? Number(text) : undefined;
  }
}

function fits(schema: Scalar, value: unknown): boolean {
  const { type, enum: choices, minLength = 0, pattern, format, minimum = -Infinity, maximum = Infinity } = schema;
  if (typeof value === "number") {
    const isNumber = isWhole(schema) ? Number.isSafeInteger(value) : type === "number" && Number.isFinite(value);
    return isNumber && value >= minimum && value <= maximum;
  }
  if (typeof value !== "string") return typeof value === type;
  if (type !== "string" || value.length < minLength || (choices && !choices.includes(value))) return false;
  return (!pattern || matchesPattern(pattern, value)) && (!format || textFormats[format](value));
}

function isWhole({ type, multipleOf }: Scalar): boolean {
  return type === "integer" || (type === "number" && multipleOf === 1);
}

/** Returns a description of the allowed values, for use after "expected" in a message. */
export function expectedBy(schema: Scalar): string {
  const { title, type, enum: choices, minimum, maximum } = schema;
  if (title) return title;
  if (choices) return `one of ${choices.join(", ")}`;
  if (type === "boolean") return "true or false";
  if (type === "string") return "text";
  const isBounded = minimum !== undefined || maximum !== undefined;
  const kind = isWhole(schema) ? "a whole number" : isBounded ? "a number" : "a decimal number";
  if (!isBounded) return kind;
  return maximum === undefined ? `${kind} of at least ${minimum}` : `${kind} from ${minimum} to ${maximum}`;
}

/** Returns the problem of a value, or `undefined` if it matches the schema. */
export function scalarProblem(schema: Scalar, value: unknown): string | undefined {
  if (fits(schema, value)) return undefined;
  const isText = typeof value === "string";
  const secret = schema.writeOnly && isText ? [...value].find((character) => !fits(schema, character)) : undefined;
  const safe = isText && schema.format === "service-url" ? withoutCredentials(value) : value;
  const found = secret === undefined ? shown(safe) : `${shown(secret)} in it`;
  const hint = schema.enum && isText ? didYouMean(value, schema.enum) : "";
  return `expected ${expectedBy(schema)}, found ${found}${hint && `.${hint}`}`;
}

const label = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const hostName = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`, "i");

/** Returns whether a certificate can have this name: a host name, also with `*.` before it, or an IP address. */
export function isCertificateName(text: string): boolean {
  return text.includes(":") ? URL.canParse(`http://[${text}]`) : text.length <= 253 && hostName.test(text);
}

/**
 * Returns whether the text is an http or https URL that can have credentials and a path, but no query and no fragment.
 */
function isServiceUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !/[?#\s]/.test(text);
}

/** Returns the URL without a user name and password, for messages. The text can be an invalid URL. */
function withoutCredentials(url: string): string {
  return url.replace(/^(\w*:?[/\\]*).*@/s, "$1");
}

const dateTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** The last millisecond of the year 9999. RFC 3339 has no later instants, so clocks stop there. */
export const LAST_INSTANT = 253_402_300_799_999;

/** Returns whether a clock can show this value: a number of milliseconds since 1970. */
export function isTime(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= LAST_INSTANT;
}

/**
 * Returns the instant of an RFC 3339 date-time in milliseconds since 1970. Returns `undefined` for other text and for
 * days that do not exist. Queries, predicates and bodies use this function, so all three accept the same date-times.
 * Leap seconds are invalid, as clocks in JavaScript have none.
 */
export function instantOf(text: string): number | undefined {
  if (!dateTime.test(text)) return undefined;
  const day = text.slice(8, 10);
  // `Date.parse` reads 30 February as 1 March.
  if (day > "28" && new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() !== Number(day)) return undefined;
  return Date.parse(text);
}

/** Returns whether the text is an RFC 3339 date-time of a day that exists. */
export function isDateTime(text: string): boolean {
  return instantOf(text) !== undefined;
}

type Judge = RegExp | ((value: never) => boolean);

/** The formats in schemas, for Ajv, for compiled validators and for explanations; by default, of texts. */
export const formats: Record<string, true | Judge | { type?: "string" | "number"; validate: Judge }> = {
  "date-time": isDateTime,
  /** Any number: JSON has only one type of number. */
  float: { type: "number", validate: () => true },
  int32: { type: "number", validate: (value: number) => value === (value | 0) },
  "path-segment": isPathSegment,
};

/** Adds formats of other contracts. A known name keeps its format. */
export function addFormats(more: typeof formats): void {
  Object.assign(formats, { ...more, ...formats });
}

/** Returns whether a value has the format, also if the format is unknown or is one of another type. */
export function hasFormat(value: unknown, name: string): boolean {
  const format = formats[name] ?? true;
  if (format === true) return true;
  const { type = "string", validate } = "validate" in format ? format : { validate: format };
  if (typeof value !== type) return true;
  return validate instanceof RegExp ? validate.test(String(value)) : validate(value as never);
}
