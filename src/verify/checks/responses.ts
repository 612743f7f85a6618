import type { Contract, ServiceOperation } from "../../contract/contract.ts";
import { ArrayTestType, PagedQueryResult } from "../../contract/schemas.ts";
import { isObject } from "../../text/json.ts";
import type { Check } from "../check.ts";
import { claim, needs } from "../outcome.ts";
import type { Owned, Service } from "../service.ts";
import { checksFor } from "./define.ts";
import {
  bodyOf,
  orderOf,
  sendValid,
  shownStatuses,
  successOf,
  successSchema,
  successStatuses,
  writesOf,
} from "./valid.ts";

/** For each operation: whether a valid request succeeds, its status, and the schema of the body. */
export function responseChecks(contract: Contract): Check[] {
  return contract.operations.flatMap((operation) => [
    successCheck(operation),
    statusCheck(contract, operation),
    ...(operation.method === "HEAD" ? [] : [bodyCheck(contract, operation)]),
  ]);
}

function successCheck(operation: ServiceOperation): Check {
  const { id } = operation;
  return {
    name: successOf(id),
    operation: id,
    kind: "contract",
    expected: "A valid request returns a status from 200 to 299.",
    ...writesOf(operation),
    ...orderOf(operation),
    async attempt(service) {
      const { isOk, seen } = await valid(service, operation);
      claim(isOk, seen);
      return seen;
    },
  };
}

function statusCheck(contract: Contract, operation: ServiceOperation): Check {
  const { id } = operation;
  const [check] = checksFor(contract, id, [
    {
      claim: `the status of success is ${shownStatuses(operation)}`,
      kind: "contract",
      expected: `A valid request returns ${shownStatuses(operation)}.`,
      async attempt(service) {
        const { isOk, status, seen } = await valid(service, operation);
        needs(isOk, `a successful response; ${seen}`);
        claim(successStatuses(operation).includes(status), seen);
        return seen;
      },
    },
  ]);
  if (!check) throw new Error("a check of the status");
  return check;
}

function bodyCheck(contract: Contract, operation: ServiceOperation): Check {
  const { id } = operation;
  const name = bodyOf(contract, id);
  const [, claimed = ""] = name.split(": ");
  const schema = successSchema(operation);
  return {
    name,
    operation: id,
    kind: "contract",
    expected: `Of a successful response, ${claimed}.`,
    ...writesOf(operation),
    ...orderOf(operation),
    async attempt(service) {
      const { isOk, status, json, seen } = await valid(service, operation);
      needs(isOk && status !== 204, `a successful response with a body; ${seen}`);
      claim(json !== undefined, `${seen} without a body`);
      // Almost every object is a valid ArrayTestType, so the results of a page decide which schema applies.
      const isPage = isObject(json) && Object.hasOwn(json, "results");
      const applied = id === "queryResources" ? (isPage ? PagedQueryResult : ArrayTestType) : schema;
      const [problem] = await service.problems(applied, json);
      claim(problem === undefined, `${seen}: ${problem}`);
      return seen;
    },
  };
}

/** Sends a valid request. An update tries every version that the service has named. */
async function valid(service: Service, { id }: ServiceOperation) {
  if (id !== "updateResource") return sendValid(service, id);
  const resource: Owned = await service.fresh();
  return service.update(resource, [{ action: "doSomeThing" }]);
}
