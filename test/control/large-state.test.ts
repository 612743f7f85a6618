import { describe, expect, test } from "vitest";
import { collectionIn, fileItem } from "../../src/state/index.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { MiB } from "../setup/large.ts";
import { pausesDuring } from "../setup/meanwhile.ts";
import { json, type MockUnderTest, newProject, onAllTransports, useMock } from "../setup/mock.ts";

const at = "2025-01-01T00:00:00.000Z";

/** Returns resources in the format of an export. */
function resourcesOf(count: number, extra: object = {}) {
  return Array.from({ length: count }, (_, index) => ({
    id: `id-${(index * 7919) % 1_000_003}`,
    key: `key-${(index * 104_729) % 1_000_003}`,
    version: 3,
    createdAt: at,
    lastModifiedAt: at,
    objectTypeProperty: { arrayOfIntExample: [index, 2] },
    ...extra,
  }));
}

const idsIn = (mock: MockUnderTest, project: string) =>
  mock.inside(project, ({ state }) => Array.from(collectionIn(state, "Resource").items.values(), ({ id }) => id));

describe("long lists", () => {
  const mock = useMock("over a socket");
  const _call = (project: string, method: string, path: string, body: unknown) =>
    mock.fetch(`/__admin/projects/${project}${path}`, json(method, body));

  describe.each([
    ["an import", "PUT", "/state", (resources: object[]) => ({ resources }), 204],
    ["added resources", "POST", "/resources", (resources: object[]) => resources, 201],
  ] as const)("of %s", (_name, method, path, bodyOf, status) => {
    test("keep their order", async () => {
      const project = newProject();
      const before = await idsIn(mock, project);
      const resources = resourcesOf(9000);
      expect((await inProject(mock, project, method, path, bodyOf(resources))).status).toBe(status);
      const kept = method === "POST" ? before : [];
      expect(await idsIn(mock, project)).toEqual([...kept, ...resources.map(({ id }) => id)]);
    });

    test("have at most 10,000 items", async () => {
      const items = Array.from({ length: 10_001 }, () => ({ objectTypeProperty: {} }));
      const reply = await inProject(mock, newProject(), method, path, bodyOf(items));
      expectProblem(reply, 400, "InvalidField", "expected at most 10000 items");
    });

    test("change nothing if the last item is invalid", async () => {
      const project = newProject();
      const before = await idsIn(mock, project);
      const last = method === "PUT" ? "/resources/3000" : "/3000";
      const invalid = [
        [{ objectTypeProperty: 1 }, `${last}/objectTypeProperty`, "expected object, found 1"],
        [{ id: "id-0", objectTypeProperty: {} }, `${last}/id`, "expected a unique id"],
      ] as const;
      for (const [item, pointer, detail] of invalid) {
        const body = bodyOf([...resourcesOf(3000), item]);
        const errors = expectProblem(await inProject(mock, project, method, path, body), 400, "InvalidField", detail);
        expect(errors.map((error) => error.pointer)).toEqual([pointer]);
      }
      expect(await idsIn(mock, project)).toEqual(before);
    });

    test("have one event", async () => {
      const project = newProject();
      await idsIn(mock, project);
      const events = await mock.fetch(`/__admin/projects/${project}/events`);
      await inProject(mock, project, method, path, bodyOf(resourcesOf(101)));
      await inProject(mock, project, "PUT", "/clock", { frozen: true });
      let text = "";
      for await (const bytes of events.body ?? []) {
        text += new TextDecoder().decode(bytes);
        if (text.includes("event: clock")) break;
      }
      expect(text.match(/"change":"\w+"/g)).toEqual(['"change":"all"']);
    });

    test("return 400 with the item that has an inexact number", async () => {
      const project = newProject();
      const text = JSON.stringify(bodyOf([...resourcesOf(2), { objectTypeProperty: {}, x: "HERE" }]));
      const send = (value: string) =>
        mock.fetch(`/__admin/projects/${project}${path}`, {
          method,
          body: text.replace('"HERE"', value),
          headers: { "Content-Type": "application/json" },
        });
      const pointer = method === "PUT" ? "/resources/2" : "/2";
      expect(await (await send("[1e400]")).json()).toMatchObject({
        status: 400,
        detail: expect.stringContaining(
          `${pointer}/x/0: expected a number that a 64-bit floating-point value can hold`,
        ),
        errors: [{ pointer: `${pointer}/x/0` }],
      });
    });
  });

  test("have at most 8 MiB and 200,000 JSON values", async () => {
    const project = newProject();
    const many = { objectTypeProperty: {}, numbers: Array(200_000).fill(1) };
    for (const [method, path, bodyOf] of [
      ["PUT", "/state", (resources: object[]) => ({ resources })],
      ["POST", "/resources", (resources: object[]) => resources],
    ] as const) {
      const reply = await inProject(mock, project, method, path, bodyOf([many]));
      expectProblem(reply, 400, "InvalidInput", "The body: expected at most 200000 JSON values, found more");
      const long = { objectTypeProperty: {}, text: "x".repeat(8 * MiB) };
      expectProblem(await inProject(mock, project, method, path, bodyOf([long])), 413, "ContentTooLarge");
    }
  });
});

