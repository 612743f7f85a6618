import { expect, test, vi } from "vitest";
import { chunksOf } from "../../src/contract/text/json-text.ts";

test("pieces become chunks, and other requests run between chunks, not between pieces", async () => {
  let now = 0;
  // On a busy machine, a slice is over at each look at the clock.
  using clock = vi.spyOn(performance, "now").mockImplementation(() => {
    now += 20;
    return now;
  });
  const pieces = Array.from({ length: 1000 }, (_, index) => `${index}`.padEnd(1024));
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOf(pieces)) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe(pieces.join(""));
  expect(chunks).toHaveLength(16);
  expect(clock.mock.calls.length).toBeLessThan(3 * chunks.length);
});
