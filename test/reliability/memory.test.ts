// @module-tag isolated
// @module-tag slow
import { describe, expect, test } from "vitest";
import { waitFor } from "../../src/control/wait-for-requests.ts";
import { Effort } from "../../src/rules/matching/pattern.ts";
import { exchangeWith } from "../journal/exchanges.ts";
import { effort, endurance, heldBytes } from "../setup/memory.ts";
import { json, useMock } from "../setup/mock.ts";
import { sendRaw } from "../setup/raw-socket.ts";
import { until } from "../setup/until.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

/** In process, so that the measured heap is that of the mock. Each value is measured after a garbage collection. */
describe("memory", () => {
  const mock = useMock("in process", { checkResponses: false });

  test("each of 10,000 idle projects with one request takes at most 4 KiB", async () => {
    const projects = 10_000;
    // Fills the journal and loads the code, as their memory does not belong to a project.
    for (let index = 0; index < 1000; index++) await mock.resource("warm-up");
    const before = await heldBytes();
    for (let index = 0; index < projects; index++) await mock.resource(`idle-${index}`);
    const each = ((await heldBytes()) - before) / projects;
    await mock.engine.resetAll();
    expect(each).toBeLessThan(4 * KiB);
  });

  test("of requests that the journal has dropped is free during waits", async () => {
    const project = mock.engine.projects.get("waits");
    const fill = () => {
      for (let number = 0; number < 1000; number++)
        project.record(exchangeWith({ requestBody: new Uint8Array(20 * KiB) }));
    };
    fill();
    const before = await heldBytes();
    const end = new AbortController();
    const waits: Promise<unknown>[] = [];
    for (let started = 0; started < 5; started++) {
      let seen = 0;
      const differences = () => (++seen > 0 ? [{ location: [], expected: 1, actual: 2 }] : []);
      const conditions = { count: 1, timeout: 60_000, signals: [end.signal] };
      waits.push(waitFor(project, { match: {}, size: 0, differences }, conditions, new Effort()));
      await until(() => seen === 1000);
      fill();
      await until(() => seen === 2000);
    }
    expect((await heldBytes()) - before).toBeLessThan(4 * MiB);
    end.abort();
    await Promise.all(waits);
    mock.engine.closeProject("waits");
  });

  test("is free again after projects are deleted", endurance, async () => {
    const round = async (name: string, projects: number) => {
      for (let index = 0; index < projects; index++) {
        const project = `${name}-${index}`;
        await mock.resource(project, "", json("POST", { objectTypeProperty: { arrayOfIntExample: [index] } }));
        await mock.resource(project, "/another");
        mock.engine.closeProject(project);
      }
    };
    await round("warm-up", 1000);
    const before = await heldBytes();
    await round("deleted", 5000 * effort);
    expect((await heldBytes()) - before).toBeLessThan(4 * MiB);
  });
});

describe("memory, over a socket", () => {
  const mock = useMock("over a socket", { checkResponses: false });

  test("stays constant over many requests with bodies", endurance, async () => {
    const BATCH = 100;
    const body = JSON.stringify({ objectTypeProperty: { arrayOfStringExample: ["x".repeat(2000)] } });
    const request = (connection: string) =>
      `PUT /flat/resource HTTP/1.1\r\nHost: mock\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: ${connection}\r\n\r\n${body}`;
    const batch = request("keep-alive").repeat(BATCH - 1) + request("close");
    const batches = async (count: number) => {
      for (let index = 0; index < count; index++) {
        const responses = await sendRaw(mock.url, batch);
        expect(responses.match(/HTTP\/1\.1 201 /g)).toHaveLength(BATCH);
      }
    };
    await batches(30);
    const before = await heldBytes();
    // 10,000 requests; 200,000 in a soak test.
    await batches(100 * effort);
    expect((await heldBytes()) - before).toBeLessThan(4 * MiB);
  });
});
