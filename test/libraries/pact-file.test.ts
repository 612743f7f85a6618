import { readdirSync, readFileSync, statSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import type { Pact } from "../../src/control/client/types.ts";
import { createResourceMock } from "../../src/index.ts";
import { addToPactFile } from "../../src/library/testing/test-files.ts";
import { folderOf, writeInto } from "../setup/folder.ts";
import { repository } from "../setup/run.ts";

const read = (file: string) => readFileSync(file, "utf8");
const pathsIn = (text: string) => (JSON.parse(text) as Pact).interactions.map(({ request }) => request.path).sort();

/** Adds requests to a pact file, as a test with these requests does. */
async function add(dir: string, paths: readonly string[], more = {}): Promise<void> {
  const mock = await createResourceMock();
  const project = mock.project("a-test");
  for (const path of paths) await mock.fetch(`${project.baseUrl}/resource${path}`);
  await addToPactFile(project, { consumer: "shop", dir, ...more });
  await mock.close();
}

test("merges the requests of tests into one file with a fixed name and fixed contents", async () => {
  const dir = folderOf({});
  await add(dir, ["/a", "/key=b"]);
  const first = read(`${dir}/shop-generic-resource-service.json`);
  expect(pathsIn(first)).toEqual(["/shop/resource/a", "/shop/resource/key=b"]);
  await add(dir, ["/key=b"]);
  await add(dir, ["/a"]);
  expect(read(`${dir}/shop-generic-resource-service.json`)).toBe(first);
  await add(dir, ["", "/z"]);
  expect(pathsIn(read(`${dir}/shop-generic-resource-service.json`))).toHaveLength(3);
  expect(readdirSync(dir)).toEqual(["shop-generic-resource-service.json"]);
});

test("adds nothing for a test without requests, and names files only after allowed characters", async () => {
  const dir = folderOf({});
  await add(`${dir}/new`, []);
  expect(readdirSync(dir)).toEqual([]);
  await add(`${dir}/new`, ["/a"], { consumer: "../my shop", provider: "..", as: "my-project" });
  expect(readdirSync(`${dir}/new`)).toEqual(["--my-shop--.json"]);
  expect(pathsIn(read(`${dir}/new/--my-shop--.json`))).toEqual(["/my-project/resource/a"]);
});

test("keeps the letters of names, and never mixes two consumers in one file", async () => {
  const dir = folderOf({});
  await add(dir, ["/a"], { consumer: "店" });
  await add(dir, ["/a"], { consumer: "my shop" });
  await expect(add(dir, ["/a"], { consumer: "my/shop" })).rejects.toThrow(
    'expected a pact of resource-mock for "my/shop", found that of "my shop". Delete it, or choose another dir.',
  );
  const provider = "generic-resource-service.json";
  expect(readdirSync(dir).sort()).toEqual([`my-shop-${provider}`, `店-${provider}`]);
  expect(pathsIn(read(`${dir}/店-${provider}`))).toEqual(["/%E5%BA%97/resource/a"]);
});

test.each([
  [{ provder: "x" }, 'pact: provder: unknown option. Did you mean "provider"?'],
  [{ consumer: "" }, "pact: consumer: expected the name of the consumer, found nothing"],
  [{ dir: undefined }, "pact: dir: expected the path of a folder, found nothing"],
  [{ dir: 1 }, "pact: dir: expected a string, found 1"],
])("rejects the options %j", async (options, message) => {
  await expect(add(folderOf({}), ["/a"], options)).rejects.toThrow(message);
});

test.each([["not JSON"], ['{"interactions":[]}']])("keeps the file %s, and says that it is no pact", async (text) => {
  const dir = folderOf({ "shop-generic-resource-service.json": text });
  await expect(add(dir, ["/a"])).rejects.toThrow('expected a pact of resource-mock for "shop", found another file');
  expect(read(`${dir}/shop-generic-resource-service.json`)).toBe(text);
});

test("ignores the lock of a process that was killed", async () => {
  const dir = folderOf({});
  const lock = `${dir}/shop-generic-resource-service.json.lock`;
  writeInto(lock, "file", "");
  await utimes(lock, 0, 0);
  expect(statSync(lock).mtimeMs).toBe(0);
  await add(dir, ["/a"]);
  expect(readdirSync(dir)).toEqual(["shop-generic-resource-service.json"]);
});

test("keeps the requests of workers that write at the same time", async () => {
  const dir = folderOf({});
  const source = `
    const { workerData: { dir, index } } = await import("node:worker_threads");
    const { addToPactFile } = await import("${pathToFileURL(`${repository}src/library/testing/test-files.ts`)}");
    const interaction = (name) => ({ type: "Synchronous/HTTP", key: name, description: name, request: {}, response: {} });
    for (let each = 0; each < 20; each++) {
      const metadata = { pactSpecification: { version: "4.0" }, "resource-mock": { version: "1", omitted: [] } };
      const interactions = [interaction("w" + index + "-" + each)];
      const pact = async () => ({ consumer: { name: "shop" }, provider: { name: "service" }, interactions, metadata });
      await addToPactFile({ pact }, { consumer: "shop", provider: "service", dir });
    }`;
  const workers = [1, 2, 3, 4].map(
    (index) =>
      new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), { workerData: { dir, index } }),
  );
  const codes = await Promise.all(workers.map((each) => new Promise((resolve) => each.once("exit", resolve))));
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(JSON.parse(read(`${dir}/shop-service.json`)).interactions).toHaveLength(80);
});
