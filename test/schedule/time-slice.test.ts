import { expect, onTestFinished, test, vi } from "vitest";
import { TimeSlice } from "../../src/contract/schedule.ts";

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
  let now = 1000;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const slice = new TimeSlice();
  now += 9;
  expect(slice.isOver).toBe(false);
  now += 1;
  expect(slice.isOver).toBe(true);
  now += 100;
  await slice.next();
  expect(slice.isOver).toBe(false);
});
