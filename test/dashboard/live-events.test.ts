import { expect, test } from "vitest";
import type { EventStream, MockEvent, ResourceMockClient } from "../../src/client/types.ts";
import { liveEvents } from "../../src/dashboard/live-events.ts";

/** A client whose stream has these events, and no more. */
function clientWith(...events: MockEvent[]): ResourceMockClient {
  async function* stream() {
    yield* events;
    await new Promise(() => {});
  }
  return { events: async () => stream() as unknown as EventStream } as unknown as ResourceMockClient;
}

test("a gap has the parts of the page read the state again", async () => {
  const reset: MockEvent = { type: "reset", id: "2", data: { closed: false } };
  const live = liveEvents(clientWith({ type: "gap", id: "0", data: { after: 0, until: 1 } }, reset));
  const calls: (readonly MockEvent[])[] = [];
  await new Promise<void>((resolve) => {
    live.subscribe((events) => {
      calls.push(events);
      if (events.length > 0) resolve();
    });
  });
  live.close();
  // Once for the connection, once for the gap.
  expect(calls).toEqual([[], [], [reset]]);
});
