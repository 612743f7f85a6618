/** Mocks of one process that have the same document. */
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createResourceMock } from "../../src/library/resource-mock.ts";
import { loadContract } from "../../src/openapi/index.ts";
import { folderOf } from "../setup/folder.ts";
import { repository } from "../setup/run.ts";

const petstore = `${repository}examples/petstore/petstore.yaml`;
const contractOf = async (...parameters: Parameters<typeof loadContract>) =>
  (await loadContract(...parameters)).contract;

test("mocks with the same file share its contract, and no state", async () => {
  const mocks = [await createResourceMock({ contract: petstore }), await createResourceMock({ contract: petstore })];
  for (const mock of mocks) onTestFinished(() => mock.close());
  const [first, second] = mocks.map(
    (mock) => (path: string, init?: RequestInit) => mock.fetch(`${mock.url}${path}`, init),
  );
  const headers = { "Content-Type": "application/json" };
  const created = await first?.("/pets", { method: "POST", headers, body: '{"name":"Ida","kind":"cat"}' });
  expect(created?.status).toBe(201);
  expect(await (await first?.("/pets"))?.text()).toContain("Ida");
  expect(await (await second?.("/pets"))?.text()).not.toContain("Ida");
  expect(await contractOf(petstore)).toBe(await contractOf(petstore));
});

test("a changed file, other corrections, noCache and a document of several files have a contract of their own", async () => {
  const folder = folderOf({ "pets.json": '{ "description": "The pets." }' });
  const file = join(folder, "petstore.yaml");
  copyFileSync(petstore, file);
  const first = await contractOf(file);
  expect(await contractOf(file, { noCache: true })).not.toBe(first);
  expect(await contractOf(file, { behaviour: { operations: {} } })).not.toBe(first);
  writeFileSync(file, "openapi: 3.1.0\ninfo: { title: Birds, version: '1' }");
  expect((await contractOf(file)).info.title).toBe("Birds");

  const parts = join(folder, "parts.json");
  const responses = { 200: { $ref: "pets.json" } };
  writeFileSync(parts, JSON.stringify({ openapi: "3.1.0", paths: { "/pets": { get: { responses } } } }));
  const described = (contract: Awaited<typeof first>) => contract.operations[0]?.responses[200]?.description;
  expect(described(await contractOf(parts))).toBe("The pets.");
  writeFileSync(join(folder, "pets.json"), '{ "description": "All pets." }');
  expect(described(await contractOf(parts))).toBe("All pets.");
});

test("a document is read again when a file appears that it refers to, and by another path", async () => {
  const folder = folderOf({});
  const file = join(folder, "api.json");
  const responses = { 200: { description: "", content: { "application/json": { schema: { $ref: "pet.json" } } } } };
  writeFileSync(file, JSON.stringify({ openapi: "3.1.0", paths: { "/pets": { get: { responses } } } }));
  const typeOf = async () => (await contractOf(file)).operations[0]?.responses[200]?.schema?.type;
  expect(await typeOf()).toBeUndefined();
  writeFileSync(join(folder, "pet.json"), '{ "type": "object" }');
  expect(await typeOf()).toBe("object");
  copyFileSync(petstore, join(folder, "petstore.yaml"));
  expect(await contractOf(join(folder, "petstore.yaml"))).not.toBe(await contractOf(petstore));
});

test("a file that could not be read is read again", async () => {
  const file = join(folderOf({ "api.json": "{" }), "api.json");
  await expect(loadContract(file)).rejects.toThrow("invalid JSON");
  await expect(loadContract(file)).rejects.toThrow("invalid JSON");
});
