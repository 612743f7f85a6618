// @module-tag isolated
// @module-tag slow
import { describe, expect, test } from "vitest";
import { control, inProject } from "../setup/control.ts";
import { effort, endurance, heldBytes } from "../setup/memory.ts";
import { useMock } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { until } from "../setup/until.ts";

const MiB = 1024 * 1024;
const mock = useMock("over a socket");

/** A client that reads a stream. */
interface Reader {
  received(pattern: RegExp): Promise<unknown>;
  leave(): void;
}

type Leaving = "destroys its socket" | "resets it" | "ends its half" | "aborts its fetch" | "cancels its reader";
const leavings: readonly Leaving[] = [
  "destroys its socket",
  "resets it",
  "ends its half",
  "aborts its fetch",
  "cancels its reader",
];

async function openReader(path: string, leaving: Leaving): Promise<Reader> {
  if (leaving.endsWith("fetch") || leaving.endsWith("reader")) return fetchReader(path, leaving);
  const client = await openSocket(mock.url);
  client.send(`GET ${path} HTTP/1.1\r\nHost: mock\r\n\r\n`);
  return {
    received: client.received,
    leave() {
      if (leaving === "ends its half") client.end();
      else if (leaving === "resets it") client.socket.resetAndDestroy();
      else client.socket.destroy();
    },
  };
}

async function fetchReader(path: string, leaving: Leaving): Promise<Reader> {
  const abort = new AbortController();
  const response = await fetch(`${mock.url}${path}`, { signal: abort.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    async received(pattern) {
      while (!pattern.test(text)) text += (await reader?.read())?.value ?? "";
    },
    leave() {
      if (leaving === "aborts its fetch") abort.abort();
      else void reader?.cancel();
    },
  };
}

const count = (name: string) => process.getActiveResourcesInfo().filter((each) => each === name).length;

/** Runs `round` three times to warm up, then `rounds` times. Checks that no sockets, timers or memory remain in use. */
async function leavesNothing(rounds: number, round: () => Promise<void>): Promise<void> {
  for (let number = 0; number < 3; number++) await round();
  const before = { sockets: count("TCPSocketWrap"), timers: count("Timeout"), bytes: await heldBytes() };
  for (let number = 0; number < rounds; number++) await round();
  await until(() => count("TCPSocketWrap") <= before.sockets && count("Timeout") <= before.timers);
  expect((await heldBytes()) - before.bytes).toBeLessThan(3 * MiB);
}

describe("500 event streams", () => {
  const READERS = 100;
  const listeners = () => mock.engine.feed.listeners;
  const path = (number: number) =>
    number % 2 === 0 ? "/__admin/events" : `/__admin/projects/stream-${number % 10}/events`;

  /**
   * Changes to the project `stream-1`, each with the event that its readers and the readers of all projects receive.
   */
  const changes: [() => Promise<unknown>, RegExp][] = [
    [() => mock.resource("stream-1"), /event: request/],
    [() => inProject(mock, "stream-1", "POST", "/reset"), /event: reset\ndata: \{"project"/],
    [
      () => inProject(mock, "stream-1", "DELETE", ""),
      /event: project\ndata: \{"project":"stream-1","change":"deleted"/,
    ],
    [() => control(mock, "POST", "/reset"), /event: reset\ndata: \{\}/],
  ];

  test("leave nothing behind after requests, resets and deleted projects", endurance, async () => {
    await leavesNothing(5 * effort, async () => {
      const opening = Array.from({ length: READERS }, (_, number) =>
        openReader(path(number), leavings[number % leavings.length] ?? "resets it"),
      );
      const readers = await Promise.all(opening);
      await Promise.all(readers.map(({ received }) => received(/retry: 1000/)));
      expect(listeners()).toBe(READERS);
      for (const [change, event] of changes) {
        await change();
        const affected = readers.filter((_, number) => number % 2 === 0 || number % 10 === 1);
        await Promise.all(affected.map(({ received }) => received(event)));
      }
      // The streams continue after their projects closed. Half of the readers leave now, half of them during a request.
      for (const { leave } of readers.slice(0, READERS / 2)) leave();
      const more = mock.resource("stream-1");
      for (const { leave } of readers.slice(READERS / 2)) leave();
      expect((await more).status).toBe(200);
      await until(() => listeners() === 0);
    });
  });
});

describe("500 waits for requests", () => {
  const WAITS = 100;

  test("leave nothing behind when their clients disconnect", endurance, async () => {
    let number = 0;
    await leavesNothing(5 * effort, async () => {
      const project = `wait-${number++}`;
      const waits = Array.from({ length: WAITS }, () => openSocket(mock.url));
      const clients = await Promise.all(waits);
      for (const { send } of clients) {
        send(`GET /__admin/projects/${project}/requests/wait?timeout=60000 HTTP/1.1\r\nHost: mock\r\n\r\n`);
      }
      await until(() => mock.waits(project) === WAITS);
      for (const [index, { socket, end }] of clients.entries()) {
        if (index % 3 === 0) end();
        else if (index % 3 === 1) socket.resetAndDestroy();
        else socket.destroy();
      }
      await until(() => mock.waits(project) === 0);
      await inProject(mock, project, "DELETE", "");
    });
  });
});
