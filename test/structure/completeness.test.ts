import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { type ErrorCode, errorCatalogue } from "../../src/contract/errors.ts";
import { declaredStatuses } from "../../src/contract/operation-table.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { handlers } from "../../src/services/generic-resource/handlers.ts";
import { operations } from "../../src/services/generic-resource/operations.ts";
import { exampleRequests } from "../setup/requests.ts";
import { repository } from "../setup/run.ts";

test("every operation has an example request, and a fixture for each status", () => {
  for (const operation of operations) {
    expect(exampleRequests[operation.id].init.method ?? "GET").toBe(operation.method);
    const names = readdirSync(`${repository}fixtures/${operation.id}`);
    const statuses = new Set(names.map((name) => Number(name.split(".")[0])));
    expect([operation.id, [...statuses].sort()]).toEqual([operation.id, declaredStatuses(operation)]);
  }
});

test("handlers and fixtures exist only for operations of the contract, and no operation has a handler and a role", () => {
  const handled = Object.keys(handlers).map((id) => serviceContract.find(id));
  expect(handled.map((operation) => operation?.role)).toEqual(handled.map(() => undefined));
  expect(handled).not.toContain(undefined);
  expect(readdirSync(`${repository}fixtures`).sort()).toEqual([...serviceContract.ids, "seed.json"].sort());
});

/** The codes that users rely on. */
const codes: Readonly<Record<ErrorCode, number>> = {
  InvalidJsonInput: 400,
  InvalidInput: 400,
  InvalidField: 400,
  invalid_token: 401,
  insufficient_scope: 403,
  ResourceNotFound: 404,
  EndpointNotFound: 404,
  MethodNotAllowed: 405,
  ConcurrentModification: 409,
  ContentTooLarge: 413,
  UnsupportedMediaType: 415,
  TooManyRequests: 429,
  General: 500,
  InvalidStub: 500,
  ServiceUnavailable: 503,
  InsufficientStorage: 507,
};

test("the error catalogue has the codes and statuses of the design", () => {
  const statuses = Object.entries(errorCatalogue).map(([code, { status }]) => [code, status]);
  expect(Object.fromEntries(statuses)).toEqual(codes);
});
