import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

/** A test file that uses resource-mock. Parameters: the `dist` folder to import, the body of the POST. */
const [dist, body] = process.argv.slice(2);
const { startResourceMock } = await import(pathToFileURL(`${dist}/index.mjs`).href);

const mock = await startResourceMock();
const project = mock.project("shop");

const read = await fetch(`${project.baseUrl}/resource/some-id`);
assert.equal((await read.json()).version, 1);

const created = await fetch(`${project.baseUrl}/resource`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body,
});
assert.equal(created.status, 201);
assert.equal((await created.json()).version, 1);

await project.use("conflict");

assert.equal((await project.verify({ match: { operation: "createResource" }, count: 1 })).pass, true);

await mock.close();
