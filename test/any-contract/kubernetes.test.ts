/**
 * The client of Kubernetes, with a document in the style of that service: versions in the metadata, and patches.
 * @module-tag tools
 */
import {
  ApiException,
  CoreV1Api,
  KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type StartedResourceMock, startResourceMock } from "../../src/library/resource-mock.ts";
import { configMaps as contract } from "./config-maps.ts";

let mock: StartedResourceMock;
beforeAll(async () => {
  mock = await startResourceMock({ contract });
});
afterAll(() => mock.close());

const namespace = "harbour";

/** Returns the client of a project. */
function open(name: string) {
  const config = new KubeConfig();
  const { baseUrl: server } = mock.project(name);
  config.loadFromClusterAndUser({ name: "mock", server, skipTLSVerify: true }, { name: "user", token: "any" });
  const api = config.makeApiClient(CoreV1Api);
  return {
    api,
    create: (name: string, data: Record<string, string> = {}, labels?: Record<string, string>) =>
      api.createNamespacedConfigMap({ namespace, body: { metadata: { name, ...(labels && { labels }) }, data } }),
    read: (name: string) => api.readNamespacedConfigMap({ namespace, name }),
    patch: (name: string, body: unknown, strategy: PatchStrategy) =>
      api.patchNamespacedConfigMap({ namespace, name, body }, setHeaderOptions("Content-Type", strategy)),
  };
}

const versionOf = ({ metadata }: V1ConfigMap) => Number(metadata?.resourceVersion);
const namesOf = ({ items }: { items: V1ConfigMap[] }) => items.map(({ metadata }) => metadata?.name);

/** Expects that the client throws for this status. Returns the body of the response as text. */
async function refused(call: Promise<unknown>, code: number): Promise<string> {
  const error = await call.then(
    (value) => expect.unreachable(`expected the status ${code}, found ${JSON.stringify(value)}`),
    (reason: unknown) => reason as ApiException<unknown>,
  );
  expect(error).toBeInstanceOf(ApiException);
  expect(error).toMatchObject({ code });
  return JSON.stringify(error.body);
}

test("a map is created with its name, a version and a time, and read", async () => {
  const { create, read } = open("create");
  const created = await create("tides", { high: "6:00" }, { app: "web" });
  expect(created).toMatchObject({
    metadata: { name: "tides", namespace, labels: { app: "web" } },
    data: { high: "6:00" },
  });
  expect(created.metadata).toMatchObject({ uid: expect.any(String), resourceVersion: expect.stringMatching(/^\d+$/) });
  expect(created.metadata?.creationTimestamp?.getTime()).toBeGreaterThan(Date.parse("2024-01-01"));
  expect(await read("tides")).toEqual(created);
  await refused(create("tides"), 409);
});

test("a namespace lists only its own maps", async () => {
  const { api, create } = open("namespaces");
  await create("tides");
  await api.createNamespacedConfigMap({ namespace: "river", body: { metadata: { name: "locks" } } });
  expect(namesOf(await api.listNamespacedConfigMap({ namespace }))).toEqual(["tides"]);
  expect(namesOf(await api.listNamespacedConfigMap({ namespace: "river" }))).toEqual(["locks"]);
  await refused(api.readNamespacedConfigMap({ namespace: "river", name: "tides" }), 404);
});

test("maps are listed page by page", async () => {
  const { api, create } = open("pages");
  const names = ["a", "b", "c", "d", "e"];
  for (const name of names) await create(name);
  const pages: (string | undefined)[][] = [];
  let next: string | undefined;
  do {
    const page = await api.listNamespacedConfigMap({ namespace, limit: 2, ...(next && { _continue: next }) });
    pages.push(namesOf(page));
    next = page.metadata?._continue;
  } while (next && pages.length < 10);
  expect(pages).toEqual([["a", "b"], ["c", "d"], ["e"]]);
});

test("a label selector finds maps, or is named as a parameter without effect", async () => {
  const { api, create } = open("labels");
  await create("tides", {}, { app: "web" });
  await create("locks", {}, { app: "gates" });
  const list = await api.listNamespacedConfigMapWithHttpInfo({ namespace, labelSelector: "app=web" });
  expect([list.headers["mock-ignored"], namesOf(list.data)]).toEqual(
    list.headers["mock-ignored"] ? ["labelSelector", ["tides", "locks"]] : [undefined, ["tides"]],
  );
});

