import fc from "fast-check";
import { expect, test } from "vitest";
import { fileNameOf, isHashed, isProjectFile, keyOf } from "../../src/homes/files/project-file.ts";
import { projectKeyProblem } from "../../src/project/projects.ts";
import { runs } from "../setup/runs.ts";

test.each([
  ["checkout", "checkout.ndjson"],
  ["shop~t1", "shop~t1.ndjson"],
  ["Checkout", "%43heckout.ndjson"],
  ["shop.v2", "shop%2ev2.ndjson"],
  ["a/b", "a%2fb.ndjson"],
  ["...", "%2e%2e%2e.ndjson"],
  ["100%", "100%25.ndjson"],
  ["grün", "gr%c3%bcn.ndjson"],
  ["con", "%63on.ndjson"],
  ["lpt1", "%6cpt1.ndjson"],
  ["console", "console.ndjson"],
])("the file of the project %s is %s", (key, name) => {
  expect(fileNameOf(key)).toBe(name);
  expect(keyOf(name)).toBe(key);
});

test.each([
  ["Checkout.ndjson", "Checkout"],
  ["my shop.ndjson", "my shop"],
  ["shop.v2.ndjson", "shop.v2"],
])("a file that a user has named %s is of the project %s", (name, key) => {
  expect(keyOf(name)).toBe(key);
});

test.each([
  ["%zz.ndjson", "expected the name to be a project key, in which %20 is a space"],
  ["%.ndjson", "expected the name to be a project key, in which %20 is a space"],
  ["%c3.ndjson", "expected the name to be a project key, in which %20 is a space"],
  [".ndjson", "projectKey: expected 1 to 256 characters, found 0"],
  [`${"a".repeat(257)}.ndjson`, "projectKey: expected 1 to 256 characters, found 257"],
  ["%2e%2e.ndjson", 'projectKey: expected a text other than "." and "..", of whole Unicode characters, found ".."'],
  ["__mine.ndjson", 'projectKey: expected a key that is not reserved, found "__mine"'],
])("rejects the name %s: %s", (name, message) => {
  expect(() => keyOf(name)).toThrow(message);
});

const keys = fc
  .oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 256 }),
    fc.string({ minLength: 1, maxLength: 256 }),
    fc.string({
      unit: fc.constantFrom("A", "a", ".", "%", "~", "-", "\ud800", "\udc00", "é"),
      minLength: 1,
      maxLength: 9,
    }),
  )
  .filter((key) => projectKeyProblem(key) === undefined);

test("every key has a file name that every file system keeps, and that differs in any case", () => {
  fc.assert(
    fc.property(keys, keys, (key, other) => {
      const name = fileNameOf(key);
      expect(name).toMatch(/^[a-z0-9_~%-]{1,250}\.ndjson$/);
      expect(isProjectFile(name)).toBe(true);
      if (!isHashed(name)) expect(keyOf(name)).toBe(key);
      expect(fileNameOf(other) === name).toBe(other === key);
    }),
    runs(100, 500),
  );
});

test("a key of 256 characters has a short name", () => {
  expect(fileNameOf("a".repeat(200))).toBe(`${"a".repeat(200)}.ndjson`);
  expect(isHashed(fileNameOf("a".repeat(200)))).toBe(false);
  expect(isHashed(fileNameOf("😀".repeat(128)))).toBe(true);
  expect(fileNameOf("😀".repeat(128))).toHaveLength("%-.ndjson".length + 64);
});
