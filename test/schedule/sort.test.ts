import fc from "fast-check";
import { expect, test } from "vitest";
import { sorted } from "../../src/schedule/sort.ts";
import { runs } from "../setup/runs.ts";

test("sorts as toSorted, and keeps the order of equal items", async () => {
  const lists = fc.array(fc.nat(50), { maxLength: 5000, size: "max" });
  await fc.assert(
    fc.asyncProperty(lists, async (values) => {
      const items = values.map((value, index) => ({ value, index }));
      const compare = (a: { value: number }, b: { value: number }) => a.value - b.value;
      expect(await sorted(items, compare)).toEqual(items.toSorted(compare));
    }),
    runs(20),
  );
});
