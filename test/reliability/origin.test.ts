import { describe, expect, test } from "vitest";
import { loadOperations } from "../../src/control/subjects.ts";
import { controls } from "../../src/services/generic-resource/control/index.ts";
import { control, inProject } from "../setup/control.ts";
import { bodiesOf } from "../setup/control-bodies.ts";
import { useMock } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";

const controlOperations = await loadOperations(controls);

const mock = useMock("over a socket");

/** Sends a request as a browser does for a page of another origin. Returns the response. */
async function fromPage(method: string, path: string, headers: Record<string, string>, body = ""): Promise<string> {
  const client = await openSocket(mock.url);
  const lines = Object.entries({ Host: "localhost:8080", "Content-Length": String(body.length), ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  client.send(`${method} ${path} HTTP/1.1\r\n${head}Connection: close\r\n\r\n${body}`);
  await client.received(/\r\n\r\n/);
  // An event stream ends when its reader disconnects.
  client.end();
  return (await client.closed()).text;
}

const operations = controlOperations.map((operation) => {
  const path = operation.path
    .replace("{projectKey}", "page")
    .replace("{name}", "slow")
    .replace(/\{\w+\}/g, "a");
  const [body] = bodiesOf(operation);
  const wait = operation.id === "waitForRequests" ? "?timeout=0" : "";
  return [
    operation.id,
    { ...operation, path: path + wait, sent: body === undefined ? undefined : JSON.stringify(body) },
  ] as const;
});
const changing = operations.filter(([, { method }]) => method !== "GET");

/** Content types that a page can send without a preflight. */
const forms = [
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "text/plain",
  "text/plain;application/json",
];

test.each(operations)("pages of other origins cannot read the response of %s", async (_id, { method, path, sent }) => {
  for (const origin of ["https://evil.example", "null", "http://localhost:8081", "http://localhost"]) {
    const type = { "Content-Type": "application/json" };
    expect(await fromPage(method, path, { Origin: origin, ...type }, sent)).not.toMatch(/^access-control-/im);
    const preflight = { Origin: origin, "Access-Control-Request-Method": method };
    expect(await fromPage("OPTIONS", path, preflight)).not.toMatch(/^access-control-|^HTTP\/1\.1 2/im);
  }
});

describe("changes by pages of other origins", () => {
  test.each(changing)("a call of %s from another origin returns 403", async (_id, { method, path, sent }) => {
    const origins = [
      "https://evil.example",
      "null",
      "http://localhost:8081",
      "https://localhost.evil.example:8080",
      "x",
    ];
    for (const Origin of origins) {
      const response = await fromPage(method, path, { Origin, "Content-Type": "application/json" }, sent);
      expect(response).toMatch(/^HTTP\/1\.1 403 .*"urn:resource-mock:problem:CrossOriginRequest"/s);
    }
  });

  test.each(changing.filter(([, { method }]) => method === "POST"))(
    "a call of %s by an HTML form returns 4xx, with and without Origin",
    async (_id, { method, path, sent }) => {
      for (const type of forms) {
        const response = await fromPage(method, path, { "Content-Type": type }, sent ?? "a=b");
        expect(response).toMatch(/^HTTP\/1\.1 415 /);
        expect(await fromPage(method, path, { "Content-Type": type, Origin: "null" }, sent ?? "a=b")).toMatch(
          /^HTTP\/1\.1 4/,
        );
      }
    },
  );

  test("leave the state, scenarios and rules unchanged", async () => {
    expect((await inProject(mock, "page", "GET", "")).body).toMatchObject({ snapshots: 0, scenarios: [], rules: 0 });
    expect((await inProject(mock, "page", "GET", "/state")).body).toEqual(
      (await inProject(mock, "another", "GET", "/state")).body,
    );
    const { scenarios } = (await control<{ scenarios: { on: boolean }[] }>(mock, "GET", "/scenarios")).body;
    expect(scenarios.filter(({ on }) => on)).toEqual([]);
  });
});
