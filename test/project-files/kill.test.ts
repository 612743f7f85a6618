// @module-tag slow
// @module-tag process
import fc from "fast-check";
import { expect, test } from "vitest";
import { connectResourceMock } from "../../src/control/client/mock-client.ts";
import { folderOf } from "../setup/folder.ts";
import { effort, endurance, seed } from "../setup/runs.ts";
import { serving } from "../setup/serving.ts";

/** The number of kills. `npm run soak` performs 100. */
const KILLS = Math.min(5 * effort, 100);

/**
 * The age of acknowledged changes that a kill must not lose, in milliseconds. The promise is 100 ms on an idle machine, as
 * that of `npm run soak`. Otherwise, other tests use all cores, and the limit only shows that the server saves at all.
 */
const MAX_AGE = effort > 1 ? 100 : 20_000;

/** A client of one project. It overwrites a resource again and again with the number of the write. */
interface Client {
  readonly project: string;
  /** The times of the acknowledged writes by their number, in milliseconds. */
  readonly acknowledged: Map<number, number>;
  /** The number of the last write. */
  sent: number;
}

test("kill -9 at random moments under load damages no file and loses only the last changes", endurance, async () => {
  const folder = folderOf({});
  const clients = Array.from({ length: 5 }, (_, index): Client => {
    return { project: `project ${index}`, acknowledged: new Map(), sent: 0 };
  });
  let killedAt = 0;
  let oldestLost = 0;

  for (const writes of fc.sample(fc.integer({ min: 1, max: 500 }), { numRuns: KILLS, seed })) {
    const { url, stop } = await serving({ args: ["--log", "off", "--journal-size", "50", "--projects", folder] });
    for (const client of clients) {
      const stored = await storedNumber(url, client);
      expect(stored).toBeLessThanOrEqual(client.sent);
      for (const [number, time] of client.acknowledged) {
        if (number > stored) oldestLost = Math.max(oldestLost, killedAt - time);
      }
      client.acknowledged.clear();
      client.sent = stored;
    }
    const enough = Promise.withResolvers<void>();
    let left = writes;
    const ended = clients.map((client) => write(url, client, () => --left === 0 && enough.resolve()));
    await enough.promise;
    killedAt = performance.now();
    expect(await stop("SIGKILL")).toBe("SIGKILL");
    await Promise.all(ended);
  }
  if (effort > 1) console.log(`oldest change that ${KILLS} kills lost: ${Math.round(oldestLost)} ms`);
  expect(oldestLost).toBeLessThanOrEqual(MAX_AGE);
});

/** Writes until the connection breaks. Calls `onAcknowledged` after each write. */
async function write(url: string, client: Client, onAcknowledged: () => void): Promise<void> {
  for (;;) {
    const number = ++client.sent;
    const body = JSON.stringify({ objectTypeProperty: { arrayOfIntExample: [number] } });
    const headers = { "Content-Type": "application/json" };
    const address = `${url}/${encodeURIComponent(client.project)}/resource`;
    const response = await fetch(address, { method: "PATCH", headers, body }).catch(() => undefined);
    if (!response) return;
    expect(response.status).toBe(201);
    client.acknowledged.set(number, performance.now());
    onAcknowledged();
  }
}

/** Returns the number of the last write that the server has restored, or 0. */
async function storedNumber(url: string, { project }: Client): Promise<number> {
  const resources = await connectResourceMock(url).project(project).resources.list();
  // The initial resources have higher versions or other values.
  const written = resources.slice(5);
  expect(written.length).toBeLessThanOrEqual(1);
  for (const { version, objectTypeProperty } of written) {
    expect(objectTypeProperty).toEqual({ arrayOfIntExample: [version] });
    return version;
  }
  return 0;
}
