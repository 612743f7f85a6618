import fc from "fast-check";
import { expect, test } from "vitest";
import { StringMap } from "../../src/state/string-map.ts";

const name = fc.constantFrom("", "a", "b", "ab", "ba", "key=/ä", "c".repeat(300));
const write = fc.record({ name, value: fc.option(fc.nat(), { nil: undefined }), cloneFirst: fc.boolean() });

/** Names of one length have one hash: nearly all of these share theirs with others. */
const byLength = (text: string) => text.length;

test.each([
  ["names of their own hashes", undefined],
  ["names that share a hash", byLength],
])("is a map, and so is each clone, with %s", (_what, hash) => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 40 }), (writes) => {
      let map = new StringMap<number>(hash);
      let model = new Map<string, number>();
      const others: [StringMap<number>, Map<string, number>][] = [];
      for (const { name, value, cloneFirst } of writes) {
        if (cloneFirst) {
          others.push([map, model]);
          [map, model] = [map.clone(), new Map(model)];
        }
        if (value === undefined) {
          map.delete(name);
          model.delete(name);
        } else {
          map.set(name, value);
          model.set(name, value);
        }
      }
      for (const [one, expected] of [...others, [map, model] as const]) {
        expect(one.names()).toEqual([...expected.keys()].sort());
        for (const name of ["x", ...expected.keys()]) {
          expect([one.get(name), one.has(name)]).toEqual([expected.get(name), expected.has(name)]);
        }
      }
    }),
  );
});
