import fc from "fast-check";
import { defaultService, type Service } from "../../src/services/index.ts";
import { draft } from "./arbitraries.ts";
import { type Archive, archiveRequest } from "./archives.ts";
import { json } from "./mock.ts";
import { everyOperation, image } from "./requests.ts";
import { update } from "./resources.ts";

/*
 * Random histories of the project `p`: requests to the service, and calls of the control API.
 */

/** A request or call, with the path from the root. */
export interface Call {
  readonly path: string;
  readonly init: RequestInit;
}

const ids = ["a", "b", "key=k", "key=l", "__proto__", "%F0%9F%98%80", "constructor"];
const prefers = [
  "code=409",
  "dynamic=true",
  "dynamic=true, seed=4",
  "scenario=conflict",
  "code=404, example=nothing",
  "example",
];

/** A request to the service. */
export const request: fc.Arbitrary<Call> = fc
  .oneof(
    { weight: 3, arbitrary: draft.map((body) => ({ path: "", init: json("POST", body) })) },
    { weight: 3, arbitrary: fc.constantFrom(...ids).map((id) => ({ path: `/${id}`, init: {} })) },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.constantFrom(...ids), fc.integer({ min: 1, max: 3 })).map(([id, version]) => ({
        path: `/${id}`,
        init: update(version),
      })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...ids).map((id) => ({ path: `/${id}`, init: { method: "DELETE" } })),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...everyOperation.map(([, { path, init }]) => ({ path, init }))),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Call>(
        { path: "/images?sku=s&variant=2", init: image("image/gif", new TextEncoder().encode("GIF89a\0\x01")) },
        { path: "/sorted-query-parameters?sort=id%20desc&where=version>1", init: {} },
        { path: "/nothing/here?password=secret", init: {} },
        { path: "?floatParameter=x", init: {} },
        { path: "", init: json("POST", { objectTypeProperty: {}, password: "secret", "\u00e9": "\ud83d" }) },
        { path: "", init: { method: "POST", body: new Uint8Array([0xff, 0x00]), headers: { "X-Api-Key": "secret" } } },
      ),
    },
  )
  .chain(({ path, init }: Call) =>
    fc.option(fc.constantFrom(...prefers), { nil: undefined, freq: 4 }).map((prefer) => ({
      path: `/p/resource${path}`,
      init: prefer === undefined ? init : { ...init, headers: { ...init.headers, Prefer: prefer } },
    })),
  );

const rule = {
  after: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  times: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
  probability: fc.option(fc.constantFrom(0.3, 0.7), { nil: undefined }),
};
const effect = fc.constantFrom<object>(
  { respond: { status: 500 } },
  { raw: { status: 418, headers: { "X-Id": { $from: "/uuid" } }, body: { id: { $from: "/path/id", default: 1 } } } },
  { latency: { uniform: [0, 50] } },
  { evolve: true },
  { settings: { unknownIds: "not-found" } },
  { sequence: [{}, { respond: { status: 404 } }, { latency: { fixed: 1 } }] },
  { sequence: [{ respond: { status: 500 } }, {}] },
);
const ruleBodyOf = (operations: readonly string[]) =>
  fc
    .tuple(fc.record({ operation: fc.constantFrom("*", ...operations), ...rule }), effect)
    .map(([facts, effects]) => JSON.parse(JSON.stringify({ ...facts, ...effects })) as object);

/** Returns a call of the control API for the project. */
export const controlCall = (method: string, path: string, body?: unknown): Call => ({
  path: `/__admin/projects/p${path}`,
  init: body === undefined ? { method } : path === "/archive" ? archiveRequest(body as Archive) : json(method, body),
});
const activation = fc.record({ times: rule.times, probability: rule.probability });

/** Returns calls of the control API: those of any contract, with rules for these operations, and own ones. */
export function controlOf(operations: readonly string[], own: readonly Call[]): fc.Arbitrary<Call> {
  const ruleBody = ruleBodyOf(operations);
  return fc.oneof(
    ruleBody.map((body) => controlCall("POST", "/rules", body)),
    fc.constantFrom("r-1", "r-2").map((id) => controlCall("DELETE", `/rules/${id}`)),
    fc
      .tuple(fc.constantFrom("conflict", "server-error", "slow", "not-found"), activation)
      .map(([name, body]) => controlCall("PUT", `/scenarios/${name}`, body)),
    fc
      .tuple(fc.constantFrom("own", "conflict"), activation, fc.array(ruleBody, { minLength: 1, maxLength: 2 }))
      .map(([name, body, rules]) => controlCall("PUT", `/scenarios/${name}`, { ...body, rules })),
    fc
      .tuple(fc.constantFrom("conflict", "server-error", "own"), activation, fc.array(ruleBody, { maxLength: 2 }))
      .map(([name, body, rules]) => ({
        path: `/__admin/scenarios/${name}`,
        init: json("PUT", { ...body, ...(rules.length > 0 && { rules }) }),
      })),
    fc
      .constantFrom<object>(
        { rateLimit: { limit: 5, window: 1000 } },
        { rateLimit: null },
        { latency: { lognormal: { median: 10, sigma: 1 } } },
        { collection: "paged", unknownIds: "not-found" },
        { validation: "off" },
        { journalSize: 3 },
        { journalSize: 1000, auth: "off" },
      )
      .map((body) => controlCall("PATCH", "/settings", body)),
    fc
      .constantFrom<object>({ frozen: true }, { frozen: false }, { advance: 12_345 }, { now: 1_800_000_000_000 })
      .map((body) => controlCall("PUT", "/clock", body)),
    fc.constantFrom("one", "two").map((name) => controlCall("POST", "/snapshots", { name })),
    fc.constantFrom("one", "two").map((name) => controlCall("POST", `/snapshots/${name}/restore`)),
    fc.constant(controlCall("POST", "/resources", { generate: 3 })),
    ...own.map((call) => fc.constant(call)),
    fc.constant(controlCall("DELETE", "/requests")),
    fc.constant(controlCall("POST", "/reset")),
  );
}

/** A service of a property test. */
export interface Subject {
  readonly name: string;
  readonly service: Service;
  /** A request to the service. */
  readonly request: fc.Arbitrary<Call>;
  /** A call of the control API. */
  readonly control: fc.Arbitrary<Call>;
  /** The path of a request that opens the project. */
  readonly first: string;
  /** Paths in the project that return what else the control API shows. */
  readonly readings: readonly string[];
  readonly history: fc.Arbitrary<Call[]>;
}

/** Returns a service with random histories. */
export function subjectOf(subject: Omit<Subject, "history">): Subject {
  const { request, control } = subject;
  const call = fc.oneof({ weight: 3, arbitrary: request }, { weight: 2, arbitrary: control });
  return { ...subject, history: fc.array(call, { maxLength: 40, size: "max" }) };
}

/** The built-in service, and its histories. */
export const builtIn = subjectOf({
  name: "the built-in service",
  service: defaultService,
  request,
  control: controlOf(
    ["getResourceById", "createResource", "updateResource"],
    [controlCall("PUT", "/namespace-action", { body: null })],
  ),
  first: "/p/resource",
  readings: ["/images"],
});
export const { control, history } = builtIn;
