import { describe, expect, onTestFinished, test } from "vitest";
import { control, inProject } from "../setup/control.ts";
import { type MockUnderTest, newProject, onBothTransports, useMock } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { draft, write } from "../setup/resources.ts";

interface Event {
  id: number;
  type: string;
  data: Record<string, unknown>;
}

/** Opens a stream of events. It is closed at the end of the test. */
async function openEvents(mock: MockUnderTest, path: string, headers: Record<string, string> = {}) {
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
    async take(count: number): Promise<Event[]> {
      const events: Event[] = [];
      while (events.length < count) events.push(await this.next());
      return events;
    },
  };
}

onBothTransports("events", {}, (mock) => {
  const listeners = () => mock.engine.feed.listeners;

  test("start immediately with the delay before a client reconnects", async () => {
    const events = await openEvents(mock, "/events");
    expect(await events.frame()).toBe("retry: 1000");
  });

  test("contain requests, state, scenarios, rules and resets, with increasing ids", async () => {
    const project = newProject();
    const events = await openEvents(mock, `/projects/${project}/events`);
    const { id } = await write(mock, project);
    await inProject(mock, project, "PUT", "/scenarios/slow", { times: 1 });
    await inProject(mock, project, "DELETE", "/scenarios/slow");
    await inProject(mock, project, "POST", "/rules", { operation: "getCart", respond: { status: 500 } });
    await inProject(mock, project, "DELETE", "/rules");
    await inProject(mock, project, "PUT", "/resources/a", { key: "k", ...draft });
    await inProject(mock, project, "PUT", "/resources/a", draft);
    await inProject(mock, project, "DELETE", "/resources/a");
    await inProject(mock, project, "PUT", "/state", { resources: [] });
    await inProject(mock, project, "POST", "/reset");
    await inProject(mock, project, "DELETE", "");
    const received = await events.take(12);
    expect(received.map(({ type, data: { project: _key, ...data } }) => [type, data])).toEqual([
      ["state", { change: "created", id, version: 1 }],
      [
        "request",
        {
          id: expect.stringMatching(/-1$/),
          method: "POST",
          path: `/${project}/resource`,
          query: "",
          operation: "createResource",
          status: 201,
          source: "state",
          violations: 0,
          receivedAt: expect.any(String),
          serverTime: expect.any(String),
          duration: expect.any(Number),
        },
      ],
      ["scenario", { scenario: "slow", on: true }],
      ["scenario", { scenario: "slow", on: false }],
      ["scenario", { rule: "r-1", on: true }],
      ["scenario", { rule: "r-1", on: false }],
      ["state", { change: "created", id: "a", key: "k", version: 1 }],
      ["state", { change: "updated", id: "a", version: 2 }],
      ["state", { change: "deleted", id: "a", version: 2 }],
      ["state", { change: "all" }],
      ["reset", { closed: false }],
      ["reset", { closed: true }],
    ]);
    for (const { data } of received) expect(data.project).toBe(project);
    const ids = received.map((event) => event.id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("of a project include changes of all projects, but no events of other projects", async () => {
    const [project, other] = [newProject(), newProject()];
    const [own, all] = [await openEvents(mock, `/projects/${project}/events`), await openEvents(mock, "/events")];
    await mock.resource(other);
    await mock.resource(project);
    await control(mock, "PUT", "/scenarios/slow");
    await control(mock, "DELETE", "/scenarios/slow");
    await control(mock, "POST", "/reset");
    const projects = (events: Event[]) => events.map(({ type, data }) => [type, data.project]);
    const rest = [
      ["scenario", undefined],
      ["scenario", undefined],
      ["reset", undefined],
    ];
    expect(projects(await all.take(5))).toEqual([["request", other], ["request", project], ...rest]);
    expect(projects(await own.take(4))).toEqual([["request", project], ...rest]);
  });

  describe("are sent again to a client that reconnects", () => {
    test("after the last id that the client received", async () => {
      const project = newProject();
      const events = await openEvents(mock, `/projects/${project}/events`);
      for (let number = 0; number < 5; number++) await mock.resource(project, `?integerParameter=${number}`);
      const received = await events.take(5);
      await events.close();
      await mock.resource(project, "?integerParameter=5");
      await mock.resource(newProject());
      const lastId = String(received[2]?.id);
      const again = await openEvents(mock, `/projects/${project}/events`, { "Last-Event-ID": lastId });
      await mock.resource(project, "?integerParameter=6");
      const queries = (await again.take(4)).map(({ data }) => data.query);
      expect(queries).toEqual([3, 4, 5, 6].map((number) => `integerParameter=${number}`));
    });

    test.each(["99999999", "9007199254740991", "not an id"])(
      "from the first kept event, after a gap, for the unknown id %j",
      async (id) => {
        const project = newProject();
        const events = await openEvents(mock, `/projects/${project}/events`);
        await mock.resource(project);
        const first = await events.next();
        const again = await openEvents(mock, `/projects/${project}/events`, { "Last-Event-ID": id });
        expect(await again.next()).toMatchObject({ type: "gap", data: { project } });
        // Events of all projects can precede this event.
        for (let event = await again.next(); event.id <= first.id; event = await again.next()) {
          if (event.id === first.id) return expect(event).toEqual(first);
        }
        expect.unreachable("expected the event to be sent again");
      },
    );

    test("after a gap if the server has dropped some of them", async () => {
      const project = newProject();
      const events = await openEvents(mock, `/projects/${project}/events`);
      await mock.resource(project);
      const first = await events.next();
      await events.close();
      for (let number = 0; number < 2500; number++) {
        mock.engine.feed.publish("state", project, { change: "updated", id: `${number}` });
      }
      const again = await openEvents(mock, `/projects/${project}/events`, { "Last-Event-ID": String(first.id) });
      const gap = await again.next();
      expect(gap).toMatchObject({ id: first.id, type: "gap", data: { project, after: first.id } });
      const next = await again.next();
      expect([next.type, next.id]).toEqual(["state", Number(gap.data.until) + 1]);
    });
  });

  test("contain no tokens", async () => {
    const project = newProject();
    const events = await openEvents(mock, `/projects/${project}/events`);
    await mock.resource(project, "?access_token=secret&access%5Ftoken=secret&facet=x");
    expect((await events.next()).data.query).toBe("access_token=[redacted]&access%5Ftoken=[redacted]&facet=x");
  });

  test("have no listeners after clients disconnect", async () => {
    await expect.poll(listeners, { interval: 1 }).toBe(0);
    const streams = await Promise.all(Array.from({ length: 50 }, () => openEvents(mock, "/events")));
    await expect.poll(listeners, { interval: 1 }).toBe(50);
    for (const { close } of streams) await close();
    await expect.poll(listeners, { interval: 1 }).toBe(0);
  });
});

describe("a client that does not read from its socket", () => {
  const mock = useMock("over a socket");

  test("is disconnected", async () => {
    const reader = await openSocket(mock.url);
    reader.send("GET /__admin/events HTTP/1.1\r\nHost: mock\r\n\r\n");
    await reader.received(/retry: 1000/);
    reader.socket.pause();
    const path = `/${"x".repeat(400)}`;
    const data = { id: "1", method: "GET", path, query: "", status: 200, source: "state", violations: 0 };
    // The sockets of both sides buffer data in addition to the server.
    while (mock.engine.feed.listeners > 0) {
      mock.engine.feed.publish("request", "p", { ...data, receivedAt: "", serverTime: "", duration: 0 });
      await new Promise((resolve) => setImmediate(resolve));
    }
    reader.socket.resume();
    const { text } = await reader.closed();
    // The stream is cut without a final chunk, so that the client notices that it is incomplete.
    expect(text.endsWith("0\r\n\r\n")).toBe(false);
  });
});
