import { expect, test } from "vitest";
import type { EventStream, MockEvent, ResourceMockClient } from "../../src/client/types.ts";
import { liveEvents } from "../../src/dashboard/live-events.ts";

/** Returns a client whose event stream sends these events and then stays silent. */
function clientWith(...events: MockEvent[]): ResourceMockClient {
  async function* stream() {
    yield* events;
    await new Promise(() => {});
  }
  return { events: async () => stream() as unknown as EventStream } as unknown as ResourceMockClient;
}

test("a gap event causes subscribers to read the state again", async () => {
  const reset: MockEvent = { type: "reset", id: "2", data: {} };
  const live = liveEvents(clientWith({ type: "gap", id: "0", data: { after: 0, until: 1 } }, reset));
  const calls: (readonly MockEvent[])[] = [];
  await new Promise<void>((resolve) => {
    live.subscribe((events) => {
      calls.push(events);
      if (events.length > 0) resolve();
    });
  });
  live.close();
  // The empty lists come from the connection and from the gap.
  expect(calls).toEqual([[], [], [reset]]);
});
