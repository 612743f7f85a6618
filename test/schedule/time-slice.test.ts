import { expect, test } from "vitest";
import { TimeSlice } from "../../src/schedule/time-slice.ts";

test("one caller continues in each turn of the event loop, in the order of the calls", async () => {
  const events: string[] = [];
  let turns = 0;
  const count = () => {
    events.push(`turn ${++turns}`);
    if (turns < 4) setImmediate(count);
  };
  const waits = ["a", "b", "c"].map(async (name) => {
    await new TimeSlice().next();
    events.push(name);
  });
  setImmediate(count);
  await Promise.all(waits);
  expect(events).toEqual(["a", "turn 1", "b", "turn 2", "c"]);
});

test("a slice is over after 10 ms of work, and the next slice starts when the caller continues", async () => {
  const slice = new TimeSlice();
  expect(slice.isOver).toBe(false);
  const started = performance.now();
  while (performance.now() - started < 10);
  expect(slice.isOver).toBe(true);
  await slice.next();
  expect(slice.isOver).toBe(false);
});
