import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createFeed, HEARTBEAT_MS, KEEP_MS, requestEvent } from "../../src/journal/feed.ts";
import { exchangeWith } from "./exchanges.ts";

/** Reads what is there of a stream, chunk by chunk, as text. */
async function read(reader: ReadableStreamDefaultReader<Uint8Array>, chunks: number): Promise<string[]> {
  const texts: string[] = [];
  while (texts.length < chunks) {
    const { done, value } = await reader.read();
    if (done) break;
    texts.push(new TextDecoder().decode(value));
  }
  return texts;
}

const request = (path: string) => requestEvent(exchangeWith({ path }));
const pathsOf = (frames: string[]) => frames.map((frame) => /"path":"([^"]*)"/.exec(frame)?.[1]);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a feed", () => {
  test("makes and keeps nothing before somebody listens", async () => {
    const feed = createFeed();
    feed.publish("request", "p", request("/before"));
    expect(feed.isHeard).toBe(false);
    const reader = feed.open({ after: 0 }).getReader();
    expect(feed.isHeard).toBe(true);
    feed.publish("request", "p", request("/first"));
    const [retry, first] = await read(reader, 2);
    expect([retry, pathsOf([first ?? ""])]).toEqual(["retry: 1000\n\n", ["/first"]]);
    expect(first).toMatch(/^id: 1\nevent: request\ndata: \{.*\}\n\n$/);
  });

  test("keeps the last thousand for readers that come back", async () => {
    const feed = createFeed();
    await feed.open().cancel();
    for (let number = 1; number <= 5000; number++) feed.publish("request", "p", request(`/${number}`));
    const frames = await read(feed.open({ after: 0 }).getReader(), 1001);
    const paths = pathsOf(frames.slice(1)).map((path) => Number(path?.slice(1)));
    expect(paths[0]).toBeGreaterThan(3000);
    expect(paths[0]).toBeLessThanOrEqual(4001);
    expect(paths.every((path, index) => path === (paths[0] ?? 0) + index)).toBe(true);
  });

  test("drops a reader that does not read, and no other", async () => {
    const feed = createFeed();
    const [slow, quick] = [feed.open().getReader(), feed.open().getReader()];
    const path = `/${"x".repeat(400)}`;
    await read(quick, 1);
    let published = 0;
    while (feed.listeners === 2) {
      feed.publish("request", "p", request(path));
      published++;
      expect(pathsOf(await read(quick, 1))).toEqual([path]);
      expect(published).toBeLessThan(20_000);
    }
    // Four MiB of frames of well over 400 bytes.
    expect(published).toBeGreaterThan(5000);
    await expect(slow.read()).rejects.toThrow("too slow");
    expect(feed.listeners).toBe(1);
  });

  test("says that it is still there, as long as somebody listens", async () => {
    const feed = createFeed();
    const reader = feed.open().getReader();
    await read(reader, 1);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(2 * HEARTBEAT_MS);
    expect(await read(reader, 2)).toEqual([": still here\n\n", ": still here\n\n"]);
    await reader.cancel();
    expect(feed.listeners).toBe(0);
    vi.advanceTimersByTime(KEEP_MS);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("keeps what happens for readers that come back soon, and makes nothing when none does", async () => {
    const feed = createFeed();
    await feed.open().cancel();
    feed.publish("request", "p", request("/missed"));
    vi.advanceTimersByTime(KEEP_MS - 1);
    const reader = feed.open({ after: 0 }).getReader();
    expect(pathsOf(await read(reader, 2))).toEqual([undefined, "/missed"]);
    vi.advanceTimersByTime(2 * KEEP_MS);
    expect(feed.isHeard).toBe(true);
    await reader.cancel();
    vi.advanceTimersByTime(KEEP_MS);
    expect(feed.isHeard).toBe(false);
    feed.publish("request", "p", request("/unheard"));
    const later = feed.open({ after: 0 }).getReader();
    feed.publish("request", "p", request("/next"));
    const [, frame] = await read(later, 2);
    // Ids go on: one that was given out is not used again.
    expect([pathsOf([frame ?? ""]), frame]).toEqual([["/next"], expect.stringMatching(/^id: 2\n/)]);
  });

  test("ends its streams, and each that is opened from then on", async () => {
    const feed = createFeed();
    const reader = feed.open().getReader();
    await read(reader, 1);
    feed.publish("reset", undefined, { closed: false });
    feed.close();
    expect(await read(reader, 5)).toEqual(['id: 1\nevent: reset\ndata: {"closed":false}\n\n']);
    expect(await read(feed.open().getReader(), 5)).toEqual([]);
    vi.advanceTimersByTime(KEEP_MS);
    expect([feed.listeners, vi.getTimerCount()]).toEqual([0, 0]);
  });

  test("tells in events no more of long paths and queries than their beginnings", () => {
    const event = requestEvent(exchangeWith({ path: "/x".repeat(5000), query: "y".repeat(5000) }));
    expect([event.path.length, event.query.length]).toEqual([500, 500]);
  });
});
