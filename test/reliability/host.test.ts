import { describe, expect, test } from "vitest";
import { useMock } from "../setup/mock.ts";
import { sendRaw } from "../setup/raw-socket.ts";

const mock = useMock("over a socket");

const draft = '{"objectTypeProperty":{}}';

/** Sends a request for the target with these header lines instead of a Host header. Returns the response. */
function send(method: "GET" | "POST", target: string, ...lines: string[]): Promise<string> {
  const body = method === "POST" ? draft : "";
  const headers = ["Content-Type: application/json", `Content-Length: ${body.length}`, "Connection: close"];
  const head = [`${method} ${target} HTTP/1.1`, ...lines, "Accept: text/html", ...headers, "", ""];
  return sendRaw(mock.url, Buffer.from(head.join("\r\n") + body, "latin1"));
}

/** Requests to each part of the server: the service, an unknown path, the control API and `/`. */
const requests = [
  ["POST", "/host/resource"],
  ["GET", "/nowhere"],
  ["GET", "/__admin/nowhere"],
  ["GET", "/__admin/projects"],
  ["GET", "/"],
] as const;

/** Checks that the status is below 500, and that `Location`, if present, is a path of this server. */
function expectHarmless(response: string): void {
  expect(response).toMatch(/^HTTP\/1\.1 [2-4]\d\d /);
  const location = /^location: (.*)\r$/im.exec(response)?.[1] ?? "/";
  expect(location).toMatch(/^\/(?!\/)[\w/%.-]*$/);
}

describe("the response never links to the host of a malicious Host header", () => {
  test.each([
    ["a path", "evil.example/x"],
    ["a query", "evil.example/x?y="],
    ["a user", "user:secret@evil.example"],
    ["a backslash", "evil.example\\x"],
    ["markup", "<script>evil</script>"],
    ["encoded line breaks", "%0d%0aLocation: //evil.example"],
    ["a line feed alone", "a\nLocation: //evil.example"],
    ["a NUL", "evil\0"],
    ["bytes outside ASCII", "evil\xe9\xff"],
    ["an invalid port", "evil.example:99999"],
    ["two hosts in one header", "evil.example, mock"],
    ["nothing", ""],
    ["9,000 characters", "evil".repeat(2250)],
  ])("with %s in the header", async (_name, host) => {
    for (const [method, target] of requests) {
      const response = await send(method, target, `Host: ${host}`);
      expectHarmless(response);
      expect(response).not.toMatch(/evil|secret|<script/i);
    }
  });

  test.each([
    ["two Host headers", ["Host: mock", "Host: evil.example"]],
    ["no Host header", []],
    ["a space before the colon", ["Host : evil.example"]],
    ["a folded Host header", ["Host: mock\r\n evil.example"]],
    ["headers that proxies add", ["Host: mock", "X-Forwarded-Host: evil.example", "Forwarded: host=evil.example"]],
  ])("with %s", async (_name, lines) => {
    for (const [method, target] of requests) {
      const response = await send(method, target, ...lines);
      expectHarmless(response);
      expect(response).not.toContain("evil");
    }
  });
});

describe("request targets", () => {
  test.each([
    "http://evil.example/host/resource",
    "http://user:secret@evil.example/host/resource",
    "http://evil.example:99999/host/resource",
    "http://[::1/host/resource",
    "javascript:alert(1)",
    "*",
    "#x",
    "/host\\resource",
    "/\\evil.example",
    "/host/resource/\x80\xff",
    "/host%0d%0aLocation:%20x/resource",
    "/<script>/resource",
    "/__admin//ui",
  ])("the response to %s links to no other server", async (target) => {
    for (const method of ["GET", "POST"] as const) {
      const response = await send(method, target, "Host: mock");
      expectHarmless(response);
      expect(response).not.toMatch(/evil|secret|<script/i);
    }
  });

  // The error contains the unknown path as it was sent. The body is JSON, so browsers do not render it as a page.
  test.each(["//evil.example/host/resource", "//evil.example", "/%5cevil.example"])(
    "the target %s is an unknown path of this server",
    async (target) => {
      for (const method of ["GET", "POST"] as const) {
        const response = await send(method, target, "Host: mock");
        expectHarmless(response);
        expect(response).toMatch(/^HTTP\/1\.1 404 .*^content-type: application\/json\r$/ims);
      }
    },
  );

  test.each(["/..//evil.example/x", "/.//evil.example", "/%2e.//evil.example"])(
    "the target %s is invalid",
    async (target) => {
      const response = await send("GET", target, "Host: mock");
      expectHarmless(response);
      expect(response).toMatch(/^HTTP\/1\.1 400 .*Dot segment in request path/s);
    },
  );
});
