// @module-tag slow
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { ProjectFiles } from "../../src/homes/files/index.ts";
import { createApp } from "../../src/http/app.ts";
import { readFiles } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import { defaultService } from "../../src/services/index.ts";
import { folderOf } from "../setup/folder.ts";
import { type Call, controlCall, history } from "../setup/histories.ts";
import { runs } from "../setup/runs.ts";
import { changesIn, END, read } from "./folders.ts";

const files = await readFiles();

/** Opens a server that keeps its projects in this folder. */
async function openServer(folder: string) {
  const home = new ProjectFiles(folder, expect.unreachable);
  const engine = createEngine({ ...files, home, wait: async () => {} });
  engine.onDefect = (error) => {
    throw error;
  };
  await home.load();
  const app = createApp(engine, { version: "0.0.0-test", pages, controls: defaultService.controls });
  const send = ({ path, init }: Call) => app.fetch(new Request(`http://in.process${path}`, init));
  const archive = async (key: string) => (await send({ path: `/__admin/projects/${key}/archive`, init: {} })).text();
  return { send, close: engine.close, archive };
}

test("a file with appended changes restores the project; if its end is torn, that of the last save", {
  timeout: 120_000,
}, async () => {
  const parts = fc.array(history, { minLength: 2, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(parts, fc.double({ min: 0, max: 1, noNaN: true }), async (histories, share) => {
      const folder = folderOf({});
      const text = () => read(folder, "p.ndjson");
      const saved = changesIn(folder);
      const first = await openServer(folder);
      for (const [index, calls] of histories.entries()) {
        for (const call of calls) await (await first.send(call)).arrayBuffer().catch(() => {});
        await first.send(controlCall("PUT", "/namespace-action", { body: `save ${index}` }));
        await saved(() => text().includes(`save ${index}`) && text().endsWith(END));
      }
      const archive = await first.archive("p");
      await first.close();

      const bytes = Buffer.from(text());
      const start = bytes.indexOf(END) + END.length;
      const torn = bytes.subarray(0, start + Math.floor(share * (bytes.length - start)));
      writeFileSync(join(folder, "torn.ndjson"), torn);
      writeFileSync(join(folder, "complete.ndjson"), torn.subarray(0, torn.lastIndexOf(END) + END.length));
      const second = await openServer(folder);
      expect(await second.archive("p")).toBe(archive);
      expect(await second.archive("torn")).toBe(await second.archive("complete"));
      await second.close();
    }),
    runs(20, 100),
  );
});
