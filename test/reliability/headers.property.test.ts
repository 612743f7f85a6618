import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { loadOperations } from "../../src/control/subjects.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { controls } from "../../src/services/generic-resource/control/index.ts";
import { inheritedNames } from "../setup/arbitraries.ts";
import { bodiesOf } from "../setup/control-bodies.ts";
import { expectNoInternals, expectPrototypesUntouched } from "../setup/defects.ts";
import { useMock } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { everyOperation } from "../setup/requests.ts";
import { runs } from "../setup/runs.ts";

const controlOperations = await loadOperations(controls);

/** Delays take no time, as a `Prefer` header can activate scenarios that delay responses. */
const mock = useMock("over a socket", { wait: async () => {} });

afterEach(expectPrototypesUntouched);

/** Valid and almost valid values, by header name. */
const knownHeaders: Readonly<Record<string, readonly string[]>> = {
  Authorization: ["", "Bearer a", "bearer  a b", "Basic %%%", `Bearer ${"x".repeat(9000)}`],
  Prefer: ["code=409", "code=999", 'example="a', "scenario=slow", "scenario=__proto__", "seed=1e999, dynamic"],
  "Content-Type": ["", "application/json", 'application/json;charset="', "image/png", "/", "multipart/form-data"],
  "Content-Length": ["-1", "1e3", "99999999999999999999", "0x10", "2, 2"],
  "Content-Encoding": ["gzip", "br, gzip", "x"],
  "Transfer-Encoding": ["chunked", "gzip, chunked", "identity", "chunked, chunked", "x"],
  "If-Match": ["*", '"1"', 'W/"', "x"],
  Host: ["", "a b", "evil.example/x?y=", "[::1", "a:99999", "user@host", "%00", "a,b"],
  Origin: ["null", "https://evil.example", "http://", "x", "*"],
  "X-Forwarded-Host": ["evil.example", "evil.example/../.."],
  "X-HTTP-Method-Override": ["DELETE", "__proto__"],
  "Last-Event-ID": ["-1", "1e99", "999999999999999999999", "x"],
  Accept: ["*/*;q=x", "text/event-stream", "text/html", "text/plain", ",,;"],
  Expect: ["100-continue", "x"],
  Upgrade: ["websocket", "h2c"],
  Range: ["bytes=0-", "bytes=-1", "x=1-2,"],
  "Access-Control-Request-Method": ["DELETE", "x y"],
};

/** Any Latin-1 text without line ends. */
const anyValue = fc.uint8Array({ maxLength: 40 }).map((bytes) =>
  Buffer.from(bytes)
    .toString("latin1")
    .replace(/[\r\n]/g, " "),
);
const anyName = fc.oneof(
  fc.constantFrom(...inheritedNames, "a", ":", "a b", "\x80"),
  fc.stringMatching(/^[!-~]{1,10}$/),
);

const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...Object.entries(knownHeaders).flatMap(([name, values]) => values.map((value) => [name, value] as const)),
    ),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...Object.keys(knownHeaders)), anyValue) },
  { weight: 2, arbitrary: fc.tuple(anyName, anyValue) },
);
const lines = fc.array(line, { minLength: 1, maxLength: 4 });

interface Sent {
  method: string;
  path: string;
  body?: string | Uint8Array | undefined;
}

/** Sends the request with additional headers. Returns everything that was received until the connection closed. */
async function responseTo(
  { method, path, body }: Sent,
  extra: readonly (readonly [string, string])[],
): Promise<string> {
  const bytes = body === undefined ? [] : [Buffer.from(body)];
  const headers = [
    ...extra,
    ...(extra.some(([name]) => name === "Host") ? [] : [["Host", "mock"]]),
    ...(bytes.length === 0
      ? []
      : [
          ["Content-Type", "application/json"],
          ["Content-Length", String(bytes[0]?.length)],
        ]),
    ["Connection", "close"],
  ];
  const head = `${method} ${path} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  const client = await openSocket(mock.url);
  client.send(Buffer.concat([Buffer.from(head, "latin1"), ...bytes]));
  await client.received(/(?<!100 Continue)\r\n\r\n/).catch(() => {});
  // Ends event streams, and requests whose body is shorter than their Content-Length.
  client.end();
  return (await client.closed()).text;
}

/** Returns whether the headers request an error or a broken connection. */
const requestsFailure = (extra: readonly (readonly [string, string])[]) =>
  extra.some(([name, value]) => name === "Prefer" && /code=5|scenario=/.test(value));

function expectNoDefect(response: string, extra: readonly (readonly [string, string])[]): void {
  const final = response.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "");
  expect(final).not.toMatch(/^mock-source: defect\r$/im);
  if (/^HTTP\/1\.1 [45]/.test(final)) expectNoInternals(final);
  if (!requestsFailure(extra)) expect(final).toMatch(/^HTTP\/1\.1 [1-4]\d\d /);
}

const ofService = everyOperation.map(([id, { init }]): [string, Sent] => {
  const path =
    serviceContract
      .find(id)
      ?.path.replace("{projectKey}", "headers")
      .replace(/\{\w+\}/g, "a") ?? "";
  return [id, { method: init.method ?? "GET", path, body: init.body as Sent["body"] }];
});

const ofControl = controlOperations.map((operation): [string, Sent] => {
  const { id, method } = operation;
  const path = operation.path
    .replace("{projectKey}", "headers")
    .replace("{name}", "conflict")
    .replace(/\{\w+\}/g, "a");
  const [body] = bodiesOf(operation);
  // With a timeout of 0, the test does not wait.
  if (id === "waitForRequests") return [id, { method, path: `${path}?timeout=0` }];
  return [id, { method, path, body: body === undefined ? undefined : JSON.stringify(body) }];
});

describe("requests with random headers on a socket", () => {
  test.each([...ofService, ...ofControl])("the operation %s never responds with a defect", async (_id, sent) => {
    await mock.engine.resetAll();
    await fc.assert(
      fc.asyncProperty(lines, async (extra) => expectNoDefect(await responseTo(sent, extra), extra)),
      runs(10, 30),
    );
  });
});
