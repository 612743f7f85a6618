import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { startResourceMock } from "../../src/index.ts";

// A test suite may install fake timers in the process of the mock. Everything that needs no time must work.
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