// The responses exceed the longest string, so the test does not validate them.
describe("large exports", () => {
  const mock = useMock("over a socket", { checkResponses: false });

  test("that exceed the longest string are sent in pieces, and do not block other requests", async () => {
    const project = newProject();
    const image = new Uint8Array(10 * MiB).fill(7);
    await addImages(mock, project, 39, image);
    let size = 0;
    const { pauses } = await pausesDuring(mock, async () => {
      const response = await mock.fetch(`/__admin/projects/${project}/state`);
      expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "application/json"]);
      for await (const chunk of response.body ?? []) size += chunk.length;
      return response;
    });
    // The length of the longest string.
    expect(size).toBeGreaterThan(2 ** 29);
    expect(pauses).toBeGreaterThan(0);
  }, 60_000);

  test("contain no later writes", async () => {
    const [project, other] = [newProject(), newProject()];
    await inProject(mock, project, "PUT", "/state", { resources: resourcesOf(9000) });
    await inProject(mock, other, "PUT", "/state", { from: project });
    const response = await mock.fetch(`/__admin/projects/${project}/state`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body ?? []) {
      if (chunks.length === 0) await inProject(mock, project, "DELETE", "/resources/id-0");
      chunks.push(chunk);
    }
    const text = await (await mock.fetch(`/__admin/projects/${other}/state`)).text();
    expect(Buffer.concat(chunks).toString()).toBe(text);
  });

  test("can be imported, with images of every size", async () => {
    const [project, other] = [newProject(), newProject()];
    for (const size of [0, 1, 2, 3, 196_607, 196_608, 196_609, 786_431, 786_432, 786_433]) {
      const bytes = Uint8Array.from({ length: Math.min(size, 1000) }, (_, index) => index % 251);
      const image = new Uint8Array(size);
      image.set(bytes);
      await addImage(mock, project, { id: `image-${size}`, bytes: image });
    }
    const document = await (await mock.fetch(`/__admin/projects/${project}/state`)).text();
    const init = { method: "PUT", body: document, headers: { "Content-Type": "application/json" } };
    expect((await mock.fetch(`/__admin/projects/${other}/state`, init)).status).toBe(204);
    expect(await (await mock.fetch(`/__admin/projects/${other}/state`)).text()).toBe(document);
  });
});

onAllTransports(
  "a large export",
  { checkResponses: false, inOneProcess: "watches the store in the engine" },
  (mock) => {
    test("ends when the client disconnects", async () => {
      const project = newProject();
      await addImages(mock, project, 20, new Uint8Array(10 * MiB));
      const { items: images } = collectionIn(mock.engine.projects.get(project).state, "Image");
      const ended = Promise.withResolvers<number>();
      const values = images.values.bind(images);
      let read = 0;
      images.values = function* () {
        try {
          for (const image of values()) {
            read++;
            yield image;
          }
        } finally {
          ended.resolve(read);
        }
      };
      const response = await mock.fetch(`/__admin/projects/${project}/state`);
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
      expect(await ended.promise).toBeLessThan(20);
    });
  },
);

/** Adds images that share their bytes to the state of a project. */
async function addImages(mock: MockUnderTest, project: string, count: number, bytes: Uint8Array): Promise<void> {
  for (let index = 0; index < count; index++) await addImage(mock, project, { id: `image-${index}`, bytes });
}

async function addImage(mock: MockUnderTest, project: string, image: { id: string; bytes: Uint8Array }): Promise<void> {
  await mock.inside(project, (sandbox) =>
    sandbox.change((draft) => draft.put("Image", fileItem(image.id, at, { contentType: "image/png" }, image.bytes))),
  );
}
