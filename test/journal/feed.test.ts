import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { KEEP_EVENTS_MS } from "../../src/contract/limits.ts";
import { SUMMARY_MS } from "../../src/journal/events.ts";
import { createFeed, type Feed, HEARTBEAT_MS, type StreamOptions } from "../../src/journal/feed.ts";
import { requestEvent } from "../../src/journal/request-summary.ts";
import { exchangeWith } from "./exchanges.ts";

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** The frames that a reader has received, but no test has read. */
const unread = new WeakMap<Reader, string[]>();

/** Reads up to `count` frames of a stream as text. */
async function read(reader: Reader, count: number): Promise<string[]> {
  const frames = unread.get(reader) ?? [];
  unread.set(reader, frames);
  while (frames.length < count) {
    const { done, value } = await reader.read();
    if (done) break;
    frames.push(...new TextDecoder().decode(value).split(/(?<=\n\n)/));
  }
  return frames.splice(0, count);
}

/** Collects the frames of a stream while other code runs. */
function collected(reader: Reader): string[] {
  const frames: string[] = [];
  void (async () => {
    for (let [frame] = await read(reader, 1); frame !== undefined; [frame] = await read(reader, 1)) frames.push(frame);
  })();
  return frames;
}

/** Resolves when the streams have passed what was published. */
async function passed(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
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
  test("keeps the last 4,000 events of all projects for readers that reconnect", async () => {
    const feed = createFeed();
    await feed.open().cancel();
    feed.publish("request", "quiet", request("/lost"));
    for (let number = 2; number <= 10_000; number++) feed.publish("request", "p", request(`/${number}`));
    feed.publish("request", "quiet", request("/kept"));
    const frames = await read(feed.open({ after: 0 }).getReader(), 4003);
    const paths = pathsOf(frames.slice(2, -1)).map((path) => Number(path?.slice(1)));
    const [first = 0] = paths;
    expect(first).toBeLessThanOrEqual(6002);
    expect(paths.every((path, index) => path === first + index)).toBe(true);
    expect(gapIn(frames[1])).toEqual({ after: 0, until: first - 1 });
    const quiet = await read(feed.open({ project: "quiet", after: 1 }).getReader(), 3);
    expect([gapIn(quiet[1]), pathsOf(quiet.slice(2))]).toEqual([
      { project: "quiet", after: 1, until: first - 1 },
      ["/kept"],
    ]);
  });

  test("has at most 200 readers", async () => {
    const feed = createFeed();
    const readers = Array.from({ length: 200 }, () => feed.open({ after: 0 }));
    expect(() => feed.open()).toThrow("Readers of events: expected at most 200 on a server, found more");
    await readers[0]?.cancel();
    expect(feed.open()).toBeInstanceOf(ReadableStream);
  });

  test("sends the kept events of many readers in portions, one in a turn of the event loop", async () => {
    const feed = createFeed();
    await feed.open().cancel();
    for (let number = 1; number <= 4000; number++) feed.publish("request", "p", request(`/${number}`));
    let turns = 0;
    const count = () => {
      turns++;
      setImmediate(count);
    };
    setImmediate(count);
    const frames = await Promise.all(
      Array.from({ length: 200 }, () => read(feed.open({ after: 0 }).getReader(), 4001)),
    );
    expect(new Set(frames.map(({ length }) => length))).toEqual(new Set([4001]));
    expect(turns).toBeGreaterThanOrEqual(200 * 20);
  });

  test("creates the text of an event once for all readers", async () => {
    const feed = createFeed();
    const readers = Array.from({ length: 50 }, () => feed.open().getReader());
    let texts = 0;
    const data = { names: [], toJSON: () => ({ text: ++texts }) };
    feed.publish("settings", undefined, data);
    for (const reader of readers) expect((await read(reader, 2))[1]).toContain('"text":1');
    expect(texts).toBe(1);
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

  test("keeps nothing for a slow reader, which receives a gap and continues with the kept events", async () => {
    const feed = createFeed();
    const [slow, quick] = [feed.open().getReader(), feed.open().getReader()];
    await read(slow, 1);
    await read(quick, 1);
    for (let number = 1; number <= 20_000; number++) {
      feed.publish("request", "p", request(`/${number}`));
      if (number % 1000 === 0) expect(idIn((await read(quick, 1000)).at(-1))).toBe(number);
    }
    const frames = await read(slow, 300);
    const gap = frames.findIndex((frame) => gapIn(frame) !== null);
    // One portion was already on its way.
    expect(gap).toBeLessThanOrEqual(200);
    const { after, until } = gapIn(frames[gap]);
    expect([after, until > 15_000]).toEqual([gap, true]);
    expect(idIn(frames[gap + 1])).toBe(until + 1);
    expect(feed.listeners).toBe(2);
  });

  test("sends heartbeats while a reader is connected", async () => {
    const feed = createFeed();
    const reader = feed.open().getReader();
    await read(reader, 1);
    expect(vi.getTimerCount()).toBe(1);
    for (let count = 0; count < 2; count++) {
      vi.advanceTimersByTime(HEARTBEAT_MS);
      expect(await read(reader, 1)).toEqual([": still here\n\n"]);
    }
    await reader.cancel();
    expect(feed.listeners).toBe(0);
    vi.advanceTimersByTime(KEEP_EVENTS_MS);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("keeps events for readers that reconnect within a minute, and creates none after that", async () => {
    const feed = createFeed();
    await feed.open().cancel();
    feed.publish("request", "p", request("/missed"));
    vi.advanceTimersByTime(KEEP_EVENTS_MS - 1);
    const reader = feed.open({ after: 0 }).getReader();
    expect(pathsOf(await read(reader, 2))).toEqual([undefined, "/missed"]);
    vi.advanceTimersByTime(2 * KEEP_EVENTS_MS);
    expect(feed.isPublishing).toBe(true);
    await reader.cancel();
    vi.advanceTimersByTime(KEEP_EVENTS_MS);
    expect(feed.isPublishing).toBe(false);
    feed.publish("request", "p", request("/not-published"));
    const later = feed.open({ after: 1 }).getReader();
    feed.publish("request", "p", request("/next"));
    const [, gap, frame] = await read(later, 3);
    expect(gapIn(gap)).toEqual({ after: 1, until: 1 });
    // Ids continue: no id is used twice.
    expect([pathsOf([frame ?? ""]), frame]).toEqual([["/next"], expect.stringMatching(/^id: 2\n/)]);
  });

  test("of replicas keeps events also without readers", async () => {
    const feed = createFeed({ most: 2, keepsAlways: true });
    await feed.open().cancel();
    vi.advanceTimersByTime(KEEP_EVENTS_MS);
    for (const id of [1, 2]) feed.receive({ type: "request", id, project: "p", data: request(`/${id}`) });
    const later = feed.open({ after: 0 }).getReader();
    expect(pathsOf(await read(later, 3))).toEqual([undefined, "/1", "/2"]);
    for (const id of [3, 4, 5]) feed.receive({ type: "request", id, project: "p", data: request(`/${id}`) });
    expect(gapIn((await read(feed.open({ after: 2 }).getReader(), 2))[1])).toEqual({ after: 2, until: 3 });
  });

  test("cuts long paths and queries in events to 1,000 characters", () => {
    const event = requestEvent(exchangeWith({ path: "/x".repeat(5000), query: "y".repeat(5000) }));
    expect([event.path.length, event.query.length]).toEqual([1000, 1000]);
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
    const frames = collected(reader);
    await passed();
    vi.advanceTimersByTime(SUMMARY_MS);
    await passed();
    expect(frames.length).toBe(51);
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
    const frames = collected(reader);
    await passed();
    vi.advanceTimersByTime(SUMMARY_MS);
    await passed();
    const { projects, others, requests } = dataIn(frames[50]);
    expect([projects.length, others.requests, requests]).toEqual([100, 200, 300]);
  });

  test("leaves no gap for a reader that reconnects at any point", async () => {
    const feed = createFeed();
    const [summary, single] = [collected(await openSummary(feed)), collected(feed.open().getReader())];
    for (let number = 1; number <= 200; number++) {
      feed.publish("request", `p-${number % 3}`, request(`/${number}`));
      if (number % 45 === 0) feed.publish("settings", "p-1", { names: ["auth"] });
      if (number % 40 !== 0) continue;
      await passed();
      if (number % 80 === 0) vi.advanceTimersByTime(SUMMARY_MS);
    }
    vi.advanceTimersByTime(SUMMARY_MS);
    await passed();
    const known = single.slice(1).map(idIn);
    expect(known).toEqual(Array.from({ length: 204 }, (_, index) => index + 1));
    let seen = 0;
    for (const frame of summary) {
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
    vi.advanceTimersByTime(KEEP_EVENTS_MS);
    expect(vi.getTimerCount()).toBe(0);
  });
});
