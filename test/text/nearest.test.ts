import { expect, test } from "vitest";
import { didYouMean, nearest } from "../../src/text/nearest.ts";

test.each([
  ["doSomething", ["doSomeThing", "changeSomeProperty"], "doSomeThing"],
  ["getCarts", ["getCart", "getResourceById"], "getCart"],
  ["paint", ["doSomeThing", "changeSomeProperty"], undefined],
  ["x".repeat(101), ["x".repeat(100)], undefined],
])("%s, of %j, means %s", (word, candidates, meant) => {
  expect(nearest(word, candidates)).toBe(meant);
  expect(didYouMean(word, candidates)).toBe(meant === undefined ? "" : ` Did you mean "${meant}"?`);
});
