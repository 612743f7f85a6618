// @module-tag slow
import fc from "fast-check";
import { expect, test } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { type Files, readFiles } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import { defaultService } from "../../src/services/index.ts";
import { ARCHIVE_TYPE, archiveIn } from "../setup/archives.ts";
import { builtIn, type Call, controlCall } from "../setup/histories.ts";
import { petSubject } from "../setup/pet-histories.ts";
import { runs } from "../setup/runs.ts";

/** The shared time of both servers, in milliseconds. */
let time = 0;

interface Server {
  send(call: Call): Promise<Reply>;
  get(path: string): Promise<unknown>;
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Opens a server whose clock moves only between requests, and whose latencies end at once. */
function openServer(files: Files, seed: number): Server {
  const engine = createEngine({ ...files, seed, now: () => time, wait: async () => {}, checkResponses: true });
  engine.onDefect = (error) => {
    throw error;
  };
  const app = createApp(engine, { version: "0.0.0-test", pages, controls: files.controls });
  const send = async ({ path, init }: Call): Promise<Reply> => {
    const response = await app.fetch(new Request(`http://in.process${path}`, init));
    const { status, headers } = response;
    const bytes = await response.arrayBuffer().catch(() => new ArrayBuffer(0));
    return { status, headers: Object.fromEntries(headers), body: Buffer.from(bytes).toString("latin1") };
  };
  return {
    send,
    async get(path) {
      const { status, headers, body } = await send({ path: `/__admin/projects/p${path}`, init: {} });
      expect([path, status]).toEqual([path, 200]);
      const text = Buffer.from(body, "latin1").toString();
      return headers["content-type"] === ARCHIVE_TYPE ? archiveIn(text) : JSON.parse(text);
    },
  };
}

/** Returns everything that the control API shows of the project, without the measured durations of requests. */
async function shownBy(server: Server, readings: readonly string[]): Promise<unknown> {
  const paths = [
    "/requests?limit=1000",
    "/coverage",
    "/state",
    "/snapshots",
    "/rules",
    "/settings",
    "/clock",
    ...readings,
  ];
  const shown = await Promise.all([...paths, "/archive"].map((path) => server.get(path)));
  const {
    bytes: _bytes,
    scenarios: _names,
    archive: _source,
    ...summary
  } = (await server.get("")) as {
    [name: string]: unknown;
  };
  // Scenarios of all projects of the first server are scenarios of the project on the second one.
  const scenarios = (await server.get("/scenarios?forAll=true")) as { scenarios: { forAll?: true }[] };
  const active = scenarios.scenarios.map(({ forAll: _forAll, ...scenario }) => scenario);
  const all = JSON.stringify([shown, summary, active], (name, value) => (name === "duration" ? undefined : value));
  return JSON.parse(all);
}

test.each([builtIn, petSubject])(
  "$name: an archived project continues on another server as it would have continued",
  {
    timeout: 120_000,
  },
  async ({ service, history, request, first, readings }) => {
    const files = await readFiles({}, service);
    await fc.assert(
      fc.asyncProperty(history, fc.array(request, { minLength: 50, maxLength: 50 }), async (before, after) => {
        time = 1_700_000_000_000;
        const original = openServer(files, 1);
        // The first request opens the project: without a project, the server does not record requests to unknown paths.
        for (const call of [{ path: first, init: {} }, ...before]) {
          await original.send(call);
          time += 250;
        }
        const archive = await original.get("/archive");
        // The generated initial items of another contract come from the seed of the server.
        const copy = openServer(files, service === defaultService ? 2 : 1);
        const restored = await copy.send(controlCall("PUT", "/archive", archive));
        expect([restored.status, restored.body]).toEqual([204, ""]);
        expect(await copy.get("/archive")).toEqual(archive);
        for (const call of after) {
          const expected = await original.send(call);
          expect(await copy.send(call)).toEqual(expected);
          time += 100;
        }
        expect(await shownBy(copy, readings)).toEqual(await shownBy(original, readings));
      }),
      runs(10, 100),
    );
  },
);
