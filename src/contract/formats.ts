const dateTime = /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;

/**
 * Whether the text is an RFC 3339 date-time of a day that exists. One rule for queries, predicates and bodies: what one
 * takes, the others can compare with. Leap seconds are not taken, as the language's clocks have none.
 */
export function isDateTime(text: string): boolean {
  if (!dateTime.test(text) || Number.isNaN(Date.parse(text))) return false;
  // Date.parse takes 30 February for 1 March: the day must survive the round trip.
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** The formats that the contract's schemas name, for Ajv and for compiled validators. */
export const formats = {
  "date-time": isDateTime,
  /** Any number: JSON has only one kind. */
  float: { type: "number", validate: () => true },
  int32: { type: "number", validate: (value: number) => value === (value | 0) },
} as const;
