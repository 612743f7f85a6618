import type { ControlOperation } from "../../src/control/operation.ts";
import { images } from "./requests.ts";
import { draft } from "./resources.ts";

const match = {
  operation: "updateResource",
  method: "POST",
  path: { id: { matches: "^r" } },
  query: { limit: 5 },
  headers: { "User-Agent": { matches: "." } },
  body: { objectTypeProperty: { arrayOfIntExample: [1] } },
  status: "2xx",
  source: "state",
};
const rule = {
  operation: "updateResource",
  when: {
    method: "POST",
    path: { id: "a" },
    query: { limit: { matches: "1" } },
    headers: { "X-A": "b" },
    body: { version: 1 },
  },
  after: 1,
  times: 2,
  probability: 0.5,
  sequence: [{}, { respond: { status: 409, headers: { "X-B": "c" } } }, { conflict: true }, { latency: { fixed: 0 } }],
};
const activation = { description: "On the spot.", rules: [rule, { fault: "EMPTY_RESPONSE" }], times: 3 };
const png = Buffer.from(images["image/png"]).toString("base64");

/** Valid bodies for each operation of the control API, by its id. An operation has one body for each shape it accepts. */
const bodies: Readonly<Record<string, readonly unknown[]>> = {
  turnOnForAll: [{ times: 2, probability: 0.5 }, activation],
  turnOn: [{ times: 2, probability: 0.5 }, activation],
  setProviderState: [
    { consumer: "shop", state: "conflict", action: "setup", params: { project: "fuzzed", times: 1 } },
    { states: ["a resource exists", "slow"], action: "teardown", params: { project: "fuzzed", id: "a", key: "k" } },
    { state: "no resource exists", params: { project: "fuzzed" } },
  ],
  replaceState: [
    { from: "another" },
    {
      resources: [{ id: "a", key: "k", version: 2, createdAt: "2024-01-01T00:00:00Z", ...draft }],
      deleted: { ids: ["b"], keys: ["l"] },
      lastWritten: "a",
      namespaceAction: { body: { points: 1 } },
      images: [{ id: "i", contentType: "image/png", uploadedAt: "2024-01-01T00:00:00Z", base64: png }],
      numbered: 3,
    },
  ],
  addResources: [draft, [{ id: "a", ...draft }, draft], { generate: 2, seed: 1 }],
  writeResource: [{ key: "k", version: 3, ...draft }],
  addImage: [{ id: "i", filename: "front.png", variant: 1, sku: "s", contentType: "image/png", base64: png }],
  setNamespaceAction: [{ body: { points: 1 } }, { body: null }],
  takeSnapshot: [{ name: "a" }],
  addRule: [
    rule,
    {
      operation: "*",
      respond: { status: 500, body: { statusCode: 500, message: "x", errors: [{ code: "General", message: "x" }] } },
    },
  ],
  changeSettings: [
    { auth: "off", validation: "report", latency: { uniform: [0, 1] }, journalSize: 5, maxBodyBytes: 10 },
    { latency: { lognormal: { median: 1, sigma: 1 } } },
  ],
  setClock: [{ now: "2030-01-01T00:00:00Z", frozen: true }, { advance: 1000 }],
  issueToken: [{ scopes: ["manage_test"], expiresIn: 10, clientId: "shop" }],
  verifyRequests: [{ match, count: 1 }, { match, atLeast: 1, atMost: 2 }, { order: [match, {}] }],
  waitForMatch: [{ match, count: 1, timeout: 0 }],
};

/** Returns the valid bodies of an operation, or none for an operation without a body. Throws if this file has none. */
export function bodiesOf({ id, body }: ControlOperation): readonly unknown[] {
  if (!body) return [];
  const known = bodies[id];
  if (!known) throw new Error(`test/setup/control-bodies.ts: expected a body for ${id}, found none`);
  return known;
}
