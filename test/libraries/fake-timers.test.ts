import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { openSocket } from "../setup/raw-socket.ts";

// A test suite may install fake timers in the process of the mock, which keeps the timers of the machine.
const mock = await startResourceMock({ port: 0 });
const project = mock.project("still");

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(async () => {
    vi.useRealTimers();
    await project.reset();
  });
});

test("the server responds over the socket", async () => {
  const response = await fetch(`${mock.url}/still/resource`);
  expect(response.status).toBe(200);
  await response.text();
});

test("the order of requests is verified", async () => {
  for (const id of ["a", "b", "c"]) await mock.fetch(`/still/resource/${id}`);
  const order = ["a", "b", "c"].map((id) => ({ path: { id } }));
  expect(await project.verify({ order })).toMatchObject({ pass: true });
  expect(await project.verify({ order: order.toReversed() })).toMatchObject({ pass: false });
});

test("delays and waits end, and durations are measured", async () => {
  await project.settings.set({ latency: { fixed: 20 } });
  expect((await mock.fetch("/still/resource")).status).toBe(200);
  const [entry] = await project.requests.list();
  expect(entry?.timings.duration).toBeGreaterThanOrEqual(19);
  const late = project.requests.wait({ operation: "getCart" }, { timeout: 20 });
  await expect(late).rejects.toMatchObject({ status: 408 });
});

test("the mock closes while a request is still arriving", { tags: ["slow"] }, async () => {
  const other = await startResourceMock();
  const client = await openSocket(other.url);
  const head = ["Content-Type: application/json", "Content-Length: 2", "Expect: 100-continue", "Host: localhost"];
  client.send(["POST /still/resource HTTP/1.1", ...head, "\r\n"].join("\r\n"));
  await client.received(/100 Continue/);
  await other.close();
  // No 408: the stop does not wait until the client has been silent for too long.
  expect((await client.closed()).text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 100"]);
});
