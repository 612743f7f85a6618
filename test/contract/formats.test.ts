import fc from "fast-check";
import { expect, test } from "vitest";
import { instantOf, isDateTime } from "../../src/contract/formats.ts";
import { loadCheck } from "../../src/contract/validator.ts";
import { runs } from "../setup/runs.ts";

const check = await loadCheck({ type: "string", format: "date-time" });

// The property below compares all other date-times with `Date.parse`.
test.each([
  ["2024-05-17T09:30:00.123456789Z", true],
  ["2000-02-29T00:00:00Z", true],
  ["2024-05-17T23:59:59-23:59", true],
  ["1900-02-29T00:00:00Z", false],
  ["2016-12-31T23:59:60Z", false],
  ["2024-05-17T24:00:00Z", false],
  ["2024-05-17T09:30:00", false],
  ["2024-05-17 09:30:00Z", false],
  ["+002024-05-17T09:30:00Z", false],
  ["2024-05-17T09:30:00.Z", false],
  ["2024-05-17T09:30:00Z\n", false],
  ["٢٠٢٤-05-17T09:30:00Z", false],
])("the validity of the date-time %j is %s, in queries and in bodies", (text, expected) => {
  expect(isDateTime(text)).toBe(expected);
  expect(check(text)).toHaveLength(expected ? 0 : 1);
});

/** Returns the result of `Date.parse`, or `undefined` for days that do not exist: it reads 30 February as 1 March. */
function parsed(text: string): number | undefined {
  const instant = Date.parse(text);
  const day = text.slice(0, 10);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
  return Number.isNaN(instant) || !exists ? undefined : instant;
}

test("instantOf returns the same instant as Date.parse", () => {
  const number = (digits: number, most: number) =>
    fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(digits, "0"));
  const day = fc.tuple(number(4, 9999), number(2, 13), number(2, 32)).map((parts) => parts.join("-"));
  const time = fc.tuple(number(2, 23), number(2, 59), number(2, 59)).map((parts) => parts.join(":"));
  const fraction = fc.oneof(fc.constant(""), fc.stringMatching(/^\.[0-9]{1,3}$/));
  const offset = fc.tuple(fc.constantFrom("+", "-"), number(2, 24), number(2, 60));
  const zone = fc.oneof(
    fc.constantFrom("Z", "z"),
    offset.map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
  );
  const dateTime = fc.tuple(day, fc.constantFrom("T", "t"), time, fraction, zone).map((parts) => parts.join(""));
  fc.assert(
    fc.property(dateTime, (text) => {
      expect(instantOf(text)).toBe(parsed(text));
    }),
    runs(2000),
  );
});
