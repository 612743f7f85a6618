// @module-tag process
// @module-tag slow
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFlakyProxy } from "../setup/flaky-proxy.ts";
import { json, newProject } from "../setup/mock.ts";
import { type RedisServer, useRedis } from "../setup/redis.ts";
import { describeWithRedis } from "../setup/requirements.ts";
import { until } from "../setup/until.ts";
import { openReplicas, type Replicas } from "./engines.ts";

let prefixes = 0;

async function three({ url }: RedisServer, urls = [url, url, url]): Promise<Replicas & { readonly prefix: string }> {
  const prefix = `events-${++prefixes}`;
  const replicas = await openReplicas({ urls, prefix });
  onTestFinished(async () => {
    await replicas.close();
    expect(replicas.defects).toEqual([]);
  });
  return { ...replicas, prefix };
}

/** Opens an event stream at a replica. Resolves when the stream is open, with the events that arrive from then on. */
async function read(replicas: Replicas, replica: number, lastId?: string): Promise<EventSourceMessage[]> {
  const events: EventSourceMessage[] = [];
  const headers: Record<string, string> = lastId === undefined ? {} : { "Last-Event-ID": lastId };
  const response = await replicas.fetch(replica, "/__admin/events", { headers });
  const isOpen = Promise.withResolvers<void>();
  const parser = createParser({ onEvent: (event) => events.push(event), onRetry: () => isOpen.resolve() });
  const decoder = new TextDecoder();
  const pipe = async () => {
    for await (const bytes of response.body ?? []) parser.feed(decoder.decode(bytes, { stream: true }));
  };
  void pipe().catch(() => {});
  await isOpen.promise;
  return events;
}

const numberOf = (events: readonly EventSourceMessage[], type: string) => {
  return events.filter(({ event }) => event === type).length;
};

/** Expects that the ids of the events increase. */
function expectIncreasing(events: readonly EventSourceMessage[]) {
  const ids = events.map(({ id }) => Number(id));
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
}

