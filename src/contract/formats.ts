const dateTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

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

/** The formats in the schemas of the contract, for Ajv and for compiled validators. */
export const formats = {
  "date-time": isDateTime,
  /** Any number: JSON has only one type of number. */
  float: { type: "number", validate: () => true },
  int32: { type: "number", validate: (value: number) => value === (value | 0) },
} as const;
