import { describe, expect, test } from "vitest";
import { nearestOperations } from "../../src/contract/nearest.ts";
import { serviceContract } from "../../src/contract/service-contract.ts";
import { didYouMean, editDistance, nearest } from "../../src/text/nearest.ts";

test.each([
  ["", "", 0],
  ["a", "", 1],
  ["kitten", "sitting", 3],
  ["flaw", "lawn", 2],
])("from %j to %j it is %s edits", (a, b, distance) => {
  expect([editDistance(a, b), editDistance(b, a)]).toEqual([distance, distance]);
});

test.each([
  ["doSomething", ["doSomeThing", "changeSomeProperty"], "doSomeThing"],
  ["getCarts", ["getCart", "getResourceById"], "getCart"],
  ["paint", ["doSomeThing", "changeSomeProperty"], undefined],
  ["x".repeat(101), ["x".repeat(100)], undefined],
])("%s, of %j, means %s", (word, candidates, meant) => {
  expect(nearest(word, candidates)).toBe(meant);
  expect(didYouMean(word, candidates)).toBe(meant === undefined ? "" : ` Did you mean "${meant}"?`);
});

describe("the operation that is nearest to", () => {
  test.each([
    ["GET", "/p/resources", "queryResources"],
    ["PUT", "/p/resorce", "createOrOverwriteResource"],
    ["HEAD", "/p/resource/", "checkResourceExists"],
    ["DELETE", "/p/resources/1", "deleteResource"],
    ["GET", "/p/resource/key/1", "getResourceByKey"],
    ["POST", "/p/images", "createResource"],
    ["POST", "/p/resource/artificially-complex/path/one/two", "runComplexOperation"],
    ["GET", "/", "queryResources"],
  ])("%s %s is %s", (method, path, id) => {
    expect(nearestOperations(serviceContract.operations, method, path)[0]?.id).toBe(id);
    expect(nearestOperations(serviceContract.operations, method, path)).toHaveLength(3);
  });
});
