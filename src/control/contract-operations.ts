import { cut, didYouMean, OperationSummary, summaryOf } from "../contract/index.ts";
import { list, notFound, ok } from "./control-response.ts";
import { OpenApi } from "./control-schemas.ts";
import { json, listOf, onServer, PAGE, paging, problem } from "./define-operation.ts";

/** What the mock has understood of the operations of the service. A large contract is read in parts. */
export const operations = {
  listOperations: onServer("GET", "/contract/operations", {
    reach: "process",
    summary: "List the operations of the service, each in a line: what it does with the state, and why",
    query: paging,
    responses: { 200: json("The operations, in the order of the contract.", listOf("operations", OperationSummary)) },
    handle({ engine, query: { limit = PAGE, offset = 0 } }) {
      const { operations } = engine.contract;
      return list("operations", operations.slice(offset, offset + limit).map(summaryOf), operations.length);
    },
  }),

  getOperation: onServer("GET", "/contract/operations/{operationId}", {
    reach: "process",
    summary: "Return one operation of the service, as an OpenAPI document with only this operation",
    pathParameters: {
      operationId: { description: "The id of an operation of the service.", example: "getPet" },
    },
    responses: {
      200: json("The operation, with all that it refers to.", OpenApi),
      404: problem("No operation has this id."),
    },
    async handle({ engine, control, origin, path: { operationId } }) {
      const operation = engine.contract.find(operationId);
      if (!operation)
        throw notFound(
          `No operation has the id "${cut(operationId, 100)}".${didYouMean(operationId, engine.contract.ids)}`,
        );
      const { contractDocument, documentOf } = await import("../state/openapi/index.ts");
      return ok(
        documentOf(operation, await contractDocument(engine.contract, engine.fixtures, control.version, origin)),
      );
    },
  }),
};
