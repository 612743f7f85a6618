import { expect, test } from "vitest";
import { noCoverage, reportOfCoverage, withRequest } from "../../src/journal/coverage.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { exchangeWith } from "./exchanges.ts";

// Only an upstream sends such bodies.
test.each([
  "no JSON",
  "null",
  "[]",
  '{"errors":{}}',
  '{"errors":[null,1,[],{"code":1},{"code":["General"]},{"code":"nope"},{"code":"constructor"}]}',
])("coverage counts the status but no error code of the body %s", (responseBody) => {
  const coverage = withRequest(noCoverage, exchangeWith({ status: 500, responseBody }));
  const { errorCodes, operations } = reportOfCoverage(coverage, serviceContract);
  expect(Object.values(errorCodes).filter((count) => count !== 0)).toEqual([]);
  expect(operations.find(({ operation }) => operation === "queryResources")?.statuses).toMatchObject({ 500: 1 });
});
