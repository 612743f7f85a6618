import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { startResourceMock } from "../../src/index.ts";

/** A suite that embeds the mock may make time stand still: what needs no time goes on. */
const mock = await startResourceMock({ port: 0 });
const project = mock.project("still");

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(async () => {
    vi.useRealTimers();
    await project.reset();
  });
});

test("requests over the socket are answered", async () => {
  const response = await fetch(`${mock.url}/still/resource`);
  expect(response.status).toBe(200);
  await response.text();
});

test("the order of arrival is known", async () => {
  for (const id of ["a", "b", "c"]) await mock.fetch(`/still/resource/${id}`);
  const order = ["a", "b", "c"].map((id) => ({ path: { id } }));
  expect(await project.verify({ order })).toMatchObject({ pass: true });
  expect(await project.verify({ order: order.toReversed() })).toMatchObject({ pass: false });
});

test("resources are generated, however many", async () => {
  await project.seed({ generate: 1500 });
  expect(await project.resources.list()).toHaveLength(1505);
});
