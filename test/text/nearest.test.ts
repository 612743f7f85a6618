import { expect, test } from "vitest";
import { nearest } from "../../src/contract/text/did-you-mean.ts";

test("compares a word with at most a thousand candidates of a similar length", () => {
  let taken = 0;
  function* names(count: number, name: (number: number) => string): Generator<string> {
    for (let number = 0; number < count; number++) {
      taken++;
      yield name(number);
    }
  }
  expect(
    nearest(
      "projekt",
      names(100_000, () => "another"),
    ),
  ).toBeUndefined();
  expect(taken).toBe(1001);
  const long = names(100_000, (number) => (number === 99_999 ? "project" : "a name of another length"));
  expect(nearest("projekt", long)).toBe("project");
});
