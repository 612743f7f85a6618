import { describe, expect, test } from "vitest";
import { nearestOperations } from "../../src/contract/nearest.ts";
import { serviceContract } from "../../src/contract/service-contract.ts";

describe("the nearest operation", () => {
  test.each([
    ["GET", "/p/resources", "queryResources"],
    ["PUT", "/p/resorce", "createOrOverwriteResource"],
    ["HEAD", "/p/resource/", "checkResourceExists"],
    ["DELETE", "/p/resources/1", "deleteResource"],
    ["GET", "/p/resource/key/1", "getResourceByKey"],
    ["POST", "/p/images", "createResource"],
    ["POST", "/p/resource/artificially-complex/path/one/two", "runComplexOperation"],
    ["GET", "/", "queryResources"],
  ])("to %s %s is %s", (method, path, id) => {
    expect(nearestOperations(serviceContract.operations, method, path)[0]?.id).toBe(id);
    expect(nearestOperations(serviceContract.operations, method, path)).toHaveLength(3);
  });
});
