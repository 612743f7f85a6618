import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ErrorCode, errorCatalogue } from "../../src/contract/errors.ts";
import { declaredStatuses } from "../../src/contract/operation.ts";
import { serviceContract } from "../../src/contract/service-contract.ts";
import { handlers } from "../../src/operations/handlers.ts";
import { exampleRequests } from "../setup/requests.ts";
import { repository } from "../setup/run.ts";

const fixtureFolders = readdirSync(`${repository}fixtures`, { withFileTypes: true });

describe("every operation is complete", () => {
  test.each(serviceContract.operations)(
    "$id has a handler, an example request, and a fixture for each status",
    (operation) => {
      expect(handlers[operation.id]).toBeTypeOf("function");
      expect(exampleRequests[operation.id].init.method ?? "GET").toBe(operation.method);
      const names = readdirSync(`${repository}fixtures/${operation.id}`);
      expect(names).toEqual(expect.arrayContaining(declaredStatuses(operation).map((status) => `${status}.json`)));
    },
  );

  test("handlers and fixtures exist only for operations of the contract", () => {
    expect(Object.keys(handlers).sort()).toEqual([...serviceContract.ids].sort());
    expect(fixtureFolders.filter((entry) => entry.isDirectory()).map(({ name }) => name)).toEqual(
      [...serviceContract.ids].sort(),
    );
    expect(fixtureFolders.filter((entry) => !entry.isDirectory()).map(({ name }) => name)).toEqual(["seed.json"]);
  });
});

/** The codes of DESIGN sections 3 and 8. */
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

test("an operation declares every error status except 405", () => {
  const declared = new Set(serviceContract.operations.flatMap(declaredStatuses));
  const undeclared = Object.values(errorCatalogue).filter(({ status }) => !declared.has(status));
  expect(undeclared.map(({ status }) => status)).toEqual([405]);
});
