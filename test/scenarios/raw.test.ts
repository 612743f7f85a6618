import { describe, expect, test } from "vitest";
import type { Fault } from "../../src/rules/effects/rule-effects.ts";
import { activate, addRule, lastDecisions } from "../setup/activation.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { openEvents } from "../setup/events.ts";
import { lastRequest } from "../setup/journal.ts";
import { json, newProject, onAllTransports, useMock } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { everyOperation } from "../setup/requests.ts";
import { configure, draft, stateOf } from "../setup/resources.ts";

const html = "<html><body><h1>502 Bad Gateway</h1></body></html>\n";
const raw = { status: 502, headers: { "content-type": "text/html" }, body: html };

onAllTransports("raw", { wait: async () => {} }, (mock) => {
  test("returns a response that the contract does not allow, for every operation, and labels it", async () => {
    const project = newProject();
    await addRule(mock, project, { raw });
    for (const [, { path, init }] of everyOperation) {
      const response = await mock.resource(project, path, init);
      expect([response.status, response.headers.get("Content-Type")]).toEqual([502, "text/html"]);
      expect(response.headers.get("Mock-Off-Contract")).toBe("true");
      expect(response.headers.get("Mock-Source")).toBe("rule:r-1");
      expect(await response.text()).toBe(init.method === "HEAD" ? "" : html);
      expect(await lastRequest(mock, project)).toMatchObject({
        response: { status: 502 },
        offContract: true,
        source: "rule:r-1",
      });
      expect(await lastDecisions(mock, project)).toContain("rule r-1 responded off-contract with 502");
    }
    expect(await stateOf(mock, project)).not.toHaveProperty("lastWritten");
  });

  test("labels no other response", async () => {
    const project = newProject();
    await addRule(mock, project, { operation: "getCart", respond: { status: 503 } });
    for (const path of ["", "/namespace-action-with-example", "?floatParameter=x", "/a/b/c"]) {
      const response = await mock.resource(project, path);
      expect(response.headers.has("Mock-Off-Contract")).toBe(false);
      expect((await lastRequest(mock, project))?.offContract).toBe(false);
    }
  });

  test("is labelled in the event of the request", async () => {
    const project = newProject();
    await addRule(mock, project, { times: 1, raw });
    const events = await openEvents(mock, `/projects/${project}/events`);
    for (const offContract of [true, undefined]) {
      await (await mock.resource(project)).arrayBuffer();
      const event = await events.nextOf("request");
      expect(event.data.offContract).toBe(offContract);
    }
  });

  test.each<[string, object, string | null, string | Uint8Array]>([
    ["text as it is", { body: "{ not JSON\r\n" }, "text/plain; charset=utf-8", "{ not JSON\r\n"],
    ["text in UTF-8", { body: "für 5 €" }, "text/plain; charset=utf-8", "für 5 €"],
    ["an empty text", { body: "" }, "text/plain; charset=utf-8", ""],
    ["an object as JSON", { body: { error: ["no", 1] } }, "application/json", '{"error":["no",1]}'],
    ["null as JSON", { body: null }, "application/json", "null"],
    ["bytes", { bodyBase64: "/wAB" }, "application/octet-stream", new Uint8Array([0xff, 0, 1])],
    ["no body", {}, null, ""],
    ["its own content type", { body: "a,b", headers: { "CONTENT-TYPE": "text/csv" } }, "text/csv", "a,b"],
  ])("sends %s", async (_name, content, type, body) => {
    const project = newProject();
    await addRule(mock, project, { raw: { status: 200, ...content } });
    const response = await mock.resource(project);
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, type]);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(Buffer.from(body)));
  });

  test.each(["raw", "respond"])("the effect %s sends one header line for each value of an array", async (effect) => {
    const project = newProject();
    const cookies = ["a=1; Path=/", "b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT"];
    const headers = { "set-cookie": cookies, "X-Trace": ["one", "two"], Location: ["/a", "/b"], "X-One": ["1"] };
    await addRule(mock, project, { operation: "getCart", [effect]: { status: 503, headers } });
    const response = await mock.resource(project, "/namespace-action-with-example");
    expect(response.headers.getSetCookie()).toEqual(cookies);
    const shown = { "X-Trace": "one, two", Location: "/a, /b", "X-One": "1" };
    for (const [name, value] of Object.entries(shown)) expect(response.headers.get(name)).toBe(value);
    const entry = await lastRequest(mock, project);
    expect(entry?.response.headers).toMatchObject({ "set-cookie": "[redacted]", ...shown });
  });

  test("sends headers whose names every JavaScript object inherits", async () => {
    const project = newProject();
    const headers = JSON.parse('{"__proto__": "a", "constructor": "b", "toString": ["c", "d"]}');
    await addRule(mock, project, { operation: "getCart", raw: { status: 200, headers } });
    const response = await mock.resource(project, "/namespace-action-with-example");
    const names = ["__proto__", "constructor", "toString"];
    expect(names.map((name) => response.headers.get(name))).toEqual(["a", "b", "c, d"]);
    const entry = await lastRequest(mock, project);
    expect(Object.entries(entry?.response.headers ?? {})).toContainEqual(["__proto__", "a"]);
  });

  test.each([204, 205, 304])("a response with status %i has no body", async (status) => {
    const project = newProject();
    await addRule(mock, project, { raw: { status, headers: { ETag: '"1"' } } });
    await addRule(mock, project, { chunkedDribbleDelay: { numberOfChunks: 2, totalDuration: 2 } });
    const response = await mock.resource(project);
    expect([response.status, response.headers.get("ETag"), await response.text()]).toEqual([status, '"1"', ""]);
  });

  test("applies in scenarios, sequences and the Prefer header, with latency and chunks", async () => {
    const project = newProject();
    const rules = [{ sequence: [{ raw: { status: 502 } }, {}, { raw: { status: 504 }, latency: { fixed: 5 } }] }];
    await activate(mock, project, "gateway", { rules });
    await activate(mock, project, "dribble");
    const statuses: unknown[] = [];
    for (let request = 0; request < 4; request++) {
      const response = await mock.resource(project);
      statuses.push([response.status, response.headers.get("Mock-Source"), response.headers.get("Mock-Off-Contract")]);
    }
    const fixture = [200, "fixture:queryResources/200.json", null];
    const gateway = (status: number) => [status, "scenario:gateway", "true"];
    expect(statuses).toEqual([gateway(502), fixture, gateway(504), fixture]);
  });

  test("comes after authorization and validation, as every effect", async () => {
    const project = newProject();
    await configure(mock, project, { auth: "strict" });
    await addRule(mock, project, { raw });
    expect((await mock.resource(project)).status).toBe(401);
    await configure(mock, project, { auth: "lenient" });
    expect((await mock.resource(project, "", json("POST", {}))).status).toBe(400);
    expect((await mock.resource(project, "", json("POST", draft))).status).toBe(502);
  });

  const fault: Fault = "EMPTY_RESPONSE";

  test.each<[string, object, string, string]>([
    ["no status", { raw: {} }, "/raw/status", "is required"],
    ["a status above 599", { raw: { status: 600 } }, "/raw/status", "at most 599, found 600"],
    ["an unknown member", { raw: { status: 200, fixture: "x" } }, "/raw/fixture", "unknown member"],
    ["two bodies", { raw: { status: 200, body: null, bodyBase64: "" } }, "/raw/bodyBase64", "found both"],
    ["a body with 204", { raw: { status: 204, body: "" } }, "/raw/body", "expected no body"],
    ["invalid base64", { raw: { status: 200, bodyBase64: "AA=" } }, "/raw/bodyBase64", "expected base64 with padding"],
    ["raw and respond", { raw, respond: { status: 500 } }, "/raw", "expected raw or respond, found both"],
    ["both in a sequence", { sequence: [{}, { raw, fault }] }, "/sequence/1/raw", "expected raw or fault, found both"],
  ])("rejects %s", async (_name, rule, pointer, detail) => {
    const reply = await inProject(mock, newProject(), "POST", "/rules", rule);
    expect(expectProblem(reply, 400, "InvalidField")).toEqual([{ pointer, detail: expect.stringContaining(detail) }]);
  });

  test.each([
    "Content-Length",
    "transfer-encoding",
    "Connection",
    "Keep-Alive",
    "Upgrade",
    "Trailer",
    "mock-off-contract",
  ])("rejects the header %s, which the server sets itself", async (name) => {
    for (const effect of ["raw", "respond"]) {
      const rule = { [effect]: { status: 500, headers: { [name]: "1" } } };
      const reply = await inProject(mock, newProject(), "POST", "/rules", rule);
      expect(expectProblem(reply, 400, "InvalidField")).toEqual([
        { pointer: `/${effect}/headers/${name}`, detail: expect.stringContaining("expected another header") },
      ]);
    }
  });

  test.each<[string, unknown, string]>([
    ["Content-Type", "text/html", 'expected application/json, found "text/html". Use raw to send other content.'],
    ["content-type", "application/jsonp", 'expected application/json, found "application/jsonp"'],
    ["Content-Type", { $from: "/headers/accept" }, "expected application/json, found an object"],
    ["content-type", ["application/json; a", "text/html"], "expected application/json, found an array of 2"],
    ["Content-Encoding", "gzip", 'expected no encoding, found "gzip". Use raw to send other content.'],
  ])("is the only effect that can set the header %s to %j", async (name, value, message) => {
    const send = (effect: string) =>
      inProject(mock, newProject(), "POST", "/rules", { [effect]: { status: 500, headers: { [name]: value } } });
    expect((await send("raw")).status).toBe(201);
    const [error] = expectProblem(await send("respond"), 400, "InvalidField", message);
    expect(error?.pointer).toBe(`/respond/headers/${name}`);
  });

  test.each(["a\r\nSet-Cookie: b", "a\n", "a\0", "ü"])("rejects the header value %j", async (value) => {
    const rule = { raw: { status: 200, headers: { "X-A": value } } };
    const reply = await inProject(mock, newProject(), "POST", "/rules", rule);
    expect(expectProblem(reply, 400, "InvalidField")).toMatchObject([{ pointer: "/raw/headers/X-A" }]);
    const several = { raw: { status: 200, headers: { "X-A": ["a", value] } } };
    const other = await inProject(mock, newProject(), "POST", "/rules", several);
    expect(expectProblem(other, 400, "InvalidField")).toMatchObject([{ pointer: "/raw/headers/X-A/1" }]);
  });

  test.each<[string, object, string, string]>([
    [
      "two spellings of a name",
      { "X-A": "1", "x-a": "2" },
      "/x-a",
      'expected one spelling of the name, found "X-A" too',
    ],
    ["an empty array", { "X-A": [] }, "/X-A", "expected at least 1 item, found none"],
    ["an array in an array", { "X-A": [["a"]] }, "/X-A/0", "expected string or object, found an array of 1"],
    ["more values than headers", { "X-A": Array(40).fill("a"), "X-B": Array(40).fill("b") }, "", "at most 64 values"],
  ])("rejects %s", async (_name, headers, pointer, detail) => {
    for (const effect of ["raw", "respond"]) {
      const reply = await inProject(mock, newProject(), "POST", "/rules", { [effect]: { status: 500, headers } });
      expect(expectProblem(reply, 400, "InvalidField")).toEqual([
        { pointer: `/${effect}/headers${pointer}`, detail: expect.stringContaining(detail) },
      ]);
    }
  });
});

