import { expect, test } from "vitest";
import { streamOf } from "../../src/control/response.ts";

test("a stream lets other tasks run, even if its client reads fast", async () => {
  let turns = 0;
  const turn = () => {
    if (turns++ < 1000) setImmediate(turn);
  };
  setImmediate(turn);
  const piece = "x".repeat(64 * 1024);
  let size = 0;
  for await (const chunk of streamOf(Array(3000).fill(piece))) size += chunk.length;
  expect(size).toBe(3000 * piece.length);
  expect(turns).toBeGreaterThan(1);
});
