import manifest from "../../package.json" with { type: "json" };
import type { SweepRun } from "../../src/tools/sweep/sweep-report.ts";

/**
 * Scripts for Node as commands of a sweep. `call` sends a request to the mock and returns the status, or 0 for a broken
 * connection or body.
 */
const start = `
const { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } = require("node:fs");
const { RESOURCE_MOCK_URL: url } = process.env;
const cart = "/shop/resource/namespace-action-with-example";
const call = (path, init) => fetch(url + path, init).then(async (response) => { await response.text(); return response.status; }).catch(() => 0);
const update = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"version":1,"actions":[{"action":"doSomeThing"}]}' };
const forever = () => new Promise(() => setInterval(() => {}, 1000));
`;

/** Returns the command that runs the code in a file that the test writes. */
export function scriptOf(code: string): string {
  return `${start}\n(async () => {\n${code}\n})();\n`;
}

/** Returns the file with the state of a sweep after the base runs, and after some runs with a failure. */
export function stateOf(
  command: readonly string[],
  operations: readonly string[] = ["getCart"],
  runs: readonly SweepRun[] = [],
): Record<string, object> {
  const calls = { operations: operations.map((operation) => [operation, "shop"]), tests: [] };
  const state = { version: manifest.version, command, base: { seconds: 1, calls, repeated: [] }, runs };
  return { "resource-mock-sweep/state.json": state };
}