describe("raw on the wire", () => {
  const mock = useMock("over a socket");

  /** Returns the head and the body of the response, as bytes in Latin-1. */
  async function bytesOf(method: string, content: object): Promise<{ head: string; body: string }> {
    const project = newProject();
    await addRule(mock, project, { raw: { status: 200, ...content } });
    const client = await openSocket(mock.url);
    client.send(`${method} /${project}/resource HTTP/1.1\r\nHost: mock\r\nConnection: close\r\n\r\n`);
    const { text } = await client.closed();
    const end = text.indexOf("\r\n\r\n") + 4;
    return { head: text.slice(0, end), body: text.slice(end) };
  }

  test.each<[string, object, string]>([
    ["a text", { body: "5 €\r\n\r\n" }, Buffer.from("5 €\r\n\r\n").toString("latin1")],
    ["bytes that are not UTF-8", { bodyBase64: "gP8A/g==" }, "\x80\xff\0\xfe"],
    ["no body", { status: 502 }, ""],
  ])("sends exactly %s, with its length", async (_name, content, body) => {
    const response = await bytesOf("GET", content);
    expect(response.body).toBe(body);
    expect(response.head).toContain(`\r\nContent-Length: ${body.length}\r\n`);
    expect(response.head).not.toContain("Transfer-Encoding");
  });

  test.each(["HEAD", "GET"])("sends no byte behind the head for 204 and 304 to %s", async (method) => {
    for (const status of [204, 304]) {
      const { head, body } = await bytesOf(method, { status });
      expect([head, body]).toEqual([expect.not.stringMatching(/Content-Length|Transfer-Encoding/), ""]);
    }
  });

  test("sends no byte behind the head to HEAD", async () => {
    for (const content of [{ body: html }, { bodyBase64: "gP8A" }, { body: { a: 1 } }]) {
      const { head, body } = await bytesOf("HEAD", content);
      expect([head, body]).toEqual([expect.stringContaining("Mock-Off-Contract: true"), ""]);
    }
  });
});
