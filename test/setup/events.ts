import { expect, onTestFinished } from "vitest";
import type { MockUnderTest } from "./mock.ts";

/** An event of the control API. */
export interface Event {
  id: number;
  type: string;
  data: Record<string, unknown>;
}

/** Opens a stream of events; `path` is relative to `/__admin`. It is closed at the end of the test. */
export async function openEvents(mock: MockUnderTest, path: string, headers: Record<string, string> = {}) {
  const client = new AbortController();
  const response = await mock.fetch(`/__admin${path}`, { headers, signal: client.signal });
  expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "text/event-stream"]);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error("expected a body, found nothing");
  const close = async () => {
    await reader.cancel().catch(() => {});
    client.abort();
  };
  onTestFinished(close);
  let text = "";
  return {
    close,
    /** Returns the next frame as sent, or undefined at the end of the stream. */
    async frame(): Promise<string | undefined> {
      for (;;) {
        const end = text.indexOf("\n\n");
        if (end >= 0) {
          const frame = text.slice(0, end);
          text = text.slice(end + 2);
          return frame;
        }
        const { done, value } = await reader.read();
        if (done) return undefined;
        text += value;
      }
    },
    async next(): Promise<Event> {
      for (;;) {
        const frame = await this.frame();
        if (frame === undefined) throw new Error("expected an event, found the end of the stream");
        const [, id, type, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.+)$/.exec(frame) ?? [];
        if (type && data) return { id: Number(id), type, data: JSON.parse(data) };
      }
    },
    /** Returns the next event of this type. */
    async nextOf(type: string): Promise<Event> {
      for (;;) {
        const event = await this.next();
        if (event.type === type) return event;
      }
    },
    async take(count: number): Promise<Event[]> {
      const events: Event[] = [];
      while (events.length < count) events.push(await this.next());
      return events;
    },
  };
}
