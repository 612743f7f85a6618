import type { ControlOperation } from "../../src/control/define-operation.ts";
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
const at = "2024-01-01T00:00:00Z";
const png = Buffer.from(images["image/png"]).toString("base64");

const times = { createdAt: at, lastModifiedAt: at };
const content = { version: 2, ...draft };
const resource = [1, { id: "a", version: 2, ...times, createdBy: "shop", alternates: { key: "k" }, content }];
const picture = [1, { id: "i", version: 1, ...times, content: { contentType: "image/png" }, base64: png }];
const facts = { start: "sample", numbered: 3 };
/** The lines of an archive, by name. */
const archive = {
  format: "resource-mock-archive/4",
  source: { test: "cart.test.ts > saves", savedAt: at },
  core: {
    origin: { seed: "0", projectKey: "archived" },
    clock: { offset: 5, frozenAt: 1_700_000_000_000 },
    random: [1, -2, 3, 2_147_483_647],
    rateWindow: { start: 1_700_000_000_000, requests: 2 },
    counts: {
      requests: 3,
      errors: 2,
      violations: 1,
      lastRequestAt: 1_700_000_000_000,
      stubbed: 1,
      requestIds: 3,
      lastSerial: 2,
    },
    facts,
    moment: 1,
    journal: { last: 3, forgotten: 2 },
    archive: { source: { test: "cart.test.ts > saves", savedAt: at }, file: "a.ndjson", restoredAt: 1_700_000_000_000 },
    uses: [
      { kind: "rule", name: "r-2", count: 1, rules: [{ passed: 1, count: 1 }] },
      { kind: "scenario", name: "own", forAll: true, count: 2, rules: [{ passed: 0, count: 2 }] },
    ],
  },
  settings: { auth: "off", rateLimit: { limit: 1000, window: 1000 }, journalSize: 5 },
  "coverage/getResourceById": {
    requests: 2,
    offContract: 0,
    failures: { slow: 1 },
    statuses: { s200: 1, s404: 1 },
    actions: { doSomeThing: 1 },
    errorCodes: { ResourceNotFound: 1 },
  },
  "coverage/": { requests: 1, offContract: 0 },
  violations: {
    locations: { "a /a": { operation: "getResourceById", code: "InvalidField", field: "/a", message: "x", count: 1 } },
    others: 1,
  },
  rules: { scenarios: 2, rules: ["r-2"], added: 2, periods: [{ name: "own", from: 1_700_000_000_000 }] },
  "scenario/0": {
    name: "own",
    description: "x",
    times: 2,
    probability: 0.5,
    inline: true,
    forAll: true,
    rules: [rule],
  },
  "scenario/1": { name: "conflict", inline: false, rules: [{ operation: "updateResource", conflict: true }] },
  "rule/r-2": { id: "r-2", rule },
  "collection/Resource": { created: 1, lastWritten: "a" },
  "item/Resource/a": resource,
  "gone/Resource/id=b": true,
  "gone/Resource/key=l": true,
  "item/Image/i": picture,
  "item/NamespaceAction/": [1, { id: "", version: 1, ...times, content: { points: 1 } }],
  snapshots: ["s"],
  "snapshot/s": { takenAt: at, facts },
  "snapshot/s/collection/Resource": { created: 1 },
  "snapshot/s/item/Resource/a": resource,
  "snapshot/s/item/Image/i": picture,
  "change/1": {
    number: 1,
    at: 1_700_000_000_000,
    author: { by: "request", method: "POST", path: "/archived/resource", request: "01234567-3", before: 0, after: 1 },
    changes: [
      { table: "item", in: "Resource", id: "a", before: { cut: 70_000, start: "{", version: 1 }, after: resource },
      { table: "item", in: "Image", id: "i", after: picture },
      { table: "gone", in: "Resource", id: "key=l", after: true },
      { table: "facts", in: "Resource", id: "", before: { created: 0 }, after: { created: 1, lastWritten: "a" } },
      { table: "numbered", in: "", id: "", before: 2, after: 3 },
    ],
    problem: "changed values with credentials, which archives leave out",
  },
  "request/3": {
    id: "01234567-3",
    receivedAt: 1_700_000_000_000,
    serverTime: 1_700_000_000_000,
    arrival: 1,
    serial: 2,
    duration: 1.5,
    delayed: 0,
    method: "POST",
    origin: "http://localhost:8080",
    path: "/archived/resource/a",
    query: "a=1",
    headers: { host: "localhost:8080", cookie: ["a=[redacted]"] },
    requestBody: "{}",
    operationId: "updateResource",
    pathParameters: { projectKey: "archived", id: "a" },
    actions: ["doSomeThing"],
    status: 409,
    isBroken: false,
    responseHeaders: { "Content-Type": "application/json" },
    responseBody: { base64: "/wA=" },
    source: "rule:r-2",
    offContract: true,
    decisions: [
      { kind: "auth", as: "client", client: "shop" },
      { kind: "effect", source: "rule:r-2", effect: "fault", responds: true, fault: "EMPTY_RESPONSE" },
      { kind: "effect", source: "scenario:own", rule: 1, effect: "settings", settings: { auth: "off" } },
      { kind: "conflict", sent: 1, stored: 2, writer: { by: "request", request: "01234567-2", earlier: 5 } },
    ],
    violations: [{ code: "InvalidField", message: "x", field: "/a" }],
    upstream: {
      url: "http://upstream/archived/resource/a",
      requestHeaders: {},
      status: 200,
      responseHeaders: { "set-cookie": ["a=[redacted]"] },
      ms: 1,
      violations: [],
      error: "reset",
      recorded: "updateResource/200.json",
    },
    unnamed: ["a"],
    cut: { request: 100_000 },
    sizes: { response: 10 },
    changes: [{ type: "Resource", id: "a", from: 1, to: 2 }],
    momentBefore: 0,
    momentAfter: 1,
  },
  end: true,
};

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
  restoreArchive: [archive],
  rewind: [{ moment: 0 }, { moment: 1 }],
  rewindRequest: [{}, { to: "after" }],
  addResources: [draft, [{ id: "a", ...draft }, draft], { generate: 2, seed: 1 }],
  writeResource: [{ key: "k", version: 3, ...draft }],
  addImage: [{ id: "i", filename: "front.png", variant: 1, sku: "s", contentType: "image/png", base64: png }],
  setNamespaceAction: [{ body: { points: 1 } }, { body: null }],
  takeSnapshot: [{ name: "a" }],
  checkRule: [rule],
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
