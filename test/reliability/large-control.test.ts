// @module-tag slow
import { afterEach, describe, expect, test } from "vitest";
import { expectSmallError, long, MiB, million } from "../setup/large.ts";
import { useMock } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";

const mock = useMock("over a socket");

afterEach(() => mock.engine.resetAll());

/** Operations with the usual limit of nesting, and with a higher one. */
describe.each([
  ["PATCH", "/__admin/projects/large/settings"],
  ["PUT", "/__admin/projects/large/state"],
])("%s %s", (method, target) => {
  const send = (body: string) => mock.fetch(target, { method, body, headers: { "Content-Type": "application/json" } });

  test("rejects JSON nested 100,000 levels deep", async () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
      ["[", ""],
    ] as const) {
      const response = await send(`${open.repeat(100_000)}1${close.repeat(100_000)}`);
      expect(await response.clone().text()).toMatch(/expected at most 20[0-2] levels of nesting/);
      await expectSmallError(response, 400);
    }
  });

  test("rejects more than 8 MiB before the body arrives", async () => {
    const client = await openSocket(mock.url);
    client.send(
      `${method} ${target} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${8 * MiB + 1}\r\n\r\n`,
    );
    expect(await client.received(/\r\n\r\n.*\}/s)).toMatch(/^HTTP\/1\.1 413 /);
    client.socket.destroy();
  });
});

describe("17 MiB or a million items in one value of a body of the control API", () => {
  const project = "/__admin/projects/large";
  const text = `"${long}"`;
  /** For values similar to a value tested with 17 MiB. */
  const shorter = `"${"x".repeat(MiB)}"`;

  test.each([
    ["invalid JSON", "POST", `${project}/snapshots`, long],
    ["the name of a snapshot", "POST", `${project}/snapshots`, `{"name":${text}}`],
    ["resources", "POST", `${project}/resources`, million("{}")],
    ["resources of a state", "PUT", `${project}/state`, `{"resources":${million("{}")}}`],
    ["a body to match", "POST", `${project}/requests/verify`, `{"match":{"body":${million("1")}}}`],
    ["a pattern", "POST", `${project}/requests/verify`, `{"match":{"query":{"a":{"matches":${text}}}}}`],
    ["a rule's sequence", "POST", `${project}/rules`, `{"sequence":${million("{}")}}`],
    [
      "the body of a response",
      "POST",
      `${project}/rules`,
      `{"operation":"getCart","respond":{"status":200,"body":${shorter}}}`,
    ],
    ["the rules of a scenario", "PUT", `${project}/scenarios/a`, `{"rules":${million("{}")}}`],
    ["a provider state", "POST", "/__admin/provider-states", `{"state":${shorter}}`],
  ])("a call with a large value in %s returns a small error", async (_name, method, path, body) => {
    await mock.resource("large");
    const headers = { "Content-Type": "application/json" };
    await expectSmallError(await mock.fetch(path, { method, body, headers }));
  });
});
