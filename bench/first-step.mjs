import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

/**
 * Starts a mock and sends one GET. Then runs the steps POST, `use`, `rule` and `verify` in this order, up to the named
 * step. Prints the milliseconds of this step. Parameters: the `dist` folder, the body of the POST, the name of the step.
 */
const [dist, body, step] = process.argv.slice(2);
const { startResourceMock } = await import(pathToFileURL(`${dist}/index.mjs`).href);
const steps = {
  async post() {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(`${project.baseUrl}/resource`, { method: "POST", headers, body });
    await response.text();
    return response.status === 201;
  },
  use: () => project.use("conflict"),
  rule: () => project.rule({ operation: "updateResource", respond: { status: 409 } }),
  async verify() {
    const { pass } = await project.verify({ match: { operation: "getResourceById" }, count: 1 });
    return pass;
  },
};

const mock = await startResourceMock();
const project = mock.project("shop");
const response = await fetch(`${project.baseUrl}/resource/some-id`);
await response.text();

for (const [name, take] of Object.entries(steps)) {
  const started = performance.now();
  const result = await take();
  const time = performance.now() - started;
  assert.ok(result);
  if (name !== step) continue;
  console.log(time);
  break;
}
await mock.close();
