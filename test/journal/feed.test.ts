import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SUMMARY_MS } from "../../src/journal/event-summary.ts";
import { requestEvent } from "../../src/journal/events.ts";
import { createFeed, type Feed, HEARTBEAT_MS, KEEP_MS, type StreamOptions } from "../../src/journal/feed.ts";
import { exchangeWith } from "./exchanges.ts";

/** Reads up to `chunks` chunks of a stream as text. */
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

const idIn = (frame = "") => Number(/^id: (\d+)$/m.exec(frame)?.[1]);
/** Returns the data of a `gap` event; null for other frames. */
const gapIn = (frame = "") => JSON.parse(/^event: gap\ndata: (.*)$/m.exec(frame)?.[1] ?? "null");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a feed", () => {
  test("keeps at least the last 1,000 events of a project for readers that reconnect", async () => {
    const feed = createFeed();
    await feed.open().cancel();
    for (let number = 1; number <= 5000; number++) feed.publish("request", "p", request(`/${number}`));
    const frames = await read(feed.open({ after: 0 }).getReader(), 1002);
    const paths = pathsOf(frames.slice(2)).map((path) => Number(path?.slice(1)));
    expect(paths[0]).toBeGreaterThan(3000);
    expect(paths[0]).toBeLessThanOrEqual(4001);
    expect(paths.every((path, index) => path === (paths[0] ?? 0) + index)).toBe(true);
    expect(gapIn(frames[1])).toEqual({ after: 0, until: (paths[0] ?? 0) - 1 });
  });

  test("keeps the events of a quiet project while a busy project publishes many", async () => {
    const feed = createFeed();
    await feed.open().cancel();
    feed.publish("request", "quiet", request("/quiet"));
    feed.publish("reset", undefined, {});
    for (let number = 1; number <= 20_000; number++) feed.publish("request", "busy", request(`/${number}`));
    const frames = await read(feed.open({ project: "quiet", after: 0 }).getReader(), 3);
    expect([pathsOf(frames.slice(1, 2)), frames[2]]).toEqual([["/quiet"], expect.stringContaining("event: reset")]);
    const busy = await read(feed.open({ project: "busy", after: 1 }).getReader(), 2);
    expect(gapIn(busy[1])).toEqual({ project: "busy", after: 1, until: expect.any(Number) });
    expect(idIn(busy[1])).toBe(1);
  });

  test("keeps at most 2 MiB of events for any number of projects, and reports the gaps", async () => {
    const feed = createFeed();
    await feed.open().cancel();
    const path = `/${"x".repeat(400)}`;
    for (let number = 1; number <= 20_000; number++) feed.publish("request", `p-${number % 5000}`, request(path));
    const reader = feed.open({ after: 0 }).getReader();
    feed.publish("reset", undefined, {});
    let bytes = 0;
    const ids: number[] = [];
    for (let frame = ""; !frame.includes("event: reset"); bytes += frame.length) {
      [frame = ""] = await read(reader, 1);
      if (frame.startsWith("id: ")) ids.push(idIn(frame));
    }
    expect(bytes).toBeLessThan(2 * 1024 * 1024);
    expect(ids.length).toBeGreaterThan(1000);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    // The events of the oldest project were dropped.
    const [, first] = await read(feed.open({ project: "p-1", after: 1 }).getReader(), 2);
    expect(gapIn(first)).toMatchObject({ project: "p-1", after: 1 });
  });

  test.each([
    ["an id of an earlier server", 500],
    ["an id of a later server", 5000],
    ["the id 0", 0],
  ])("reports a gap for %s, and starts with the first kept event", async (_what, after) => {
    const feed = createFeed({ firstId: 1000 });
    await feed.open().cancel();
    feed.publish("request", "p", request("/1"));
    const frames = await read(feed.open({ project: "p", after }).getReader(), 3);
    expect(gapIn(frames[1])).toEqual({ project: "p", after: 1000, until: 1000 });
    expect(pathsOf(frames.slice(2))).toEqual(["/1"]);
  });

  test("closes the stream of a slow reader, and no other", async () => {
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
    // The limit is 4 MiB, and each frame has more than 400 bytes.
    expect(published).toBeGreaterThan(5000);
    await expect(slow.read()).rejects.toThrow("too slow");
    expect(feed.listeners).toBe(1);
  });

  test("sends heartbeats while a reader is connected", async () => {
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

  test("keeps events for readers that reconnect within a minute, and creates none after that", async () => {
    const feed = createFeed();
    await feed.open().cancel();
    feed.publish("request", "p", request("/missed"));
    vi.advanceTimersByTime(KEEP_MS - 1);
    const reader = feed.open({ after: 0 }).getReader();
    expect(pathsOf(await read(reader, 2))).toEqual([undefined, "/missed"]);
    vi.advanceTimersByTime(2 * KEEP_MS);
    expect(feed.isPublishing).toBe(true);
    await reader.cancel();
    vi.advanceTimersByTime(KEEP_MS);
    expect(feed.isPublishing).toBe(false);
    feed.publish("request", "p", request("/not-published"));
    const later = feed.open({ after: 1 }).getReader();
    feed.publish("request", "p", request("/next"));
    const [, gap, frame] = await read(later, 3);
    expect(gapIn(gap)).toEqual({ after: 1, until: 1 });
    // Ids continue: no id is used twice.
    expect([pathsOf([frame ?? ""]), frame]).toEqual([["/next"], expect.stringMatching(/^id: 2\n/)]);
  });

  test("cuts long paths and queries in events to 500 characters", () => {
    const event = requestEvent(exchangeWith({ path: "/x".repeat(5000), query: "y".repeat(5000) }));
    expect([event.path.length, event.query.length]).toEqual([500, 500]);
  });
});

