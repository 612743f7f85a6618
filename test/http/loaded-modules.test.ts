// @module-tag process
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderOf } from "../setup/folder.ts";
import { serving } from "../setup/serving.ts";

/** Runs in the process of the command. Writes the names of Node's modules that it has loaded when it ends. */
const recorder = `process.on("exit", () => {
  process.getBuiltinModule("node:fs").writeFileSync(process.env.LOADED, process.moduleLoadList.join("\\n"));
})`;

test("requests to the service load neither Node's fetch nor node:crypto, which take a third of a start", async () => {
  const file = join(folderOf({}), "loaded.txt");
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(recorder)}`;
  const mock = await serving({ environment: { NODE_OPTIONS, LOADED: file } });
  const address = `${mock.url}/p/resource/x`;
  expect((await fetch(address)).status).toBe(200);
  expect((await fetch(`${mock.url}/p/resource`, { method: "HEAD" })).status).toBe(200);
  expect((await fetch(`${mock.url}/__admin/health`)).status).toBe(200);
  const body = JSON.stringify({ version: 1, actions: [] });
  const headers = { "Content-Type": "application/json" };
  expect((await fetch(address, { method: "POST", headers, body })).status).toBe(200);
  expect(await mock.stop()).toBe(0);
  const loaded = readFileSync(file, "utf8").split("\n");
  expect(loaded).toContain("NativeModule http");
  expect(loaded.filter((name) => /undici|NativeModule crypto$|http2/.test(name))).toEqual([]);
});
