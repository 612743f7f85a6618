import fc from "fast-check";
import { expect, test } from "vitest";
import { ServiceError } from "../../src/contract/service-error.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { readFiles } from "../../src/mock.ts";
import type { Project } from "../../src/projects/project.ts";
import type { Part } from "../../src/state/layer.ts";
import type { ResourceRecord } from "../../src/state/record.ts";
import { bytesOfRecord } from "../../src/state/size.ts";
import type { StateCapture } from "../../src/state/store.ts";
import { json } from "../setup/arbitraries.ts";
import { runs } from "../setup/runs.ts";
import { recordWith } from "./store.contract.ts";

const files = await readFiles();
const seededId = files.fixtures.seed[0]?.id ?? "";

const project = fc.constantFrom("one", "two", "three");
const name = fc.constantFrom("a", "b", "c");
/** Includes the id of the seeded resource, so that shared state is replaced and deleted too. */
const id = fc.constantFrom(seededId, "r-1", "r-2", "r-3");
const key = fc.constantFrom(undefined, "k-1", "k-2");

const onOneLine = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("write" as const), project, id, key, content: json }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), project, id }) },
  fc.record({ kind: fc.constant("add" as const), project, content: fc.array(json, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant("upload" as const), project, size: fc.nat(3000) }),
  fc.record({ kind: fc.constant("drop" as const), project, which: fc.nat(3) }),
  fc.record({ kind: fc.constant("post" as const), project, content: json }),
  fc.record({ kind: fc.constant("clear" as const), project }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("take" as const), project, name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("forget" as const), project, name }) },
  fc.record({ kind: fc.constant("import" as const), project }),
  fc.record({ kind: fc.constant("reset" as const), project }),
  fc.record({ kind: fc.constant("close" as const), project }),
);
const branching = fc.oneof(
  { weight: 3, arbitrary: onOneLine },
  fc.record({ kind: fc.constant("restore" as const), project, name }),
  fc.record({ kind: fc.constant("fork" as const), project, from: project }),
);
type Step = typeof branching extends fc.Arbitrary<infer Value> ? Value : never;

let number = 0;

async function take(engine: Engine, step: Step): Promise<void> {
  const { projects } = engine;
  const { store, snapshots } = projects.get(step.project);
  switch (step.kind) {
    case "write": {
      const version = (await store.get(step.id))?.version ?? 0;
      const { id, key, content } = step;
      await store.compareAndSet(id, version, recordWith(id, { version: version + 1, key, content }));
      break;
    }
    case "delete": {
      const version = (await store.get(step.id))?.version;
      if (version !== undefined) await store.compareAndSet(step.id, version, undefined);
      break;
    }
    case "add":
      await store.addAll(step.content.map((content) => recordWith(`added-${++number}`, { content })));
      break;
    case "upload": {
      // A part of a larger buffer, like bytes from a socket.
      const bytes = new Uint8Array(4000).subarray(0, step.size);
      await store.addImage({ id: `i-${++number}`, contentType: "image/png", uploadedAt: "", bytes });
      break;
    }
    case "drop": {
      const image = [...(await store.listImages())][step.which];
      if (image) await store.deleteImage(image.id);
      break;
    }
    case "clear":
      await store.setFacts({ namespaceAction: undefined });
      break;
    case "post":
      await store.setFacts({ namespaceAction: { body: step.content } });
      break;
    case "take":
      await projects.get(step.project).takeSnapshot(step.name);
      break;
    case "forget":
      snapshots.delete(step.name, store);
      break;
    case "import":
      await store.replace(await store.contents());
      break;
    case "restore": {
      const snapshot = snapshots.get(step.name);
      if (snapshot) await store.restore(snapshot.state);
      break;
    }
    case "fork": {
      const other = projects.get(step.from).store;
      const state = await other.capture();
      await store.restore(state);
      await other.release(state);
      break;
    }
    case "reset":
      engine.resetProject(step.project);
      break;
    case "close":
      engine.closeProject(step.project);
  }
}

/** The parts of a captured state. */
interface Parts {
  readonly byId: { values(): Iterable<Part & { record: ResourceRecord }> };
  readonly deletedIds: { values(): Iterable<Part> };
  readonly deletedKeys: { values(): Iterable<Part> };
  readonly imagesById: { values(): Iterable<Part> };
  readonly body: Part | undefined;
}

