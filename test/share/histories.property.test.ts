// @module-tag process
// @module-tag slow
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Home } from "../../src/engine/home.ts";
import { openSharedHome } from "../../src/homes/share/index.ts";
import { type Files, readFiles } from "../../src/library/mock.ts";
import { builtIn, type Call } from "../setup/histories.ts";
import { petSubject } from "../setup/pet-histories.ts";
import { useRedis } from "../setup/redis.ts";
import { describeWithRedis } from "../setup/requirements.ts";
import { runs } from "../setup/runs.ts";
import { openEngines, pathIn, readingsOf, shown, stepOf } from "./engines.ts";

/** The shared time of all engines, in milliseconds. */
let time = 0;

/** The mock as a client sees it: one engine in memory, or several that share a store. */
interface Mock {
  send(call: Call, replica: number): Promise<unknown>;
  close(): Promise<void>;
}

/** A part of a call that each mock replaces by one of the tokens that it has issued, by number. */
const TOKEN = /TOKEN-(\d)/g;
const UNKNOWN_TOKEN = "0".repeat(48);

function openMock(homes: readonly (Home | undefined)[], files: Files): Mock {
  const mock = openEngines(homes, { ...files, now: () => time, wait: async () => {} });
  const tokens: string[] = [];

  async function fetchFrom(replica: number, path: string, init: RequestInit) {
    const response = await mock.fetch(replica, path, init);
    const bytes = await response.arrayBuffer().catch(() => new ArrayBuffer(0));
    return { response, text: Buffer.from(bytes).toString("utf8") };
  }

  const filled = (text: string) => text.replace(TOKEN, (_match, index) => tokens[Number(index)] ?? UNKNOWN_TOKEN);

  return {
    async send({ path, init }, replica) {
      const headers = Object.entries(init.headers ?? {}).map(([name, value]): [string, string] => [
        name,
        filled(value),
      ]);
      let body = typeof init.body === "string" ? filled(init.body) : init.body;
      // The archive of the other project.
      if (path.endsWith("/archive") && init.method === "PUT") {
        const { text } = await fetchFrom(replica + 1, path.replace(/[pq](?=\/archive)/, other), {});
        body = text;
      }
      const { response, text } = await fetchFrom(replica, filled(path), { ...init, headers, body });
      const [, issued] = /"access_?[tT]oken":"([0-9a-f]{48})"/.exec(text) ?? [];
      if (issued) tokens.push(issued);
      expect(mock.defects).toEqual([]);
      return shown(
        path,
        response,
        tokens.reduce((all, token, index) => all.replaceAll(token, `TOKEN-${index}`), text),
      );
    },
    close: mock.close,
  };
}

const other = (key: string) => (key === "p" ? "q" : "p");

describeWithRedis("three replicas", () => {
  const redis = useRedis();
  let run = 0;

  it.each([builtIn, petSubject])(
    "$name: respond to any history as one process does",
    {
      timeout: 300_000,
    },
    async (subject) => {
      const files = await readFiles({}, subject.service);
      await fc.assert(
        fc.asyncProperty(fc.array(stepOf(subject), { maxLength: 40, size: "max" }), async (history) => {
          time = 1_700_000_000_000;
          const options = { url: redis.url, prefix: `run-${++run}`, ttl: 600_000, maxProjects: 1000 };
          const homes = await Promise.all(Array.from({ length: 3 }, () => openSharedHome(options)));
          const one = openMock([undefined], files);
          const replicas = openMock(homes, files);
          try {
            for (const { call, replica } of history) {
              const expected = await one.send(call, replica);
              expect({ call, reply: await replicas.send(call, replica) }).toEqual({ call, reply: expected });
              time += 250;
            }
            for (const { path, init } of readingsOf(subject)) {
              for (const project of ["p", "q"]) {
                const call = { path: pathIn(project, path), init };
                const expected = await one.send(call, 0);
                for (let replica = 0; replica < 3; replica++) {
                  expect({ replica, call, reply: await replicas.send(call, replica) }).toEqual({
                    replica,
                    call,
                    reply: expected,
                  });
                }
              }
            }
          } finally {
            await one.close();
            await replicas.close();
          }
        }),
        runs(10, 60),
      );
    },
  );
});
