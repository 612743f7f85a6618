import { isPathSegment } from "./text/shown.ts";

const label = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const hostName = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`, "i");

/** Returns whether a certificate can have this name: a host name, also with `*.` before it, or an IP address. */
export function isCertificateName(text: string): boolean {
  return text.includes(":") ? URL.canParse(`http://[${text}]`) : text.length <= 253 && hostName.test(text);
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
  /** An origin as browsers send it in the header `Origin`, or `*` for every origin. */
  "allowed-origin": (text: string) => text === "*" || URL.parse(text)?.origin === text,
  /** The address of a mock. */
  "mock-url": (text: string) => /^https?:\/\/[^/]/i.test(text) && URL.parse(text)?.username === "",
  /** An http or https URL that can have credentials and a base path, but no query and no fragment. */
  "service-url": (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? "") && !/[?#\s]/.test(text),
  /** A name of a certificate. */
  "certificate-name": isCertificateName,
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
