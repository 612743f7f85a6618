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

/** A request as it is on the wire: by its length, and in chunks. */
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
/** One request or several in a row, changed here and there. */
const bytes = fc.array(valid, { minLength: 1, maxLength: 3 }).chain((sent) => mutatedBytes(Buffer.concat(sent)));

test("whatever bytes arrive for requests, each is answered without a defect, or cut off", endurance, async () => {
  await fc.assert(
    fc.asyncProperty(bytes, async (sent) => {
      const client = await openSocket(mock.url);
      client.send(sent);
      // A request that is not whole is waited for: when another has been answered, those that are whole have been too.
      await (await mock.fetch("/__admin/health")).text();
      client.end();
      const { text: told } = await client.closed();
      // Answers one after the other; the last may be cut off by the end of the connection.
      if (told !== "") expect(told).toMatch(/^HTTP\/1\.1 [1-4]\d\d /);
      expect(told).not.toMatch(/^HTTP\/1\.1 5|^mock-source: defect\r$/im);
      if (/^HTTP\/1\.1 4/.test(told)) expectNoInternals(told);
    }),
    runs(600),
  );
  expect((await mock.resource("bytes")).status).toBe(200);
});
