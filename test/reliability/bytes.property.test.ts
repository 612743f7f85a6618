import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { expectNoInternals, expectPrototypesUntouched } from "../setup/defects.ts";
import { endurance } from "../setup/memory.ts";
import { useMock } from "../setup/mock.ts";
import { mutatedBytes } from "../setup/mutations.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { everyOperation } from "../setup/requests.ts";
import { runs } from "../setup/runs.ts";

const mock = useMock("over a socket");

afterEach(expectPrototypesUntouched);

/** Returns the bytes of a request. A request with a body is returned twice: with Content-Length and in chunks. */
function bytesOf(method: string, path: string, body: string | Uint8Array | undefined): Buffer[] {
  const head = `${method} /bytes/resource${path} HTTP/1.1\r\nHost: mock\r\nContent-Type: application/json\r\n`;
  if (body === undefined) return [Buffer.from(`${head}\r\n`)];
  const bytes = Buffer.from(body);
  const chunk = `${bytes.length.toString(16)};a=b\r\n`;
  return [
    Buffer.concat([Buffer.from(`${head}Content-Length: ${bytes.length}\r\n\r\n`), bytes]),
    Buffer.concat([
      Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`),
      bytes,
      Buffer.from("\r\n0\r\nTrailer: x\r\n\r\n"),
    ]),
  ];
}

const requests = everyOperation.flatMap(([, { path, init }]) =>
  bytesOf(init.method ?? "GET", path, init.body as string | Uint8Array | undefined),
);
const valid = fc.constantFrom(...requests);
/** The bytes of one to three requests, randomly changed. */
const bytes = fc.array(valid, { minLength: 1, maxLength: 3 }).chain((sent) => mutatedBytes(Buffer.concat(sent)));

test("corrupted request bytes never cause a defect", endurance, async () => {
  await fc.assert(
    fc.asyncProperty(bytes, async (sent) => {
      const client = await openSocket(mock.url);
      client.send(sent);
      // The server waits for the rest of an incomplete request. When it has responded to another request, it has also
      // responded to all complete requests.
      await (await mock.fetch("/__admin/health")).text();
      client.end();
      const { text: received } = await client.closed();
      // The text has one response after the other. The last one may be incomplete.
      if (received !== "") expect(received).toMatch(/^HTTP\/1\.1 [1-4]\d\d /);
      expect(received).not.toMatch(/^HTTP\/1\.1 5|^mock-source: defect\r$/im);
      if (/^HTTP\/1\.1 4/.test(received)) expectNoInternals(received);
    }),
    runs(200, 600),
  );
  expect((await mock.resource("bytes")).status).toBe(200);
});
