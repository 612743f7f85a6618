import { expect, test } from "vitest";
import { Buckets } from "../../src/journal/timeline.ts";
import { exchangeWith } from "./exchanges.ts";

test("an interval has the median and the 95th percentile of its durations", () => {
  const buckets = new Buckets(0, 99, 2);
  buckets.add(exchangeWith({ serverTime: 0, duration: 5 }));
  for (let duration = 20; duration > 0; duration--) buckets.add(exchangeWith({ serverTime: 10, duration }));
  buckets.add(exchangeWith({ serverTime: 99, duration: 7, status: 409 }));
  expect(buckets.list()).toMatchObject([
    { requests: 21, errors: 0, p50: 10, p95: 19 },
    { requests: 1, errors: 1, p50: 7, p95: 7 },
  ]);
});
