// @module-tag process
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadOperations } from "../../src/control/subjects.ts";
import { controls } from "../../src/services/generic-resource/control/index.ts";
import { operations } from "../../src/services/generic-resource/operations.ts";
import { readFolder } from "../../src/state/fixtures/layer-files.ts";
import { bodiesOf } from "../setup/control-bodies.ts";
import { everyOperation, exampleRequests } from "../setup/requests.ts";
import { useConsumer } from "./consumer.ts";

const controlOperations = await loadOperations(controls);

interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

const contentType = { "Content-Type": "application/json" };

/** Returns the body, the body with an invalid item in each array, and a number; each of them small and large. */
function variants(body: unknown): string[] {
  const wrongItems = JSON.stringify(body, (_name, value) => (Array.isArray(value) ? [...value, null] : value));
  return [JSON.stringify(body), wrongItems, "3"].flatMap((text) => [text, text + " ".repeat(70_000)]);
}

/** Requests that use every schema of requests and responses of the service and the control API. */
const requests: Sent[] = [
  ...everyOperation.flatMap(([, { path, init }]) => {
    const { method = "GET", body } = init;
    const send: Sent = { method, path: `/p/resource${path}` };
    const bodies = typeof body === "string" ? variants(JSON.parse(body)) : [];
    return [send, ...bodies.map((each) => ({ ...send, headers: contentType, body: each }))];
  }),
  { method: "GET", path: "/p/resource?unionParameter=%7B%22version%22%3A1%7D" },
  ...operations.flatMap(({ id, responses }) =>
    Object.keys(responses).map((status): Sent => {
      const { path, init } = exampleRequests[id];
      const { method = "GET", body } = init;
      const headers = { ...contentType, Prefer: `code=${status}, dynamic=true` };
      return { method, path: `/p/resource${path}`, headers, ...(typeof body === "string" && { body }) };
    }),
  ),
  ...controlOperations.flatMap((operation) => {
    const { method } = operation;
    const path = operation.path.replace("{projectKey}", "p").replace(/\{\w+\}/, "conflict");
    const bodies = bodiesOf(operation).flatMap(variants);
    return bodies.map((body): Sent => ({ method, path, headers: contentType, body }));
  }),
];

/** A program that prints the status of each response, and the failures that the mock logs. */
const driver = (load: string) => `
  (async () => {
    const failures = [];
    console.error = (...logged) => failures.push(logged.map((each) => each.stack ?? each).join(" "));
    const { createResourceMock } = ${load};
    const folders = { fixtures: "own/fixtures", scenarios: "own/scenarios" };
    const mock = await createResourceMock({ ...folders, settings: { unknownIds: "not-found", latency: { fixed: 0 } } });
    const statuses = [];
    for (const { path, ...init } of require("./requests.json")) statuses.push((await mock.fetch(path, init)).status);
    console.log(JSON.stringify({ failures, statuses }));
  })();
`;

/** Returns the content of a bundled file with a change that is valid in its schema, if it is an object. */
function changed(kind: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return kind === "fixtures" ? { ...value, changed: true } : { ...value, description: "Changed." };
}

it("validates only changed copies of bundled files", async () => {
  const consumer = await useConsumer([]);
  const installed = join(consumer.folder, "node_modules/resource-mock");
  cpSync(join(installed, "fixtures"), join(consumer.folder, "own"), { recursive: true });
  const check = () => consumer.run("node", [join(installed, "dist/bin.mjs"), "check", "--fixtures", "own"]);
  expect(await check()).toContain("are valid");
  consumer.write("own/getCart/200.json", JSON.stringify({ sum: { centAmount: "12" } }));
  await expect(check()).rejects.toThrow("own/getCart/200.json: /sum/centAmount: expected integer");
});

it("compiles no schema at run time and works without Ajv", async () => {
  const consumer = await useConsumer([]);
  const installed = join(consumer.folder, "node_modules/resource-mock");
  for (const extension of ["mjs", "cjs"]) rmSync(join(installed, `dist/ajv.${extension}`));
  // Unchanged copies of bundled files are not validated again, so every file is changed.
  for (const kind of ["fixtures", "scenarios"]) {
    for (const [path, text] of Object.entries(readFolder(join(installed, kind)))) {
      consumer.write(join("own", kind, path), JSON.stringify(changed(kind, JSON.parse(text))));
    }
  }
  consumer.write("requests.json", JSON.stringify(requests));
  consumer.write("module.cjs", driver(`await import("resource-mock")`));
  consumer.write("common.cjs", driver(`require("resource-mock")`));

  for (const file of ["module.cjs", "common.cjs"]) {
    const { failures, statuses } = JSON.parse(await consumer.run("node", [file]));
    expect(failures).toEqual([]);
    expect(statuses).toHaveLength(requests.length);
    expect(statuses).toEqual(expect.arrayContaining([200, 201, 204, 400]));
  }
  const command = join(installed, "dist/bin.mjs");
  const folders = ["--fixtures", "own/fixtures", "--scenarios", "own/scenarios"];
  expect(await consumer.run("node", [command, "check", ...folders])).not.toBe("");
  const serve = consumer.run("node", [command, "--latency", '{"fixed":-1}']);
  await expect(serve).rejects.toThrow("/fixed: expected at least 0, found -1");
});
