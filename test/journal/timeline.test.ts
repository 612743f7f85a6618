import { expect, test } from "vitest";
import { Buckets } from "../../src/journal/timeline.ts";
import { exchangeWith } from "./exchanges.ts";

test("the percentiles of an interval are values of its requests, in any order", () => {
  const buckets = new Buckets(0, 9, 1);
  for (let duration = 20; duration > 0; duration--) buckets.add(exchangeWith({ duration }));
  expect(buckets.list()).toMatchObject([{ requests: 20, p50: 10, p95: 19 }]);
});