describeWithRedis("events of replicas", () => {
  describe("with a store that keeps its data", () => {
    const redis = useRedis({ appendOnly: true });

    it("reach the readers of each replica once, in the same order and with the same ids", async () => {
      const replicas = await three(redis);
      const project = newProject();
      const readers = await Promise.all([0, 1, 2].map((replica) => read(replicas, replica)));
      const rule = { operation: "getResourceById", respond: { status: 404 }, times: 3 };
      await replicas.send(`/__admin/projects/${project}/rules`, json("POST", rule));
      await Promise.all(Array.from({ length: 30 }, () => replicas.send(`/${project}/resource/42`)));
      await replicas.send(`/__admin/projects/${project}/reset`, { method: "POST" });
      await until(() => readers.every((events) => numberOf(events, "reset") === 1));
      const [first = [], ...others] = readers;
      expect(numberOf(first, "request")).toBe(30);
      expect(first.filter(({ event, data }) => event === "rules" && data.includes("used-up"))).toHaveLength(1);
      expectIncreasing(first);
      for (const events of others) expect(events).toEqual(first);
    });

    it("end when their readers leave, also before the store has replied", async () => {
      const { engines } = await three(redis);
      const [one, other] = Array.from({ length: 2 }, () => engines[0]?.feed.open().getReader());
      await other?.cancel();
      await one?.read();
      await one?.cancel();
      await until(() => engines[0]?.feed.listeners === 0);
    });

    it("continue at another replica after the last id", async () => {
      const replicas = await three(redis);
      const project = newProject();
      const all = await read(replicas, 1);
      const before = await read(replicas, 0);
      for (let request = 0; request < 5; request++) await replicas.fetch(1, `/${project}/resource/42`);
      await until(() => numberOf(before, "request") === 5);
      await replicas.engines[0]?.close();
      for (let request = 0; request < 5; request++) await replicas.fetch(1, `/${project}/resource/42`);
      const after = await read(replicas, 2, before.at(-1)?.id);
      await replicas.fetch(1, `/${project}/resource/42`);
      await until(() => numberOf(after, "request") === 6 && numberOf(all, "request") === 11);
      expect([...before, ...after]).toEqual(all);
    });

    it("continue at a replica that has not read the last id yet, without a gap and without an event twice", async () => {
      const proxy = await openFlakyProxy(redis.url);
      const replicas = await three(redis, [redis.url, proxy.url]);
      const project = newProject();
      const request = () => replicas.fetch(0, `/${project}/resource/42`);
      const ahead = await read(replicas, 0);
      await read(replicas, 1);
      const isBehind = proxy.hold("replies", "xread");
      for (let sent = 0; sent < 5; sent++) await request();
      await until(() => numberOf(ahead, "request") === 5);
      await isBehind;
      const [, second] = ahead.filter(({ event }) => event === "request");
      const fromSecond = await read(replicas, 1, second?.id);
      const fromLast = await read(replicas, 1, ahead.at(-1)?.id);
      proxy.release();
      await request();
      await until(() => numberOf(fromLast, "request") === 1 && numberOf(fromSecond, "request") === 4);
      expect(fromLast).toEqual(ahead.slice(-1));
      expect(fromSecond).toEqual(ahead.slice(-4));
    });

    it("have a gap after an id that no replica has issued yet", async () => {
      const replicas = await three(redis);
      const project = newProject();
      const first = await read(replicas, 0);
      await replicas.fetch(0, `/${project}/resource/42`);
      await until(() => numberOf(first, "request") === 1);
      const foreign = await read(replicas, 0, `${Number(first.at(-1)?.id) + 1}`);
      await until(() => numberOf(foreign, "request") === 1);
      expect(numberOf(foreign, "gap")).toBe(1);
    });

    it("continue without a gap after the store has restarted", async () => {
      const replicas = await three(redis);
      const project = newProject();
      const readers = await Promise.all([0, 1].map((replica) => read(replicas, replica)));
      await replicas.fetch(2, `/${project}/resource/42`);
      await redis.stop("SIGKILL");
      await redis.start();
      await until(() => replicas.engines.every(({ home }) => home.health.problem === undefined));
      await replicas.fetch(2, `/${project}/resource/42`);
      await until(() => readers.every((events) => numberOf(events, "request") === 2));
      const [first, second] = readers;
      expect(second).toEqual(first);
      expect(numberOf(first ?? [], "gap")).toBe(0);
    });
  });

  describe("with a store that loses its data", () => {
    const redis = useRedis();

    it("have a gap after the restart, and then continue", async () => {
      const replicas = await three(redis);
      const project = newProject();
      const readers = await Promise.all([0, 1].map((replica) => read(replicas, replica)));
      await replicas.fetch(2, `/${project}/resource/42`);
      await until(() => readers.every((events) => numberOf(events, "request") === 1));
      await redis.stop("SIGKILL");
      await redis.start();
      await until(() => readers.every((events) => numberOf(events, "gap") === 1));
      await until(() => replicas.engines.every(({ home }) => home.health.problem === undefined));
      await replicas.fetch(2, `/${project}/resource/42`);
      await until(() => readers.every((events) => numberOf(events, "request") === 2));
      for (const events of readers) expectIncreasing(events);
      const gap = readers[0]?.find(({ event }) => event === "gap");
      expect(readers[1]?.find(({ event }) => event === "gap")).toEqual(gap);

      // The id of the gap is valid at a replica without readers.
      const later = await read(replicas, 2, gap?.id);
      await until(() => numberOf(later, "request") === 1);
      expect(numberOf(later, "gap")).toBe(0);
    });

    it("have a gap after a loss without a restart too, before the next event", async () => {
      const replicas = await three(redis);
      const project = newProject();
      const readers = await Promise.all([0, 1].map((replica) => read(replicas, replica)));
      await replicas.fetch(2, `/${project}/resource/42`);
      await until(() => readers.every((events) => numberOf(events, "request") === 1));
      await redis.call("flushall");
      await replicas.fetch(2, `/${project}/resource/42`);
      await until(() => readers.every((events) => numberOf(events, "request") === 2));
      for (const events of readers) {
        const afterLoss = events.slice(events.findIndex(({ event }) => event === "request") + 1);
        expect(afterLoss[0]?.event).toBe("gap");
        expect(numberOf(events, "gap")).toBe(1);
        expectIncreasing(events);
      }
      await redis.call("flushall");
      await until(() => readers.every((events) => numberOf(events, "gap") === 2));
    });

    it("are stored without readers, for a reader that reconnects", async () => {
      const replicas = await three(redis);
      const project = newProject();
      await replicas.fetch(0, `/${project}/resource/42`);
      const first = await read(replicas, 0, "1");
      expect(numberOf(first, "gap")).toBe(1);
      await until(() => numberOf(first, "request") === 1);
      await replicas.engines[0]?.close();
      await replicas.fetch(1, `/${project}/resource/42`);
      const next = await read(replicas, 1, first.at(-1)?.id);
      await until(() => numberOf(next, "request") === 1);
      expect(numberOf(next, "gap")).toBe(0);
    });
  });
});
