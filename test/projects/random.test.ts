import { expect, test } from "vitest";
import { createRandom, shortHash, uuidOf } from "../../src/project/random.ts";

/** These values must never change: test suites rely on the ids and the random faults of a seed. */
const recorded: readonly (readonly [text: string, random: readonly number[], uuid: string])[] = [
  ["", [0.18176812469027936, 0.3188686918001622, 0.9710811858531088], "027ae52e-cfc7-4621-9593-990d4b41437c"],
  ["a", [0.5359695900697261, 0.9221943290904164, 0.42753779981285334], "5eb8e4e4-08de-4167-8f5f-05b958089485"],
  ["demo", [0.7074964605271816, 0.4491409142501652, 0.8425733875483274], "734933d7-e59a-4f8d-91bf-2fd9a700f4aa"],
  ["größe 😀", [0.787582227261737, 0.8521510385908186, 0.017515586456283927], "42fba973-5c4b-48c8-a87c-7bba74909e99"],
  ["order", [0.99993033753708, 0.6605046838521957, 0.4000774312298745], "84fcc35f-4eea-4b3c-b289-29e709276633"],
];

test.each(recorded)("the text %j has the same sequence, id and hash on every machine", (text, sequence, uuid) => {
  const random = createRandom(text);
  expect(sequence.map(random)).toEqual(sequence);
  expect([uuidOf(text), shortHash(text)]).toEqual([uuid, uuid.slice(0, 8)]);
});

test("ids and hashes keep their leading zeros", () => {
  expect([shortHash("n375"), uuidOf("n375")]).toEqual(["00c3f52c", "00c3f52c-d5ac-4159-abd9-c9d046b71293"]);
});

test("texts that differ in one character have different ids of version 4, hashes and sequences", () => {
  const texts = Array.from({ length: 2000 }, (_, number) => `project-${number}`);
  const sequences = texts.map((text) => createRandom(text)());
  for (const values of [texts.map(uuidOf), texts.map(shortHash), sequences.map(String)]) {
    expect(new Set(values).size).toBe(2000);
  }
  for (const text of texts) expect(uuidOf(text)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  for (const text of texts) expect(uuidOf(text)).toMatch(/^.{14}4.{4}[89ab]/);
});

test("a sequence stays in [0, 1) and fills it evenly", () => {
  const random = createRandom("sample");
  const tenths = new Array<number>(10).fill(0);
  for (let count = 0; count < 100_000; count++) {
    const tenth = Math.floor(random() * 10);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  // Each tenth of the range has 10,000 numbers, with a standard deviation of 95.
  expect(tenths).toHaveLength(10);
  for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});
