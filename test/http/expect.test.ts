import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { addRule } from "../setup/activation.ts";
import { openHttp2 } from "../setup/http2-client.ts";
import { lastExchange } from "../setup/journal.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { configure } from "../setup/resources.ts";

const draft = '{ "objectTypeProperty": {} }';
const JSON_BODY = "Content-Type: application/json";
const LENGTH = `Content-Length: ${draft.length}`;

/** Requests that their head alone decides: method, path after the project key, header lines, status and settings. */
const decided: [string, string, string[], number, object?][] = [
  ["POST", "/resource", [JSON_BODY, "Content-Length: 5000000"], 413],
  ["POST", "/resource", [JSON_BODY, "Content-Length: 5000000"], 413, { auth: "strict" }],
  ["POST", "/nothing/here", [JSON_BODY, LENGTH], 404],
  ["PUT", "/resource/a", [JSON_BODY, LENGTH], 405],
  ["POST", "/resource", [JSON_BODY, LENGTH], 401, { auth: "strict" }],
  ["POST", "/resource", [JSON_BODY, "Transfer-Encoding: chunked"], 401, { auth: "strict" }],
  ["POST", "/resource/images", ["Content-Type: image/png", LENGTH], 401, { auth: "strict" }],
  ["POST", "/resource", ["Content-Type: text/plain", LENGTH], 415],
  ["POST", "/resource", [LENGTH], 415],
  ["POST", "/resource", [JSON_BODY, "Content-Encoding: gzip", LENGTH], 415],
  ["POST", "/resource/images", [JSON_BODY, LENGTH], 415],
  ["POST", "/resource/images?variant=x", ["Content-Type: image/png", LENGTH], 400],
];

/** Requests whose body the server reads. */
const read: [string, string, string[], number, object?][] = [
  ["POST", "/resource", [JSON_BODY, LENGTH], 201],
  ["POST", "/resource", ["Content-Type: text/plain", LENGTH], 201, { validation: "off" }],
];

describe("a request with Expect: 100-continue", () => {
  const mock = useMock("over a socket");

  const send = async (target: string, ...lines: string[]) => {
    const client = await openSocket(mock.url);
    const head = [`${target} HTTP/1.1`, "Host: a", "Expect: 100-continue", ...lines, "", ""];
    client.send(head.join("\r\n"));
    return client;
  };

  test.each(decided)(
    "the request %s %s with the headers %j gets only the status %s",
    async (method, path, lines, status, settings = {}) => {
      const project = newProject();
      await configure(mock, project, settings);
      const client = await send(`${method} /${project}${path}`, ...lines);
      // The client sends no body, so the connection must end.
      expect((await client.closed()).text).toMatch(
        new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\r\nConnection: close\r\n`),
      );
    },
  );

  test.each([
    ["POST /__admin/projects/p/resett", [JSON_BODY], 404],
    ["POST /__admin/projects/p/snapshots?x=1", [JSON_BODY], 400],
    ["POST /__admin/projects/p/snapshots", ["Content-Type: text/plain"], 415],
    ["POST /__admin/projects/p/snapshots", [JSON_BODY, "Content-Encoding: gzip"], 415],
    ["POST /__admin/projects/p/snapshots", [JSON_BODY, "Origin: http://evil.test"], 403],
    ["POST /oauth/token", ["Content-Encoding: gzip"], 415],
    ["GET /oauth/token", [], 405],
  ])("the call %s with the headers %j gets only the status %s", async (target, lines, status) => {
    const client = await send(target, ...lines, LENGTH);
    expect((await client.closed()).text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  test.each(read)(
    "the request %s %s with the headers %j gets 100, and %s after its body",
    async (method, path, lines, status, settings = {}) => {
      const project = newProject();
      await configure(mock, project, settings);
      const client = await send(`${method} /${project}${path}`, ...lines);
      await client.received(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
      client.send(draft);
      const text = await client.received(/\}$/);
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 100", `HTTP/1.1 ${status}`]);
      // The connection stays open.
      client.send("HEAD /demo/resource HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      expect((await client.closed()).text).toMatch(/HTTP\/1\.1 200 OK\r\n/);
    },
  );

  test("gets 100 if a rule can depend on its body", async () => {
    const project = newProject();
    await configure(mock, project, { auth: "strict" });
    await addRule(mock, project, { when: { body: { objectTypeProperty: {} } }, settings: { auth: "off" } });
    const client = await send(`POST /${project}/resource`, JSON_BODY, LENGTH);
    await client.received(/^HTTP\/1\.1 100 /);
    client.send(draft);
    await client.received(/HTTP\/1\.1 201 /);
    client.socket.destroy();
  });

  test("is in the journal without a body, with its reason", async () => {
    const project = newProject();
    const client = await send(`POST /${project}/resource`, "Content-Type: text/plain", LENGTH);
    await client.closed();
    expect(await lastExchange(mock, project)).toMatchObject({ status: 415, requestBody: undefined });
  });

  test("is served over HTTP/1.0 without 100", async () => {
    const client = await openSocket(mock.url);
    client.send(`POST /${newProject()}/resource HTTP/1.0\r\nExpect: 100-continue\r\n${JSON_BODY}\r\n${LENGTH}\r\n\r\n`);
    client.send(draft);
    expect((await client.closed()).text).toMatch(/^HTTP\/1\.1 201 /);
  });
});

describe("a request with Expect: 100-continue over HTTP/2", () => {
  const mock = useMock("over HTTP/2");

  async function statuses(method: string, path: string, type: string): Promise<unknown[]> {
    const { session, close } = openHttp2(mock.httpsUrl, mock.ca);
    const headers = { ":method": method, ":path": path, "content-type": type, "content-length": draft.length };
    const stream = session.request({ ...headers, expect: "100-continue" });
    const found: unknown[] = [];
    stream.on("continue", () => {
      found.push(100);
      stream.end(draft);
    });
    const [response] = await once(stream, "response");
    found.push(response[":status"]);
    stream.resume().close();
    await close();
    return found;
  }

  test("gets only the final status if its head decides it", async () => {
    expect(await statuses("POST", `/${newProject()}/resource`, "text/plain")).toEqual([415]);
    expect(await statuses("POST", "/nothing", "application/json")).toEqual([404]);
    expect(await statuses("POST", "/__admin/projects/p/snapshots", "text/plain")).toEqual([415]);
  });

  test("gets 100 otherwise", async () => {
    expect(await statuses("POST", `/${newProject()}/resource`, "application/json")).toEqual([100, 201]);
  });
});
