import { expect, test } from "vitest";
import { MemoryStore } from "../../src/state/memory-store.ts";
import type { StateChange } from "../../src/state/store.ts";
import { describeStore, recordWith } from "./store.contract.ts";

describeStore("in memory", () => new MemoryStore());

describeStore(
  "in memory, with a captured initial state",
  () => new MemoryStore({ initial: new MemoryStore().capture() }),
);

test("stores with the same captured initial state are independent", async () => {
  const seed = new MemoryStore();
  await seed.compareAndSet("a", 0, recordWith("a"));
  const state = await seed.capture();
  const [one, two] = [new MemoryStore({ initial: state }), new MemoryStore({ initial: state })];
  await one.compareAndSet("a", 1, undefined);
  await two.compareAndSet("b", 0, recordWith("b"));
  expect([await one.size(), await two.size(), await seed.size()]).toEqual([0, 2, 1]);
});

test("reports each write, and more than 100 added records as one change", async () => {
  const changes: StateChange[] = [];
  const store = new MemoryStore({ onChange: (change) => changes.push(change) });
  const [first, second] = [recordWith("a"), recordWith("a", { version: 2 })];
  await store.compareAndSet("a", 0, first);
  await store.compareAndSet("a", 1, second);
  await store.compareAndSet("a", 1, second);
  await store.compareAndSet("a", 2, undefined);
  await store.addAll([recordWith("b"), recordWith("c")]);
  await store.addAll([recordWith("b")]);
  await store.compareAndSet("none", 0, undefined);
  expect(changes).toEqual([
    { change: "created", record: first },
    { change: "updated", record: second },
    { change: "deleted", record: second },
    { change: "created", record: recordWith("b") },
    { change: "created", record: recordWith("c") },
  ]);

  changes.length = 0;
  const image = { id: "i", contentType: "image/png", uploadedAt: first.createdAt, bytes: new Uint8Array([1]) };
  await store.addImage(image);
  expect(changes).toEqual([{ change: "uploaded", image }]);

  changes.length = 0;
  const some = Array.from({ length: 100 }, (_, index) => recordWith(`some-${index}`));
  await store.addAll(some);
  expect(changes).toEqual(some.map((record) => ({ change: "created", record })));

  changes.length = 0;
  await store.addAll(Array.from({ length: 101 }, (_, index) => recordWith(`many-${index}`)));
  await store.restore(await store.capture());
  await store.replace(await store.contents());
  expect(changes).toEqual([{ change: "all" }, { change: "all" }, { change: "all" }]);
});

test.each(["replace", "addAll"] as const)("%s lets other work run, which sees all records or none", async (name) => {
  const store = new MemoryStore();
  const records = Array.from({ length: 30_000 }, (_, index) => recordWith(`${(index * 7919) % 30_011}`));
  const sizes: number[] = [];
  let isDone = false;
  const turn = () => {
    sizes.push(store.size());
    if (!isDone) setImmediate(turn);
  };
  turn();
  if (name === "addAll") await store.addAll(records);
  else await store.replace({ ...store.contents(), records });
  isDone = true;
  expect(sizes.length).toBeGreaterThan(2);
  expect(new Set(sizes)).toEqual(new Set([0]));
  expect(store.size()).toBe(30_000);
});
