import { beforeEach, describe, expect, test } from "vitest";
import type { StoredImage } from "../../src/state/image.ts";
import type { ResourceRecord } from "../../src/state/record.ts";
import type { Store } from "../../src/state/store.ts";

/** Returns a minimal record. */
export function recordWith(id: string, more: Partial<ResourceRecord> = {}): ResourceRecord {
  const at = "2025-01-01T00:00:00.000Z";
  return { id, version: 1, createdAt: at, lastModifiedAt: at, objectTypeProperty: {}, ...more };
}

const image: StoredImage = {
  id: "i",
  contentType: "image/png",
  uploadedAt: "2025-01-01T00:00:00.000Z",
  bytes: new Uint8Array([1, 2, 3]),
};

/** Tests that every implementation of a store must pass. `create` returns an empty store. */
export function describeStore(name: string, create: () => Store | Promise<Store>): void {
  describe(`the store ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await create();
    });

    const ids = async () => Array.from(await store.list(), ({ id }) => id);

    test("returns a written record by id and key", async () => {
      const record = recordWith("a", { key: "k" });
      expect(await store.compareAndSet("a", 0, record)).toBe("done");
      expect([await store.get("a"), await store.getByKey("k"), await store.size()]).toEqual([record, record, 1]);
      expect([await store.get("k"), await store.getByKey("a")]).toEqual([undefined, undefined]);
    });

    test("returns the last written record by id and key", async () => {
      await store.compareAndSet("a", 0, recordWith("a", { key: "k" }));
      const next = recordWith("a", { key: "k", version: 2 });
      expect(await store.compareAndSet("a", 1, next)).toBe("done");
      expect([await store.get("a"), await store.getByKey("k"), ...(await store.list())]).toEqual([next, next, next]);
    });

    test("replaces only the expected version", async () => {
      await store.compareAndSet("a", 0, recordWith("a", { version: 3 }));
      expect(await store.compareAndSet("a", 0, recordWith("a", { version: 9 }))).toBe("stale");
      expect(await store.compareAndSet("a", 2, recordWith("a", { version: 9 }))).toBe("stale");
      expect(await store.compareAndSet("b", 1, recordWith("b", { version: 9 }))).toBe("stale");
      expect(await store.compareAndSet("a", 2, undefined)).toBe("stale");
      expect(await store.get("a")).toMatchObject({ version: 3 });
      expect(await store.compareAndSet("a", 3, recordWith("a", { version: 9 }))).toBe("done");
      expect(await store.get("a")).toMatchObject({ version: 9 });
    });

    test("replaces only the expected record, if another one has its version", async () => {
      const first = recordWith("a", { version: 3 });
      const second = recordWith("a", { version: 3, colour: "blue" });
      await store.compareAndSet("a", 0, first);
      expect(await store.compareAndSet("a", first, second)).toBe("done");
      expect(await store.compareAndSet("a", first, undefined)).toBe("stale");
      expect(await store.compareAndSet("b", first, recordWith("b"))).toBe("stale");
      expect(await store.get("a")).toEqual(second);
      expect(await store.compareAndSet("a", second, undefined)).toBe("done");
    });

    test("lets one of many writers at the same version win", async () => {
      await store.compareAndSet("a", 0, recordWith("a"));
      const writers = Array.from({ length: 20 }, (_, writer) =>
        Promise.resolve(store.compareAndSet("a", 1, recordWith("a", { version: 2, writer }))),
      );
      const results = await Promise.all(writers);
      expect(results.filter((result) => result === "done")).toHaveLength(1);
      expect(await store.get("a")).toMatchObject({ writer: results.indexOf("done") });
    });

    test("rejects a key of another resource", async () => {
      await store.compareAndSet("a", 0, recordWith("a", { key: "k" }));
      expect(await store.compareAndSet("b", 0, recordWith("b", { key: "k" }))).toBe("key-taken");
      expect(await store.get("b")).toBeUndefined();
      await store.compareAndSet("a", 1, recordWith("a", { version: 2, key: "other" }));
      expect([await store.getByKey("k"), await store.wasDeleted({ key: "k" })]).toEqual([undefined, true]);
      expect(await store.compareAndSet("b", 0, recordWith("b", { key: "k" }))).toBe("done");
    });

    test("deleting an unknown resource leaves no tombstone", async () => {
      expect(await store.compareAndSet("a", 0, undefined)).toBe("done");
      expect([await store.get("a"), await store.size(), await store.wasDeleted({ id: "a" })]).toEqual([
        undefined,
        0,
        false,
      ]);
    });

    test("knows a deleted id or key until it is created again", async () => {
      await store.compareAndSet("a", 0, recordWith("a", { key: "k" }));
      expect([await store.wasDeleted({ id: "a" }), await store.wasDeleted({ key: "k" })]).toEqual([false, false]);
      expect(await store.compareAndSet("a", 1, undefined)).toBe("done");
      expect([await store.get("a"), await store.getByKey("k"), await store.size()]).toEqual([undefined, undefined, 0]);
      expect([await store.wasDeleted({ id: "a" }), await store.wasDeleted({ key: "k" })]).toEqual([true, true]);
      await store.compareAndSet("a", 0, recordWith("a"));
      expect([await store.wasDeleted({ id: "a" }), await store.wasDeleted({ key: "k" })]).toEqual([false, true]);
      await store.compareAndSet("a", 1, recordWith("a", { version: 2, key: "k" }));
      expect(await store.wasDeleted({ key: "k" })).toBe(false);
    });

    test("lists in the order of creation, without later writes", async () => {
      for (const id of ["c", "a", "b"]) await store.compareAndSet(id, 0, recordWith(id));
      await store.compareAndSet("a", 1, recordWith("a", { version: 2 }));
      const before = await store.list();
      await store.compareAndSet("c", 1, undefined);
      await store.compareAndSet("d", 0, recordWith("d"));
      expect(Array.from(before, ({ id }) => id)).toEqual(["c", "a", "b"]);
      await store.compareAndSet("c", 0, recordWith("c"));
      expect(await ids()).toEqual(["a", "b", "d", "c"]);
    });

    test("adds records all or none", async () => {
      await store.compareAndSet("a", 0, recordWith("a", { key: "k" }));
      expect(await store.addAll([recordWith("b"), recordWith("a")])).toBe(false);
      expect(await store.addAll([recordWith("b"), recordWith("c", { key: "k" })])).toBe(false);
      expect(await store.addAll([recordWith("b"), recordWith("b")])).toBe(false);
      expect(await store.addAll([recordWith("b", { key: "x" }), recordWith("c", { key: "x" })])).toBe(false);
      expect(await ids()).toEqual(["a"]);
      expect(await store.addAll([recordWith("c", { key: "x" }), recordWith("b")])).toBe(true);
      expect(await store.addAll([])).toBe(true);
      const many = Array.from({ length: 101 }, (_, index) => recordWith(`many-${index}`));
      expect(await (await create()).addAll(many)).toBe(true);
      expect([await ids(), await store.getByKey("x")]).toEqual([["a", "c", "b"], recordWith("c", { key: "x" })]);
    });

    test("keeps each fact until it is set again", async () => {
      expect(await store.facts()).toEqual({});
      await store.setFacts({ lastWritten: "a" });
      await store.setFacts({ namespaceAction: { body: null } });
      expect(await store.facts()).toEqual({ lastWritten: "a", namespaceAction: { body: null } });
      await store.setFacts({ namespaceAction: undefined });
      expect(await store.facts()).toEqual({ lastWritten: "a" });
    });

    test("returns consecutive numbers", async () => {
      expect([await store.nextNumber(), await store.nextNumber(), await store.nextNumber()]).toEqual([1, 2, 3]);
    });

    test("keeps images in the order of upload", async () => {
      await store.addImage(image);
      await store.addImage({ ...image, id: "h" });
      expect(Array.from(await store.listImages(), ({ id }) => id)).toEqual(["i", "h"]);
      expect([await store.getImage("i"), await store.getImage("x")]).toEqual([image, undefined]);
    });

    test("deletes images, and adds others after the last one", async () => {
      for (const id of ["a", "b", "c"]) expect(await store.addImage({ ...image, id })).toBe(true);
      expect(await store.addImage({ ...image, id: "b" })).toBe(false);
      expect([await store.deleteImage("a"), await store.deleteImage("a")]).toEqual([true, false]);
      await store.addImage({ ...image, id: "d" });
      await store.deleteImage("d");
      await store.addImage({ ...image, id: "a" });
      expect(Array.from(await store.listImages(), ({ id }) => id)).toEqual(["b", "c", "a"]);
      expect([await store.imageCount(), await store.getImage("d")]).toEqual([3, undefined]);
    });

    test("restores a captured state several times; writes do not change the capture", async () => {
      await store.compareAndSet("a", 0, recordWith("a", { key: "k" }));
      await store.setFacts({ lastWritten: "a" });
      await store.nextNumber();
      const captured = await store.capture();
      const before = await everything(store);
      // No reads between a restore and the next writes: a read could protect the capture too.
      for (let time = 0; time < 3; time++) {
        await store.compareAndSet("a", 1, undefined);
        await store.compareAndSet("b", 0, recordWith("b"));
        await store.setFacts({ lastWritten: "b" });
        await store.addImage(image);
        await store.nextNumber();
        if (time === 0) expect(await everything(store)).not.toEqual(before);
        await store.restore(captured);
      }
      expect(await everything(store)).toEqual(before);
    });

    test("replaces its contents by the contents of another store", async () => {
      const other = await create();
      await other.compareAndSet("b", 0, recordWith("b", { key: "k" }));
      await other.compareAndSet("a", 0, recordWith("a"));
      await other.compareAndSet("gone", 0, recordWith("gone", { key: "gone too" }));
      await other.compareAndSet("gone", 1, undefined);
      await other.setFacts({ namespaceAction: { body: [1] } });
      await other.addImage(image);
      await other.nextNumber();

      await store.compareAndSet("mine", 0, recordWith("mine", { key: "k" }));
      await store.setFacts({ lastWritten: "mine" });
      await store.replace(await other.contents());

      expect(await everything(store)).toEqual(await everything(other));
      expect([await store.get("mine"), await store.getByKey("k")]).toEqual([undefined, recordWith("b", { key: "k" })]);
      expect(await store.wasDeleted({ key: "gone too" })).toBe(true);
      expect(await store.nextNumber()).toBe(2);
      await store.compareAndSet("a", 1, undefined);
      expect(await other.get("a")).toEqual(recordWith("a"));
    });
  });
}

/** Returns the whole contents of a store for comparison. */
async function everything(store: Store): Promise<unknown> {
  const { records, images, deleted, ...rest } = await store.contents();
  const gone = { ids: [...deleted.ids], keys: [...deleted.keys] };
  return { ...rest, deleted: gone, records: [...records], images: [...images] };
}
