import type { Contract, ServiceOperation } from "../../contract/contract.ts";
import type { Schema } from "../../contract/schema.ts";
import { ArrayTestType, PagedQueryResult } from "../../contract/schemas.ts";
import { isObject } from "../../text/json.ts";
import type { Check } from "../check.ts";
import { claim, needs } from "../outcome.ts";
import type { Owned, Service } from "../service.ts";
import { orderOf, sendValid, shownStatuses, successOf, successStatuses, writesOf } from "./valid.ts";

/** The names of the schemas of successful responses, for the names of checks. */
function schemaName({ schemas }: Contract, schema: Schema | undefined): string {
  return Object.entries(schemas).find(([, each]) => each === schema)?.[0] ?? "its schema";
}

/** For each operation: the status of a valid request, and the schema of the body. */
export function responseChecks(contract: Contract): Check[] {
  return contract.operations.flatMap((operation) => [
    statusCheck(contract, operation),
    ...(operation.method === "HEAD" ? [] : [bodyCheck(contract, operation)]),
  ]);
}

function statusCheck(contract: Contract, operation: ServiceOperation): Check {
  const { id } = operation;
  return {
    name: successOf(contract, id),
    operation: id,
    kind: "contract",
    expected: `A valid request returns ${shownStatuses(operation)}.`,
    ...writesOf(operation),
    ...orderOf(operation),
    async attempt(service) {
      const { status, seen } = await valid(service, operation);
      claim(successStatuses(operation).includes(status), seen);
      return seen;
    },
  };
}

function bodyCheck(contract: Contract, operation: ServiceOperation): Check {
  const { id, responses } = operation;
  const schema = responses[successStatuses(operation)[0] ?? 200]?.schema ?? {};
  const name = id === "queryResources" ? "ArrayTestType or PagedQueryResult" : schemaName(contract, schema);
  const isAny = Object.keys(schema).every((keyword) => keyword === "description");
  return {
    name: isAny ? `${id}: the response has a JSON body` : `${id}: the body is valid for ${name}`,
    operation: id,
    kind: "contract",
    expected: isAny ? "The response has a JSON body." : `The body of a successful response is valid for ${name}.`,
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