test("a replacement with the current version succeeds, and one with a stale version fails", async () => {
  const { api, create, read } = open("replace");
  const first = await create("tides", { high: "6:00", low: "0:00" });
  const replace = (body: V1ConfigMap) => api.replaceNamespacedConfigMap({ namespace, name: "tides", body });
  const second = await replace({ ...first, data: { high: "7:00" } });
  expect(second).toMatchObject({ metadata: { name: "tides", uid: first.metadata?.uid }, data: { high: "7:00" } });
  expect(second.data).toEqual({ high: "7:00" });
  expect(versionOf(second)).toBeGreaterThan(versionOf(first));
  await refused(replace({ ...first, data: { high: "8:00" } }), 409);
  expect(await read("tides")).toEqual(second);
  const { resourceVersion: _version, ...metadata } = second.metadata ?? {};
  expect((await replace({ metadata, data: { high: "9:00" } })).data).toEqual({ high: "9:00" });
});

const merges = [PatchStrategy.MergePatch, PatchStrategy.StrategicMergePatch];

test.each(merges)("a patch of the type %s merges members, and removes those that are null", async (strategy) => {
  const { create, patch, read } = open(strategy);
  const created = await create("tides", { high: "6:00", low: "0:00" }, { app: "web" });
  const body = { metadata: { labels: { tier: "front" } }, data: { low: null, next: "18:00" } };
  const patched = await patch("tides", body, strategy);
  expect(patched.data).toEqual({ high: "6:00", next: "18:00" });
  expect(patched.metadata?.labels).toEqual({ app: "web", tier: "front" });
  expect(patched.metadata).toMatchObject({ name: "tides", uid: created.metadata?.uid });
  expect(versionOf(patched)).toBeGreaterThan(versionOf(created));
  expect(await read("tides")).toEqual(patched);
  const resourceVersion = created.metadata?.resourceVersion;
  await refused(patch("tides", { metadata: { resourceVersion }, data: { high: "lost" } }, strategy), 409);
  expect(await read("tides")).toEqual(patched);
});

test("a JSON Patch changes the members that it names, if all its tests hold", async () => {
  const { create, patch, read } = open("json-patch");
  const created = await create("tides", { high: "6:00", "a/b": "1" }, { app: "web" });
  const patched = await patch(
    "tides",
    [
      { op: "test", path: "/data/high", value: "6:00" },
      { op: "test", path: "/metadata/resourceVersion", value: created.metadata?.resourceVersion },
      { op: "replace", path: "/data/high", value: "7:00" },
      { op: "move", from: "/data/a~1b", path: "/data/moved" },
      { op: "copy", from: "/data/high", path: "/data/copied" },
      { op: "add", path: "/metadata/labels/tier", value: "front" },
      { op: "remove", path: "/metadata/labels/app" },
    ],
    PatchStrategy.JsonPatch,
  );
  expect(patched.data).toEqual({ high: "7:00", moved: "1", copied: "7:00" });
  expect(patched.metadata?.labels).toEqual({ tier: "front" });
  expect(versionOf(patched)).toBeGreaterThan(versionOf(created));
  const failing = [
    { op: "replace", path: "/data/high", value: "lost" },
    { op: "test", path: "/data/moved", value: "2" },
  ];
  const { status } = await patch("tides", failing, PatchStrategy.JsonPatch).then(
    () => ({ status: 200 }),
    ({ code: status }: ApiException<unknown>) => ({ status }),
  );
  expect([409, 422]).toContain(status);
  const missing = [{ op: "replace", path: "/data/none/below", value: "lost" }];
  expect(await refused(patch("tides", missing, PatchStrategy.JsonPatch), 400)).toContain("/data/none/below");
  expect(await read("tides")).toEqual(patched);
});

test("a JSON Patch is what the client sends by default", async () => {
  const { api, create } = open("by-default");
  await create("tides", { high: "6:00" });
  const body = [{ op: "add", path: "/data/low", value: "0:00" }];
  const { data } = await api.patchNamespacedConfigMap({ namespace, name: "tides", body });
  expect(data).toEqual({ high: "6:00", low: "0:00" });
});

test("a deleted map is not found, and its name is free again", async () => {
  const { api, create, read } = open("delete");
  const first = await create("tides");
  await create("locks");
  expect(await api.deleteNamespacedConfigMap({ namespace, name: "tides", gracePeriodSeconds: 0 })).toBeDefined();
  await refused(read("tides"), 404);
  await refused(api.deleteNamespacedConfigMap({ namespace, name: "tides" }), 404);
  expect(namesOf(await api.listNamespacedConfigMap({ namespace }))).toEqual(["locks"]);
  const again = await create("tides");
  expect(again.metadata?.uid).not.toBe(first.metadata?.uid);
});
