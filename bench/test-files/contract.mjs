import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

/** A test file that uses resource-mock with a contract. Parameters: the `dist` folder to import, the path of the petstore. */
const [dist, contract] = process.argv.slice(2);
const { startResourceMock } = await import(pathToFileURL(`${dist}/index.mjs`).href);

const mock = await startResourceMock({ contract });
const project = mock.project("shop");

const read = await fetch(`${project.baseUrl}/pets`);
assert.equal((await read.json())[0].name, "Rex");

const created = await fetch(`${project.baseUrl}/pets`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: '{"name":"Ida","kind":"cat"}',
});
assert.equal(created.status, 201);
assert.equal((await created.json()).name, "Ida");

await project.use("server-error");

assert.equal((await project.verify({ match: { operation: "createPet" }, count: 1 })).pass, true);

await mock.close();
