import fc from "fast-check";
import { expect, test } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { readFiles } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import { defaultService } from "../../src/services/index.ts";
import { json as anyJson } from "../setup/arbitraries.ts";
import type { Call } from "../setup/histories.ts";
import { json } from "../setup/mock.ts";
import { runs } from "../setup/runs.ts";

const files = await readFiles();
const keys = ["one", "two", "three"];

interface Sizes {
  readonly projects: readonly { readonly key: string; readonly bytes: number }[];
  readonly state: { readonly bytes: number };
}

/** Opens a server whose projects start empty, so that an export contains everything that counts. */
function openServer(maxStateBytes?: number) {
  const fixtures = { ...files.fixtures, seed: new Map() };
  const engine = createEngine({ ...files, fixtures, maxStateBytes, now: () => 1_700_000_000_000 });
  const app = createApp(engine, { version: "0.0.0-test", pages, controls: defaultService.controls });
  const send = async ({ path, init }: Call) =>
    app.fetch(new Request(`http://in.process/__admin/projects${path}`, init));
  const read = async (path: string) => (await send({ path, init: {} })).text();
  return {
    send,
    read,
    sizes: async () => JSON.parse(await read("")) as Sizes,
    async closeAll() {
      for (const key of keys) await send({ path: `/${key}`, init: { method: "DELETE" } });
    },
  };
}

const call = (method: string, path: string, body?: unknown) => (key: string) => ({
  path: `/${key}${path}`,
  init: body === undefined ? { method } : json(method, body),
});

const id = fc.constantFrom("a", "b", "c", "d");
const name = fc.constantFrom("one", "two");
const resource = fc.record(
  {
    objectTypeProperty: fc.constant({}),
    key: fc.constantFrom("k", "l"),
    note: anyJson,
    text: fc.nat(2000).map((length) => "x".repeat(length)),
  },
  {
    requiredKeys: ["objectTypeProperty"],
  },
);

/** Calls after which no two projects or snapshots share resources that a later call replaces. */
const change = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(id, resource).map(([id, body]) => call("PUT", `/resources/${id}`, body)) },
  { weight: 3, arbitrary: id.map((id) => call("DELETE", `/resources/${id}`)) },
  fc.array(resource, { maxLength: 3 }).map((bodies) => call("POST", "/resources", bodies)),
  fc.tuple(id, fc.nat(3000)).map(([id, size]) => {
    const base64 = Buffer.alloc(size).toString("base64");
    return call("POST", "/images", { id, contentType: "image/png", base64 });
  }),
  id.map((id) => call("DELETE", `/images/${id}`)),
  anyJson.map((body) => call("PUT", "/namespace-action", { body })),
  fc.constant(call("DELETE", "/namespace-action")),
  { weight: 3, arbitrary: name.map((name) => call("POST", "/snapshots", { name })) },
  { weight: 2, arbitrary: name.map((name) => call("DELETE", `/snapshots/${name}`)) },
  fc.constant(call("POST", "/reset")),
  fc.constant(call("DELETE", "")),
);
const sharing = fc.oneof(
  { weight: 4, arbitrary: change },
  name.map((name) => call("POST", `/snapshots/${name}/restore`)),
  fc.constantFrom(...keys).map((from) => call("PUT", "/state", { from })),
);
const stepsOf = (each: typeof change, maxLength: number) =>
  fc.array(
    fc.tuple(each, fc.constantFrom(...keys)).map(([callIn, key]) => callIn(key)),
    { maxLength, size: "max" },
  );

test("the bytes of projects depend only on their content, and are 0 after all are closed", async () => {
  await fc.assert(
    fc.asyncProperty(stepsOf(change, 60), async (steps) => {
      const [server, copy] = [openServer(), openServer()];
      for (const step of steps) await server.send(step);
      for (const { key } of (await server.sizes()).projects) {
        for (const each of ["one", "two"]) await server.send(call("DELETE", `/snapshots/${each}`)(key));
        const body = await server.read(`/${key}/state`);
        const headers = { "Content-Type": "application/json" };
        expect((await copy.send({ path: `/${key}/state`, init: { method: "PUT", body, headers } })).status).toBe(204);
        expect(await copy.read(`/${key}/state`)).toBe(body);
      }
      expect(await server.sizes()).toMatchObject({ state: (await copy.sizes()).state });
      await server.closeAll();
      expect((await server.sizes()).state.bytes).toBe(0);
    }),
    runs(20, 150),
  );
});

test("a write beyond the limit changes nothing, and calls that free bytes always succeed", async () => {
  const limit = 15_000;
  await fc.assert(
    fc.asyncProperty(stepsOf(sharing, 80), async (steps) => {
      const server = openServer(limit);
      for (const step of steps) {
        const [key = ""] = step.path.split("/").slice(1, 2);
        const shown = async () => [await server.sizes(), await server.read(`/${key}/state`)] as const;
        const before = await shown();
        const { status } = await server.send(step);
        const after = await shown();
        if (status === 507) {
          expect(["PUT", "POST"]).toContain(step.init.method);
          expect(after[1]).toBe(before[1]);
          expect(after[0].state).toEqual(before[0].state);
        } else if (step.init.method !== "DELETE") {
          // A delete can add bytes: it adds tombstones, while a snapshot may keep the resource.
          expect(after[0].state.bytes).toBeLessThanOrEqual(Math.max(limit, before[0].state.bytes));
        }
        const sum = after[0].projects.reduce((bytes, project) => bytes + project.bytes, 0);
        expect(sum).toBeLessThanOrEqual(after[0].state.bytes);
      }
      await server.closeAll();
      expect((await server.sizes()).state.bytes).toBe(0);
    }),
    runs(20, 150),
  );
});