function partsOf(state: StateCapture): Part[] {
  const { byId, deletedIds, deletedKeys, imagesById, body } = state as unknown as Parts;
  for (const { record, bytes } of byId.values()) expect(bytes).toBe(bytesOfRecord(record));
  return [
    ...byId.values(),
    ...deletedIds.values(),
    ...deletedKeys.values(),
    ...imagesById.values(),
    ...(body ? [body] : []),
  ];
}

/** Returns the bytes of all states and snapshots. Counts each part once, and not the seed. */
async function counted({ projects }: Engine, seed: ReadonlySet<Part>): Promise<number> {
  const parts = new Set<Part>();
  let snapshots = 0;
  const add = (state: StateCapture) => {
    for (const part of partsOf(state)) if (!seed.has(part)) parts.add(part);
  };
  for (const { store, snapshots: taken } of projects.all()) {
    const state = await store.capture();
    add(state);
    await store.release(state);
    for (const { state } of taken.values()) add(state);
    snapshots += taken.size;
  }
  let bytes = snapshots * BYTES_OF_A_SNAPSHOT;
  for (const part of parts) bytes += part.bytes;
  return bytes;
}

/** The bytes of a snapshot whose name has one character. */
const BYTES_OF_A_SNAPSHOT = 4096 + 34;

async function seedOf(engine: Engine): Promise<ReadonlySet<Part>> {
  const { store } = engine.projects.get("untouched");
  const state = await store.capture();
  await store.release(state);
  engine.closeProject("untouched");
  return new Set(partsOf(state));
}

/** Returns the whole state of a project, with its snapshots. */
async function contentsOf({ store, snapshots }: Project) {
  const { records, images, deleted, ...rest } = await store.contents();
  const tombstones = { ids: [...deleted.ids], keys: [...deleted.keys] };
  return { ...rest, records: [...records], images: [...images], tombstones, snapshots: [...snapshots.values()] };
}

function expectSumOfProjects({ projects, budget }: Engine): void {
  const sum = [...projects.all()].reduce((bytes, { account }) => bytes + account.bytes, 0);
  expect(sum).toBeLessThanOrEqual(budget.bytes);
}

test("the budget counts the bytes of the stored parts after each step, and 0 after all projects are closed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(onOneLine, { maxLength: 60 }), async (steps) => {
      const engine = createEngine(files);
      const seed = await seedOf(engine);
      for (const step of steps) {
        await take(engine, step);
        expect(engine.budget.bytes).toBe(await counted(engine, seed));
        expectSumOfProjects(engine);
      }
      await engine.projects.closeAll();
      expect(engine.budget.bytes).toBe(0);
    }),
    runs(150),
  );
});

test("restored and forked states count shared parts once, and never too few bytes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(branching, { maxLength: 60 }), async (steps) => {
      const engine = createEngine(files);
      const seed = await seedOf(engine);
      for (const step of steps) {
        await take(engine, step);
        expect(engine.budget.bytes).toBeGreaterThanOrEqual(await counted(engine, seed));
        expectSumOfProjects(engine);
      }
      // Only one state is left, so parts that other states have replaced do not count.
      engine.closeProject("two");
      engine.closeProject("three");
      const { store, snapshots, account } = engine.projects.get("one");
      snapshots.clear(store);
      expect(engine.budget.bytes).toBe(await counted(engine, seed));
      expect(engine.budget.bytes).toBe(account.bytes);
      engine.closeProject("one");
      expect(engine.budget.bytes).toBe(0);
    }),
    runs(150),
  );
});

test("a write beyond the limit changes nothing, and steps that free bytes always succeed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(branching, { maxLength: 80 }), async (steps) => {
      const engine = createEngine({ ...files, maxStateBytes: 15_000 });
      for (const step of steps) {
        const project = engine.projects.get(step.project);
        const before = { contents: await contentsOf(project), bytes: engine.budget.bytes };
        try {
          await take(engine, step);
          // A delete can add bytes: it adds tombstones, while a snapshot may keep the resource.
          if (step.kind !== "delete") {
            expect(engine.budget.bytes).toBeLessThanOrEqual(Math.max(engine.budget.limit, before.bytes));
          }
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
          expect(error).toMatchObject({ code: "InsufficientStorage" });
          expect(["write", "add", "upload", "post", "take", "import"]).toContain(step.kind);
          expect({ contents: await contentsOf(project), bytes: engine.budget.bytes }).toEqual(before);
        }
      }
      await engine.projects.closeAll();
      expect(engine.budget.bytes).toBe(0);
    }),
    runs(150),
  );
});
