import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom, shortHash, uuidOf } from "../../src/projects/random.ts";

/** These values must never change: test suites rely on the ids and the random faults of a seed. */
const recorded: readonly (readonly [text: string, random: readonly number[], uuid: string])[] = [
  ["", [0.18176812469027936, 0.3188686918001622, 0.9710811858531088], "027ae52e-cfc7-4621-9593-990d4b41437c"],
  ["a", [0.5359695900697261, 0.9221943290904164, 0.42753779981285334], "5eb8e4e4-08de-4167-8f5f-05b958089485"],
  ["demo", [0.7074964605271816, 0.4491409142501652, 0.8425733875483274], "734933d7-e59a-4f8d-91bf-2fd9a700f4aa"],
  ["größe 😀", [0.787582227261737, 0.8521510385908186, 0.017515586456283927], "42fba973-5c4b-48c8-a87c-7bba74909e99"],
  ["order", [0.99993033753708, 0.6605046838521957, 0.4000774312298745], "84fcc35f-4eea-4b3c-b289-29e709276633"],
];

test.each(recorded)("%j has the same sequence, id and hash on every machine", (text, sequence, uuid) => {
  const random = createRandom(text);
  expect(sequence.map(random)).toEqual(sequence);
  expect([uuidOf(text), shortHash(text)]).toEqual([uuid, uuid.slice(0, 8)]);
});

test("ids and hashes keep their leading zeros", () => {
  expect([shortHash("n375"), uuidOf("n375")]).toEqual(["00c3f52c", "00c3f52c-d5ac-4159-abd9-c9d046b71293"]);
});

test("every id is a version 4 UUID", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(uuidOf(text)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }),
  );
});

test("texts that differ in one character have different ids and hashes", () => {
  const texts = Array.from({ length: 2000 }, (_, number) => `project-${number}`);
  expect([new Set(texts.map(uuidOf)).size, new Set(texts.map(shortHash)).size]).toEqual([2000, 2000]);
});

describe("a sequence", () => {
  const sample = (length: number) => {
    const random = createRandom("sample");
    return Array.from({ length }, random);
  };

  test("stays in [0, 1) and fills it evenly", () => {
    const tenths = new Array<number>(10).fill(0);
    for (const number of sample(100_000)) {
      if (number < 0 || number >= 1) throw new Error(`expected a number in [0, 1), found ${number}`);
      const tenth = Math.floor(number * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    // Of 100,000 numbers, each tenth of the range has 10,000, with a standard deviation of 95.
    for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });

  test("has hardly any repeated numbers", () => {
    expect(new Set(sample(10_000)).size).toBeGreaterThan(9_990);
  });

  test("has a different first number for each seed", () => {
    const first = Array.from({ length: 1000 }, (_, number) => createRandom(`seed ${number}`)());
    expect(new Set(first).size).toBe(1000);
    expect(Math.abs(first.reduce((sum, each) => sum + each, 0) / 1000 - 0.5)).toBeLessThan(0.05);
  });
});
