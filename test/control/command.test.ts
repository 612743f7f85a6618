import { describe, expect, test } from "vitest";
import { serving } from "../setup/serving.ts";

describe("flags for the control API", () => {
  test.each([
    [["--admin-token", "t0ken"], {}],
    [[], { RESOURCE_MOCK_ADMIN_TOKEN: "t0ken" }],
  ])("the control API requires the admin token with %j and %j", { tags: ["process"] }, async (args, environment) => {
    const server = await serving({ args, environment });
    const call = (path: string, token?: string) =>
      fetch(`${server.url}/__admin${path}`, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
    const statuses = [await call("/projects"), await call("/projects", "t0ken"), await call("/health")];
    expect(statuses.map(({ status }) => status)).toEqual([401, 200, 200]);
    expect(await server.stop()).toBe(0);
    expect(server.output()).not.toContain("t0ken");
  });

  test("--cors allows pages of an origin", { tags: ["process"] }, async () => {
    const server = await serving({ args: ["--cors", "http://localhost:3000"] });
    const response = await fetch(`${server.url}/p/resource`, { headers: { Origin: "http://localhost:3000" } });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("http://localhost:3000");
    expect(await server.stop()).toBe(0);
  });
});

test("a stop ends event streams, waits and the process", { tags: ["process"] }, async () => {
  const server = await serving();
  const admin = `${server.url}/__admin`;
  const events = await fetch(`${admin}/projects/p/events`);
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe("retry: 1000\n\n");
  const wait = fetch(`${admin}/projects/p/requests/wait?timeout=60000`);
  // The project exists when the wait has arrived.
  await expect.poll(async () => (await fetch(`${admin}/projects/p`)).status, { interval: 1 }).toBe(200);

  const exit = server.stop();
  const response = await wait;
  expect([response.status, await response.json()]).toMatchObject([
    503,
    { detail: expect.stringContaining("stopping") },
  ]);
  expect((await reader?.read())?.value).toContain('"change":"created"');
  expect((await reader?.read())?.done).toBe(true);
  expect(await exit).toBe(0);
});