describe("a summary", () => {
  const typeIn = (frame = "") => /^event: (\w+)$/m.exec(frame)?.[1];
  const dataIn = (frame = "") => JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? "null");
  /** Opens a stream with summaries, and reads its first frame. */
  async function openSummary(feed: Feed, options: StreamOptions = {}) {
    const reader = feed.open({ ...options, summary: true }).getReader();
    await read(reader, 1);
    return reader;
  }
  function publishRequests(feed: Feed, project: string, count: number): void {
    for (let number = 1; number <= count; number++) feed.publish("request", project, request(`/${number}`));
  }

  test("counts all events after the 50th of one type, by project, status and type", async () => {
    const feed = createFeed();
    const reader = await openSummary(feed);
    publishRequests(feed, "p", 52);
    feed.publish("state", "p", { change: "all" });
    feed.publish("request", "q", requestEvent(exchangeWith({ id: "last", status: 0 })));
    feed.publish("reset", undefined, {});
    vi.advanceTimersByTime(SUMMARY_MS);
    const frames = await read(reader, 51);
    expect(frames.slice(0, 50).map(typeIn)).toEqual(Array(50).fill("request"));
    const { id } = exchangeWith({});
    expect([idIn(frames[50]), typeIn(frames[50]), dataIn(frames[50])]).toEqual([
      55,
      "summary",
      {
        requests: 3,
        statuses: { "2xx": 2, none: 1 },
        lastRequest: "last",
        changes: { state: 1, reset: 1 },
        projects: [
          { project: "p", requests: 2, statuses: { "2xx": 2 }, lastRequest: id, changes: { state: 1 } },
          { project: "q", requests: 1, statuses: { none: 1 }, lastRequest: "last", changes: {} },
          { requests: 0, statuses: {}, changes: { reset: 1 } },
        ],
      },
    ]);
  });

  test("has at most 100 projects, and counts the others together", async () => {
    const feed = createFeed();
    const reader = await openSummary(feed);
    for (let number = 1; number <= 350; number++) feed.publish("request", `p-${number}`, request("/"));
    vi.advanceTimersByTime(SUMMARY_MS);
    const { projects, others, requests } = dataIn((await read(reader, 51))[50]);
    expect([projects.length, others.requests, requests]).toEqual([100, 200, 300]);
  });

  test("leaves no gap for a reader that reconnects at any point", async () => {
    const feed = createFeed();
    const readers = [await openSummary(feed), feed.open().getReader()] as const;
    for (let number = 1; number <= 200; number++) {
      feed.publish("request", `p-${number % 3}`, request(`/${number}`));
      if (number % 45 === 0) feed.publish("settings", "p-1", { names: ["auth"] });
      if (number % 80 === 0) vi.advanceTimersByTime(SUMMARY_MS);
    }
    vi.advanceTimersByTime(SUMMARY_MS);
    const single = await read(readers[1], 205);
    const known = single.slice(1).map(idIn);
    expect(known).toEqual(Array.from({ length: 204 }, (_, index) => index + 1));
    let seen = 0;
    for (const frame of await read(readers[0], 54)) {
      const { requests, changes } = dataIn(frame);
      seen += typeIn(frame) === "summary" ? requests + (changes.settings ?? 0) : 1;
      // The ids up to this one are known, so a reader can continue from here.
      expect(idIn(frame)).toBe(seen);
    }
    expect(seen).toBe(204);
  });

  test("is sent when the feed closes, and not after the reader has left", async () => {
    const feed = createFeed();
    const reader = await openSummary(feed);
    const left = await openSummary(feed);
    publishRequests(feed, "p", 60);
    await left.cancel();
    feed.close();
    expect((await read(reader, 60)).map(typeIn)).toEqual([...Array(50).fill("request"), "summary"]);
    vi.advanceTimersByTime(KEEP_MS);
    expect(vi.getTimerCount()).toBe(0);
  });
});
