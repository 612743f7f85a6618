import { describe, expect, test } from "vitest";
import { useMock } from "../setup/mock.ts";
import { sendRaw } from "../setup/raw-socket.ts";

const mock = useMock("over a socket");

const draft = '{"objectTypeProperty":{}}';

/** A request for the target, with these lines in place of a Host header. */
function send(method: "GET" | "POST", target: string, ...lines: string[]): Promise<string> {
  const body = method === "POST" ? draft : "";
  const headers = ["Content-Type: application/json", `Content-Length: ${body.length}`, "Connection: close"];
  const head = [`${method} ${target} HTTP/1.1`, ...lines, "Accept: text/html", ...headers, "", ""];
  return sendRaw(mock.url, Buffer.from(head.join("\r\n") + body, "latin1"));
}

/** The same for every part of the server: one that creates, one that is not there, the control API, and `/`. */
const asked = [
  ["POST", "/host/resource"],
  ["GET", "/nowhere"],
  ["GET", "/__admin/nowhere"],
  ["GET", "/__admin/projects"],
  ["GET", "/"],
] as const;

/** An answer that is no 5xx, and leads nowhere but to a path of this server. */
function expectHarmless(response: string): void {
  expect(response).toMatch(/^HTTP\/1\.1 [2-4]\d\d /);
  const location = /^location: (.*)\r$/im.exec(response)?.[1] ?? "/";
  expect(location).toMatch(/^\/(?!\/)[\w/%.-]*$/);
}

describe("a Host header of any kind leads nobody astray", () => {
  test.each([
    ["a path", "evil.example/x"],
    ["a query", "evil.example/x?y="],
    ["a fragment", "evil.example#"],
    ["a user", "user:secret@evil.example"],
    ["a backslash", "evil.example\\x"],
    ["markup", "<script>evil</script>"],
    ["quotes", '"evil"'],
    ["line breaks, encoded", "%0d%0aLocation: //evil.example"],
    ["a line feed alone", "a\nLocation: //evil.example"],
    ["a carriage return alone", "a\rLocation: //evil.example"],
    ["a NUL", "evil\0"],
    ["bytes that are no ASCII", "evil\xe9\xff"],
    ["a port that is none", "evil.example:99999"],
    ["an open bracket", "[::1"],
    ["two of them in one", "evil.example, mock"],
    ["spaces", "evil example"],
    ["nothing", ""],
    ["9,000 characters", "evil".repeat(2250)],
    ["dots", "..."],
  ])("%s", async (_name, host) => {
    for (const [method, target] of asked) {
      const response = await send(method, target, `Host: ${host}`);
      expectHarmless(response);
      expect(response).not.toMatch(/evil|secret|<script/i);
    }
  });

  test.each([
    ["two", ["Host: mock", "Host: evil.example"]],
    ["two, the other first", ["Host: evil.example", "host: mock"]],
    ["none", []],
    ["one behind a space", [" Host: evil.example"]],
    ["one with a space before its colon", ["Host : evil.example"]],
    ["one that is folded", ["Host: mock\r\n evil.example"]],
    ["others that proxies send", ["Host: mock", "X-Forwarded-Host: evil.example", "Forwarded: host=evil.example"]],
  ])("%s", async (_name, lines) => {
    for (const [method, target] of asked) {
      const response = await send(method, target, ...lines);
      expectHarmless(response);
      expect(response).not.toContain("evil");
    }
  });
});

describe("a request target of any kind", () => {
  test.each([
    "http://evil.example/host/resource",
    "http://user:secret@evil.example/host/resource",
    "https://evil.example:8443/host/resource",
    "http://evil.example",
    "http://evil.example?x",
    "http://evil.example:99999/host/resource",
    "http://[::1/host/resource",
    "ftp://evil.example/host/resource",
    "javascript:alert(1)",
    "evil.example:80",
    "*",
    "?x",
    "#x",
    "/host/resource#x",
    "/host\\resource",
    "/\\evil.example",
    "/host/resource/\x80\xff",
    "/host%0d%0aLocation:%20x/resource",
    "/<script>/resource",
    "/__admin//ui",
  ])("%s is answered, and leads nobody astray", async (target) => {
    for (const method of ["GET", "POST"] as const) {
      const response = await send(method, target, "Host: mock");
      expectHarmless(response);
      expect(response).not.toMatch(/evil|secret|<script/i);
    }
  });

  // The path that is not there is named as it was sent: as text in JSON, of which no browser makes a page.
  test.each(["//evil.example/host/resource", "//evil.example", "/..//evil.example/x", "/%5cevil.example"])(
    "%s is a path of this server",
    async (target) => {
      for (const method of ["GET", "POST"] as const) {
        const response = await send(method, target, "Host: mock");
        expectHarmless(response);
        expect(response).toMatch(/^HTTP\/1\.1 404 .*^content-type: application\/json\r$/ims);
      }
    },
  );
});
